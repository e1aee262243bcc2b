import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isAppName, openCommands, screenshotCommands, volumeCommands } from './computer-commands.ts'
import { computerTools } from './computer-tools.ts'

const call = {
  deviceId: 'b',
  language: 'en',
  signal: new AbortController().signal,
  caller: { kind: 'person', id: 'ada' },
} as const

/** A folder that is the whole PATH, where programs write down how they were called. */
async function bareComputer() {
  const dir = await mkdtemp(join(tmpdir(), 'roost-computer-'))
  const path = process.env['PATH']
  process.env['PATH'] = dir
  onTestFinished(async () => {
    process.env['PATH'] = path
    await rm(dir, { recursive: true })
  })
  const log = join(dir, 'calls')
  return {
    dir,
    async program(name: string, { exit = 0, draws = false }: { exit?: number; draws?: boolean } = {}) {
      const lines = [
        '#!/bin/sh',
        `printf '%s' ${name} >> '${log}'; for one; do printf '|%s' "$one" >> '${log}'; done; printf '\\n' >> '${log}'`,
        // The last argument is the file.
        draws ? 'for one; do :; done; printf PNG > "$one"' : ':',
        `exit ${exit}`,
      ]
      await writeFile(join(dir, name), lines.join('\n'))
      await chmod(join(dir, name), 0o755)
    },
    calls: async () => (await readFile(log, 'utf8').catch(() => '')).split('\n').filter((line) => line !== ''),
  }
}

function ask(dir: string, tool: string, args: Record<string, unknown>) {
  const [name, platform = 'linux'] = tool.split('@') as [string, NodeJS.Platform?]
  const tools = computerTools({ picturesDir: join(dir, 'pictures'), wall: () => 0, platform })
  return (tools.find((tool) => tool.name === name) ?? expect.fail(name)).run(args, call)
}

test('all of them start switched off and are destructive', () => {
  const tools = computerTools({ picturesDir: '/nowhere', wall: () => 0 })
  expect(tools.map(({ startsOff, content }) => [startsOff, content.danger])).toEqual(
    tools.map(() => [true, 'destructive']),
  )
})

test('the volume is set by the first program that is there and works', async () => {
  const computer = await bareComputer()
  await computer.program('pactl', { exit: 1 })
  await computer.program('amixer')
  expect(await ask(computer.dir, 'computer_volume', { level: 30 })).toMatchObject({ spoken_en: '30' })
  expect(await computer.calls()).toEqual(['pactl|set-sink-volume|@DEFAULT_SINK@|30%', 'amixer|-q|sset|Master|30%'])
})

test('an application is opened by its name as one word', async () => {
  const computer = await bareComputer()
  await computer.program('gtk-launch')
  expect(await ask(computer.dir, 'computer_open_app', { app: 'Text Editor' })).toMatchObject({
    spoken_en: 'Text Editor',
  })
  expect(await computer.calls()).toEqual(['gtk-launch|text editor'])
  for (const app of ['../evil', '/bin/sh', '-h', '--help', 'a;b', 'a$(b)', "a'b", 'a"b', 'a|b', 'a\nb', 'a..b', '`id`'])
    await expect(ask(computer.dir, 'computer_open_app', { app })).rejects.toMatchObject({ code: 'tool-bad-arguments' })
  expect(await computer.calls()).toHaveLength(1)
})

test('a picture of the screen is kept in a private folder, and one that is not there is no success', async () => {
  const computer = await bareComputer()
  await computer.program('gnome-screenshot', { exit: 1 })
  await computer.program('grim', { draws: true })
  const { file } = await ask(computer.dir, 'computer_screenshot', {})
  expect(file).toBe(join(computer.dir, 'pictures', 'screen-1970-01-01T00-00-00-000Z.png'))
  expect(await readFile(String(file), 'utf8')).toBe('PNG')
  expect((await stat(join(computer.dir, 'pictures'))).mode & 0o777).toBe(0o700)
  await rm(String(file))
  await computer.program('grim')
  await expect(ask(computer.dir, 'computer_screenshot', {})).rejects.toMatchObject({
    code: 'helper-computer-failed',
    message: 'There is no picture of the screen',
  })
})

test('what is missing is named, and what is there but fails, too', async () => {
  const computer = await bareComputer()
  await expect(ask(computer.dir, 'computer_volume', { level: 1 })).rejects.toMatchObject({
    code: 'helper-computer-missing',
    message: 'There is no wpctl, pactl, amixer here',
  })
  await expect(ask(computer.dir, 'computer_volume@aix', { level: 1 })).rejects.toMatchObject({
    code: 'helper-computer-missing',
    message: 'This system is not known',
  })
  await computer.program('pactl', { exit: 3 })
  await expect(ask(computer.dir, 'computer_volume', { level: 1 })).rejects.toMatchObject({
    code: 'helper-computer-failed',
    message: 'pactl failed',
  })
})

test('macOS and Windows are asked by programs that each of them has', async () => {
  const computer = await bareComputer()
  for (const name of ['osascript', 'open', 'powershell.exe']) await computer.program(name)
  for (const platform of ['darwin', 'win32'] as const) {
    await ask(computer.dir, `computer_volume@${platform}`, { level: 51 })
    await ask(computer.dir, `computer_open_app@${platform}`, { app: 'Notes' })
  }
  const script = 'powershell.exe|-NoProfile|-NonInteractive|-Command|'
  expect(await computer.calls()).toEqual([
    'osascript|-e|set volume output volume 51',
    'open|-a|Notes',
    `${script}$w=New-Object -ComObject WScript.Shell; 1..50|%{$w.SendKeys([char]174)}; if(26 -gt 0){1..26|%{$w.SendKeys([char]175)}}`,
    `${script}Start-Process -FilePath 'Notes'`,
  ])
  expect(screenshotCommands('darwin', '/p/a.png')).toEqual([{ file: 'screencapture', args: ['-x', '/p/a.png'] }])
  const [windows] = screenshotCommands('win32', "C:\\O'Neil\\a.png")
  expect(windows?.args.at(-1)).toContain("$i.Save('C:\\O''Neil\\a.png')")
  expect(volumeCommands('win32', 0)[0]?.args.at(-1)).toContain('if(0 -gt 0)')
  expect(openCommands('freebsd', 'x')).toEqual([])
  expect(isAppName('文本编辑器')).toBe(true)
})
