import { execFile } from 'node:child_process'
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../base/app-error.ts'
import { type BuiltinTool, describe, number, text } from './builtin-tool.ts'
import { type Command, isAppName, openCommands, screenshotCommands, volumeCommands } from './computer-commands.ts'
import { told } from './spoken-forms.ts'

interface ComputerOptions {
  readonly picturesDir: string
  readonly wall: () => number
  readonly platform?: NodeJS.Platform
}

/** Off until a person switches them on, and destructive: each call waits for a yes. Never through a shell. */
export function computerTools({ platform = process.platform, ...options }: ComputerOptions): BuiltinTool[] {
  return [computerVolume(platform), openApp(platform), screenshot(platform, options)]
}

/** The first of the programs that does it. Rejects helper-computer-missing, helper-computer-failed. */
async function first(commands: readonly Command[], signal: AbortSignal): Promise<void> {
  let failure: AppError | undefined
  for (const command of commands) {
    const failed = await run(command, signal)
    if (!failed) return
    if (!isMissing(failed))
      failure ??= new AppError('helper-computer-failed', `${command.file} failed`, { cause: failed })
    if (signal.aborted) break
  }
  if (failure) throw failure
  const names = commands.map(({ file }) => file).join(', ')
  throw new AppError('helper-computer-missing', names === '' ? 'This system is not known' : `There is no ${names} here`)
}

const isMissing = (error: Error): boolean => 'code' in error && error.code === 'ENOENT'

/** What went wrong, or nothing. */
function run({ file, args }: Command, signal: AbortSignal): Promise<Error | null> {
  const options = { signal, timeout: 8_000, windowsHide: true, shell: false, maxBuffer: 64 * 1024 }
  return new Promise((resolve) => execFile(file, [...args], options, (error) => resolve(error)))
}

function computerVolume(platform: NodeJS.Platform): BuiltinTool {
  return {
    ...describe({
      name: 'computer_volume',
      description: 'Sets the volume of the computer that this server runs on.',
      danger: 'destructive',
      idempotent: true,
      timeoutMs: 20_000,
      takes: { level: { type: 'integer', minimum: 0, maximum: 100 } },
      required: ['level'],
      reply: { en: 'The computer is at {spoken_en} percent.', zh: '电脑音量是{spoken_zh}。' },
      en: [
        'set computer volume to {level} [percent]',
        '(set | turn | change) volume of computer to {level} [percent]',
        '(turn | change | put) computer volume (to | up to | down to) {level} [percent]',
        'computer volume [to] {level} [percent]',
        '(set | turn) pc volume to {level} [percent]',
        'make computer volume {level} [percent]',
      ],
      zh: [
        '[把 | 将] 电脑 [的] 音量 (调到 | 设为 | 调成 | 设成 | 设置为) {level}',
        '(设置 | 调整) 电脑 [的] 音量 (为 | 到) {level}',
        '电脑 [的] 音量 {level}',
        '电脑 [的] 声音 (调到 | 设为 | 调成) {level}',
        '(让 | 把) 电脑 [的] 声音 (变成 | 调到) {level}',
      ],
    }),
    startsOff: true,
    async run(args, { signal }) {
      const level = Math.round(Math.min(100, Math.max(0, number(args, 'level') ?? 0)))
      await first(volumeCommands(platform, level), signal)
      return told({ en: String(level), zh: String(level) })
    },
  }
}

function openApp(platform: NodeJS.Platform): BuiltinTool {
  return {
    ...describe({
      name: 'computer_open_app',
      description: 'Opens an application on the computer that this server runs on.',
      danger: 'destructive',
      timeoutMs: 20_000,
      takes: { app: { type: 'string', minLength: 1, maxLength: 60 } },
      required: ['app'],
      reply: { en: '{app} is opening.', zh: '正在打开{app}。' },
      en: [
        '(open | start | launch) {app} on computer',
        '(open | start | launch) (app | application | program) {app}',
        '(open | start | launch | run) {app} on pc',
        'computer (open | start | launch) {app}',
        '(run | open) {app} (app | application | program) [on computer]',
      ],
      zh: [
        '(在 | 用) 电脑 [上] (打开 | 启动 | 运行) {app}',
        '(打开 | 启动 | 运行) 电脑 [上] [的] {app}',
        '电脑 (打开 | 启动 | 运行) {app}',
        '(打开 | 启动 | 运行) (应用 | 程序 | 软件) {app}',
        '让电脑 (打开 | 启动) {app}',
      ],
    }),
    startsOff: true,
    async run(args, { signal }) {
      const app = text(args, 'app') ?? ''
      if (!isAppName(app)) throw new AppError('tool-bad-arguments', 'That is no name of an application')
      await first(openCommands(platform, app), signal)
      return told({ en: app, zh: app })
    },
  }
}

function screenshot(platform: NodeJS.Platform, { picturesDir, wall }: Omit<ComputerOptions, 'platform'>): BuiltinTool {
  return {
    ...describe({
      name: 'computer_screenshot',
      description: 'Keeps a picture of the screen of the computer that this server runs on, in its data directory.',
      danger: 'destructive',
      timeoutMs: 20_000,
      gives: { file: { type: 'string' } },
      reply: { en: 'The screenshot is kept.', zh: '截图已保存。' },
      en: [
        'take screenshot',
        '(make | take) screenshot of computer',
        '(make | capture | save | get) screenshot',
        '(capture | photograph) [computer] screen',
        'screenshot [now]',
        'take picture of (screen | computer)',
      ],
      zh: [
        '(截图 | 截屏)',
        '[给] 电脑 (截图 | 截屏 | 截个图 | 截个屏)',
        '(截 | 来) [个 | 一个 | 一张] (图 | 屏 | 截图)',
        '(保存 | 拍) [电脑] (屏幕 | 截图)',
        '把 (屏幕 | 电脑屏幕) (截下来 | 拍下来 | 截图)',
        '(给 | 把) 屏幕 (截图 | 截屏)',
      ],
    }),
    startsOff: true,
    async run(_args, { signal }) {
      await mkdir(picturesDir, { recursive: true, mode: 0o700 })
      const file = join(picturesDir, `screen-${new Date(wall()).toISOString().replace(/[:.]/g, '-')}.png`)
      await first(screenshotCommands(platform, file), signal)
      // Some of these programs end well without a picture, when nobody is logged in.
      const kept = await stat(file).catch(() => undefined)
      if (!kept?.size) throw new AppError('helper-computer-failed', 'There is no picture of the screen')
      return { file, ...told({ en: 'ok', zh: 'ok' }) }
    },
  }
}
