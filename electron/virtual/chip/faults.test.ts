import { expect, test } from 'vitest'
import { createFaultPlan, faultHelp, parseFault } from './faults.ts'

test('every fault of the help text can be given', () => {
  for (const [form] of faultHelp) {
    const spec = form
      .replace(/=(N|ID)$/, '=3')
      .replace('=MS', '=50')
      .replace('=BAUD', '=115200')
    expect(form.split(/[@=]/)).toContain(parseFault(spec).kind)
  }
})

test.each([
  ['unplug@block=3', { kind: 'unplug', block: 3 }],
  ['wrong-chip=5', { kind: 'wrong-chip', chipId: 5 }],
  ['slow-erase=2500', { kind: 'slow-erase', ms: 2500 }],
  ['pace=921600', { kind: 'pace', baud: 921600 }],
])('%s is read', (spec, fault) => {
  expect(parseFault(spec)).toEqual(fault)
})

test.each([
  ['', 'There is no fault ""'],
  ['unplug', 'There is no fault "unplug"'],
  ['unplug@block=', 'from 1 to 1000000'],
  ['unplug@block=0', 'from 1 to 1000000'],
  ['unplug@block=1.5', 'from 1 to 1000000'],
  ['pace=fast', 'from 300 to 10000000'],
  ['toString@block=1', 'There is no fault'],
  ['constructor=1', 'There is no fault'],
  ['noise=1', 'There is no fault'],
])('"%s" is refused with a reason', (spec, reason) => {
  expect(() => parseFault(spec)).toThrow(expect.objectContaining({ code: 'server-bad-usage' }))
  expect(() => parseFault(spec)).toThrow(reason)
})

test('a fault of a block fires once, at its block', () => {
  const plan = createFaultPlan([parseFault('checksum@block=2'), parseFault('reboot@block=3')])
  expect([1, 2, 3, 4].map(() => [...plan.blockArrived()])).toEqual([[], ['checksum'], ['reboot'], []])
})
