import { createLog } from '../base/log.ts'
import { connectParent } from '../base/parent-port.ts'
import { createFlasherHost } from './flash/flasher-host.ts'
import type { ToFlasher } from './flash/flasher-message.ts'

/** Serial ports and their lanes in a process of their own (entry `flasher` of base/launcher.ts). */
const parent = connectParent()
if (parent) {
  const log = createLog().child('flasher')
  const host = createFlasherHost((message) => parent.post(message), log)
  parent.onMessage((message) => {
    const request = message as ToFlasher
    if (request.type === 'stop') void host.stop().finally(() => process.exit(0))
    else host.receive(request)
  })
}
