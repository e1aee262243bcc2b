/**
 * DTR and RTS through the two transistors of a board (flashing.md §9.1), or through the USB-Serial/JTAG peripheral.
 *
 *   DTR RTS   UART bridge        USB-Serial/JTAG
 *    0   0    idle               clears the download flag
 *    1   0    GPIO0 low          sets the download flag
 *    0   1    EN low (reset)     resets; the flag says where to
 *    1   1    idle               nothing
 */
export interface Lines {
  readonly dtr: boolean
  readonly rts: boolean
}

export interface LineState extends Lines {
  readonly downloadFlag: boolean
}

/** `hold`: EN is low. `release`: EN rises, straps are sampled after its RC delay. `reset`: at once, into download or not. */
export type LineEffect = { do: 'none' } | { do: 'hold' } | { do: 'release' } | { do: 'reset'; download: boolean }

export const idleLines: LineState = { dtr: false, rts: false, downloadFlag: false }

export function stepUartLines(state: LineState, lines: Lines): [LineState, LineEffect] {
  const wasLow = enIsLow(state)
  const isLow = enIsLow(lines)
  const next = { ...state, ...lines }
  if (isLow && !wasLow) return [next, { do: 'hold' }]
  if (!isLow && wasLow) return [next, { do: 'release' }]
  return [next, { do: 'none' }]
}

export function stepUsbLines(state: LineState, { dtr, rts }: Lines): [LineState, LineEffect] {
  if (dtr === state.dtr && rts === state.rts) return [state, { do: 'none' }]
  if (rts && !dtr)
    return [
      { ...state, dtr, rts },
      { do: 'reset', download: state.downloadFlag },
    ]
  if (!rts) return [{ dtr, rts, downloadFlag: dtr }, { do: 'none' }]
  return [{ ...state, dtr, rts }, { do: 'none' }]
}

export function gpio0IsLow({ dtr, rts }: Lines): boolean {
  return dtr && !rts
}

function enIsLow({ dtr, rts }: Lines): boolean {
  return rts && !dtr
}
