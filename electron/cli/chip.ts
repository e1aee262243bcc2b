import { createInterface } from 'node:readline'
import { AppError } from '../base/app-error.ts'
import { startBoardProgram } from '../virtual/board/board-program.ts'
import { parseFlashSize, parseMac } from '../virtual/chip/chip-options.ts'
import { createVirtualChip, type VirtualChip } from '../virtual/chip/chip.ts'
import { faultHelp, parseFault } from '../virtual/chip/faults.ts'
import { openChipOnPty, type PtyChip, type PtyEvent } from '../virtual/chip/pty-chip.ts'
import type { Command, CommandIo } from './command.ts'
import { readOptions } from './options.ts'

const faultRows = faultHelp.map(([spec, meaning]) => `  ${spec.padEnd(22)}${meaning}`).join('\n')

const help = `Usage: roost chip [options]

A virtual ESP32-S3 on a pseudo-terminal. Flashers open its port like a serial port. A PTY has no reset lines: the chip
starts in download mode, and the commands that reboot or run user code boot what is in its flash.

  --pty            on a pseudo-terminal (the only way, and the default)
  --mac M          its MAC address (default 7c:df:a1:e0:12:34)
  --flash SIZE     1MB to 64MB (default 16MB)
  --state DIR      keeps the flash in DIR/flash.bin
  --boot-to-board  firmware "roost-virtual" with settings in its NVS becomes a virtual board
  --fault SPEC     repeatable:
${faultRows}

Lines on standard input stand for fingers and cable: download (BOOT held, RESET pressed), reset, unplug, plug.
Prints {"ready":true,"port":…} first, then JSON lines {"event":…}. SIGTERM and Ctrl-C end it.
`

const options = {
  pty: { type: 'boolean' },
  mac: { type: 'string' },
  flash: { type: 'string' },
  state: { type: 'string' },
  fault: { type: 'string', multiple: true },
  'boot-to-board': { type: 'boolean' },
  json: { type: 'boolean' },
} as const

export const chipCommand: Command = {
  name: 'chip',
  summary: 'a virtual ESP32-S3 on a serial port',
  help,
  async run(args, io) {
    const { values } = readOptions({ args: [...args], options })
    const print = (line: object) => io.stdout(`${JSON.stringify(line)}\n`)
    // Nothing is printed before the ready line; what happened earlier comes right after it.
    let early: PtyEvent[] | undefined = []
    const ended = Promise.withResolvers<number>()
    const tell = (event: PtyEvent) => {
      if (early) early.push(event)
      else print(event)
      if (event.event === 'failed') {
        io.stderr(`roost chip: ${event.message}\n`)
        ended.resolve(1)
      }
    }
    const faults = (values.fault ?? []).map(parseFault)
    const chip = createVirtualChip({
      ...(values.mac === undefined ? {} : { mac: parseMac(values.mac) }),
      ...(values.flash === undefined ? {} : { flashBytes: parseFlashSize(values.flash) }),
      ...(values.state === undefined ? {} : { stateDir: values.state }),
      faults,
      startIn: 'download',
      ...(values['boot-to-board'] ? { boardProgram: { start: (context) => startBoardProgram(context) } } : {}),
      onEvent: tell,
    })
    const port = await openOrClose(chip, tell)
    print({ ready: true, port: port.port })
    for (const event of early) print(event)
    early = undefined
    const release = followInput(io, { chip, port })
    if (io.signal.aborted) ended.resolve(0)
    io.signal.addEventListener('abort', () => ended.resolve(0), { once: true })
    const code = await ended.promise
    release()
    await port.close()
    return code
  },
}

async function openOrClose(chip: VirtualChip, tell: (event: PtyEvent) => void): Promise<PtyChip> {
  try {
    return openChipOnPty(chip, tell)
  } catch (error) {
    await chip.close()
    throw error
  }
}

function followInput(io: CommandIo, { chip, port }: { chip: VirtualChip; port: PtyChip }): () => void {
  const lines = createInterface({ input: io.stdin })
  lines.on('line', (line) => {
    const word = line.trim()
    try {
      if (word === 'download') chip.pressReset(true)
      else if (word === 'reset') chip.pressReset()
      else if (word === 'unplug') port.unplug()
      else if (word === 'plug') port.plug()
      else if (word !== '') io.stderr(`roost chip: no line "${word}"; download, reset, unplug and plug are known\n`)
    } catch (error) {
      io.stderr(`roost chip: ${error instanceof AppError ? error.message : String(error)}\n`)
    }
  })
  return () => lines.close()
}
