import type { ErrorCode } from '../../contract/errors.ts'

const words: Readonly<Partial<Record<ErrorCode, ErrorCode>>> = {
  'flash-unplugged': 'uart-unplugged',
  'flash-port-not-found': 'uart-port-not-found',
  'flash-port-busy': 'uart-port-busy',
  'flash-no-permission': 'uart-no-permission',
}

/** The serial link speaks of boards that are flashed; here a microcontroller hangs on it, and the next step is another. */
export function portTrouble(code: ErrorCode): ErrorCode {
  return words[code] ?? code
}
