import { expect, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import type { ByteWire } from '../../base/byte-wire.ts'
import { silentLog } from '../../base/log.ts'
import { noFaultPlan } from './fault-line.ts'
import { createSender } from './sender.ts'

function senderOnPaper() {
  const written: string[] = []
  const wire: ByteWire = {
    path: '/dev/paper',
    write: async (bytes) => void written.push(Buffer.from(bytes).toString()),
    onData: () => () => undefined,
    setBaud: async () => undefined,
    drain: async () => undefined,
    close: async () => undefined,
    onClosed: () => undefined,
  }
  const clock = createManualClock()
  const { signal } = new AbortController()
  const sender = createSender({ wire, clock, signal, log: silentLog, onSent: () => undefined })
  const told: string[] = []
  const send = (text: string, exact = false) =>
    sender.send(Buffer.from(text), exact, (faults) =>
      told.push(`${text}: ${faults.map(({ message }) => message).join()}`),
    )
  return { sender, written, told, clock, send }
}

test('every second line changes places with the one after it, and is told as it goes out', async () => {
  const { sender, written, told, clock, send } = senderOnPaper()
  sender.setPlan({ ...noFaultPlan, reorderEvery: 2 })
  for (const text of ['1', '2', '3', '4', '5']) send(text)
  await clock.advance(0)
  expect(written).toEqual(['1', '3', '2', '5', '4'])
  expect(told[2]).toBe('2: sent after the line that follows it')
})

test('a line whose follower does not come goes alone after a second', async () => {
  const { sender, written, clock, send } = senderOnPaper()
  sender.setPlan({ ...noFaultPlan, reorderEvery: 1 })
  send('alone')
  await clock.advance(999)
  expect(written).toEqual([])
  await clock.advance(1)
  expect(written).toEqual(['alone'])
})

test('a line that is sent exactly is never held, and lets a held one go', async () => {
  const { sender, written, clock, send } = senderOnPaper()
  sender.setPlan({ ...noFaultPlan, reorderEvery: 1 })
  send('held')
  send('exact', true)
  await clock.advance(0)
  expect(written).toEqual(['exact', 'held'])
})
