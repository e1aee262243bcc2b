import type { Device } from '../../electron/contract/device.ts'

/** The rules that a healthy board keeps. A board's health is the list of rules it fails: explained, not scored. */
export type HealthRule = 'weak-signal' | 'low-heap' | 'slow-reply' | 'blocked' | 'notice'

export const WEAK_SIGNAL_DBM = -75
export const LOW_HEAP_BYTES = 40_000
export const SLOW_REPLY_MS = 3_000

export function failedRules(device: Device): readonly HealthRule[] {
  const failed: HealthRule[] = []
  if (device.blocked) failed.push('blocked')
  if (device.notice !== null) failed.push('notice')
  // Old values of a board that is away say nothing about today.
  if (!device.presence.online) return failed
  if (device.rssiDbm !== null && device.rssiDbm < WEAK_SIGNAL_DBM) failed.push('weak-signal')
  if (device.heapFreeBytes !== null && device.heapFreeBytes < LOW_HEAP_BYTES) failed.push('low-heap')
  if (device.replyMs !== null && device.replyMs > SLOW_REPLY_MS) failed.push('slow-reply')
  return failed
}
