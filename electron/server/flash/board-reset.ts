import { pause } from '../../base/deadline.ts'
import type { SerialLink } from './serial-link.ts'

/** How lines and pins hang together: a UART bridge with two transistors, or the chip's own USB-Serial/JTAG. */
export type ResetStyle = 'classic' | 'usb-jtag'

/** USB ids of the chip's own USB-Serial/JTAG. */
export function resetStyleFor(usb: { vendorId: string | null; productId: string | null }): ResetStyle {
  return usb.vendorId?.toLowerCase() === '303a' && usb.productId === '1001' ? 'usb-jtag' : 'classic'
}

/**
 * Into download mode (flashing.md §9.1). False when the port has no lines: the board keeps its state then.
 * `slow` waits longer before GPIO0 is let go, for boards with a large capacitor on EN.
 */
export async function enterDownload(link: SerialLink, style: ResetStyle, slow: boolean): Promise<boolean> {
  if (style === 'usb-jtag') return await enterByUsbJtag(link)
  if (!(await link.setLines({ dtr: false, rts: true }))) return false
  await pause(100)
  await link.setLines({ dtr: true, rts: false })
  await pause(slow ? 550 : 50)
  return await link.setLines({ dtr: false, rts: false })
}

/** Must pass through both lines asserted, never through both released. */
async function enterByUsbJtag(link: SerialLink): Promise<boolean> {
  if (!(await link.setLines({ dtr: false, rts: false }))) return false
  await pause(100)
  await link.setLines({ dtr: true, rts: false })
  await pause(100)
  await link.setLines({ dtr: true, rts: true })
  await link.setLines({ dtr: false, rts: true })
  await pause(100)
  return await link.setLines({ dtr: false, rts: false })
}

/** EN low for 100 ms with GPIO0 released: the board runs its flash. False when the port has no lines. */
export async function hardReset(link: SerialLink): Promise<boolean> {
  if (!(await link.setLines({ dtr: false, rts: true }))) return false
  await pause(100)
  return await link.setLines({ dtr: false, rts: false })
}
