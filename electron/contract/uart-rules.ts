import type { ErrorCode } from './errors.ts'

/** Takes broken rules; `at`: where, in characters of the line's text. A board does not carry out what has an error. */
export interface Judge {
  error(rule: UartRule, at: number, message: string): void
  warn(rule: UartRule, at: number, message: string): void
}

/** The rules that a line from a microcontroller can break: codes of errors/uart.json. */
export type UartRule = Extract<
  ErrorCode,
  | 'uart-no-line-end'
  | 'uart-line-too-long'
  | 'uart-bad-utf8'
  | 'uart-unknown-command'
  | 'uart-no-json'
  | 'uart-json-space'
  | 'uart-text-space'
  | 'uart-bad-json'
  | 'uart-bad-role'
  | 'uart-bad-msgtype'
  | 'uart-bad-value'
  | 'uart-baud-range'
  | 'uart-volume-range'
  | 'uart-status-not-text'
  | 'uart-tool-name'
  | 'uart-double-tool'
  | 'uart-double-property'
  | 'uart-reserved-tool'
  | 'uart-reserved-property'
  | 'uart-reserved-word'
>
