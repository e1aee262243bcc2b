import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { createLog } from '../base/log.ts'
import { connectParent } from '../base/parent-port.ts'
import { playLesson } from '../virtual/mcu/lesson-program.ts'
import { createMcu } from '../virtual/mcu/mcu.ts'
import { openPtyWire } from '../virtual/mcu/pty-wire.ts'
import { playThing } from '../virtual/mcu/thing-program.ts'
import { startMcu } from '../virtual/mcu/wire-mcu.ts'
import { listPorts } from './flash/ports.ts'
import { openSerialLink } from './flash/serial-link.ts'
import { createUsbPlugs } from './uart-plugs.ts'
import { openRejoiningWire } from './uart/rejoining-wire.ts'
import { createUartHost } from './uart/uart-host.ts'
import type { ToUart } from './uart/uart-message.ts'

/** Serial ports that speak UART-MCP, in a process of their own (entry `uart` of base/launcher.ts). */
const parent = connectParent()
if (parent) {
  const log = createLog().child('uart')
  const usbPlugs = createUsbPlugs(listPorts)
  const host = createUartHost({
    log,
    dir: process.argv[2] ?? join(tmpdir(), `roost-uart-${process.pid}`),
    post: (message) => parent.post(message),
    openPort: (path, baud) =>
      openRejoiningWire(path, baud, {
        open: (at, speed) => openSerialLink({ path: at, baud: speed }),
        plugs: usbPlugs,
        clock: systemClock,
        log,
      }),
    playMcu: (send) =>
      createMcu({
        program: playLesson(),
        clock: systemClock,
        send,
        // The session follows the speed itself.
        setBaud: () => undefined,
        onEvent: () => undefined,
      }),
    startMcu: (model, names) =>
      startMcu(openPtyWire(), {
        program: model ? playThing(model, names) : playLesson(),
        clock: systemClock,
        onEvent: () => undefined,
      }),
  })
  parent.onMessage((message) => {
    const request = message as ToUart
    if (request.method === 'stop') void host.stop().finally(() => process.exit(0))
    else host.receive(request)
  })
}
