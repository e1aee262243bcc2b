import { errorText, isErrorCode } from '../contract/errors.ts'
import type { PortInfo } from '../contract/flash.ts'
import { listPorts } from '../server/flash/ports.ts'
import type { Command } from './command.ts'
import { readOptions } from './options.ts'

const help = `Usage: roost ports [--json]

Serial ports with USB ids, serial number, hub path, and why one cannot be used.
`

export const portsCommand: Command = {
  name: 'ports',
  summary: 'serial ports, and why one cannot be used',
  help,
  async run(args, io) {
    const { values } = readOptions({ args: [...args], options: { json: { type: 'boolean' } } })
    const ports = await listPorts()
    if (values.json) io.stdout(`${JSON.stringify(ports)}\n`)
    else io.stdout(ports.length === 0 ? 'No serial ports.\n' : ports.map(rowOf).join(''))
    return 0
  },
}

function rowOf(port: PortInfo): string {
  const usb = port.vendorId === null ? '' : `${port.vendorId}:${port.productId ?? ''}`
  const facts = [usb, port.serialNumber ?? '', port.hubPath ?? ''].filter((fact) => fact !== '').join('  ')
  const why = port.reason !== null && isErrorCode(port.reason) ? `  ${errorText(port.reason, 'en').headline}` : ''
  return `${port.path}  ${facts}${why}\n`
}
