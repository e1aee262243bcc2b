import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { AppError } from '../base/app-error.ts'
import { resourceUrl } from '../base/entries.ts'
import type { Command } from './command.ts'
import { readOptions } from './options.ts'

const help = `Usage: roost bench NAME [--json]

  codec   Opus beside native libopus, CPU time a frame
  loop    13 spoken commands through everything, times and CPU
  flash   host CPU a MiB over a PTY, and pacing against the wire
  fleet   30 boards, 5 talking, alone and while 4 lanes flash (15 minutes)
  tools   cost of a call, of finding a tool, and calls beside sound (6 minutes)
  start   time to ready, memory, size of the console's first route

Comes with the source: the installed app has no benchmarks.
`

const names = ['codec', 'loop', 'flash', 'fleet', 'tools', 'start']

export const benchCommand: Command = {
  name: 'bench',
  summary: 'measure this machine',
  help,
  async run(args, io) {
    const { values, positionals } = readOptions({
      args: [...args],
      options: { json: { type: 'boolean' } },
      allowPositionals: true,
    })
    const name = positionals[0]
    if (positionals.length !== 1 || name === undefined || !names.includes(name)) {
      throw new AppError('server-bad-usage', `One benchmark of ${names.join(', ')} is needed`)
    }
    const runner = fileURLToPath(resourceUrl('../test/bench/run.ts'))
    if (!existsSync(runner)) throw new AppError('server-not-found', 'Benchmarks come with the source of Roost')
    const text = await output(runner, name, io.signal)
    io.stdout(values.json ? `${text.trim()}\n` : table(text))
    return 0
  },
}

function output(runner: string, name: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--expose-gc', runner, name], {
      stdio: ['ignore', 'pipe', 'inherit'],
      signal,
    })
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')))
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve(text)
      else reject(new AppError('server-internal', `The benchmark "${name}" ended with ${code}`))
    })
  })
}

function table(text: string): string {
  const { name, figures, machine } = JSON.parse(text) as { name: string; figures: object; machine: object }
  const rows = (values: object) => Object.entries(values).map(([key, value]) => `  ${key.padEnd(46)}${String(value)}\n`)
  return `${name}\n${rows(figures).join('')}machine\n${rows(machine).join('')}`
}
