import { eventIterator, oc } from '@orpc/contract'
import { z } from 'zod'
import { UartEvent, UartFaultPlan, UartLine, UartRole, UartSession, UartStep, UartStepResult } from './uart.ts'

const byId = z.object({ id: z.string() })
const done = z.object({ ok: z.literal(true) })

export const uartRows = {
  uart: {
    /** Sessions, then lines of `id` as they cross the wire; the newest 500 first. */
    watch: oc.input(z.object({ id: z.string().optional() })).output(eventIterator(UartEvent)),
    open: oc
      .input(
        z.object({
          port: z.string().min(1),
          baud: z.number().int().min(300).max(2_000_000),
          role: UartRole,
          deviceId: z.string().optional(),
        }),
      )
      .output(UartSession),
    /** A virtual microcontroller on a PTY, with the tools of a Thing or of the air conditioner of the lesson. */
    startVirtualMcu: oc.input(z.object({ thing: z.string().optional() })).output(z.object({ port: z.string() })),
    /** Lines before `before` (its `seq`; null: the newest), the oldest first: a million are kept while the port is open. */
    page: oc
      .input(byId.extend({ before: z.number().int().nullable(), limit: z.number().int().min(1).max(1000) }))
      .output(z.array(UartLine)),
    close: oc.input(byId).output(done),
    /** A line exactly as given; `end` adds `\r\n`. */
    send: oc.input(byId.extend({ text: z.string().max(8192), end: z.boolean() })).output(done),
    callTool: oc
      .input(byId.extend({ name: z.string(), arguments: z.record(z.string(), z.unknown()) }))
      .output(z.object({ status: z.string() })),
    setBaud: oc.input(byId.extend({ baud: z.number().int().min(300).max(2_000_000) })).output(done),
    setFaults: oc.input(byId.extend({ plan: UartFaultPlan })).output(done),
    record: oc.input(byId.extend({ on: z.boolean() })).output(done),
    /** The recording as JSON lines. */
    recording: oc.input(byId).output(z.object({ text: z.string() })),
    replay: oc.input(byId.extend({ text: z.string().max(5_000_000) })).output(done),
    runScript: oc.input(byId.extend({ steps: z.array(UartStep).min(1).max(100) })).output(z.array(UartStepResult)),
  },
}
