import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../base/app-error.ts'
import { type BuiltinTool, describe, number, text } from './builtin-tool.ts'
import { told } from './spoken-forms.ts'

interface Command {
  readonly file: string
  readonly args: readonly string[]
}
type PerSystem = Readonly<Partial<Record<NodeJS.Platform, readonly Command[]>>>

/** Off until a person switches them on, and destructive: each call waits for a yes. Never through a shell. */
export function computerTools(options: {
  readonly picturesDir: string
  readonly wall: () => number
  readonly platform?: NodeJS.Platform
  readonly run?: (command: Command, signal: AbortSignal) => Promise<void>
}): BuiltinTool[] {
  const { platform = process.platform, run = runCommand } = options
  async function first(commands: PerSystem, signal: AbortSignal): Promise<void> {
    let failure: unknown
    for (const command of commands[platform] ?? []) {
      try {
        return await run(command, signal)
      } catch (error) {
        failure = error
      }
    }
    throw new AppError('helper-computer-failed', `No program of this computer did that`, { cause: failure })
  }
  return [computerVolume(first), openApp(first), screenshot(first, options)]
}

type First = (commands: PerSystem, signal: AbortSignal) => Promise<void>

function runCommand({ file, args }: Command, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(
      file,
      [...args],
      { signal, timeout: 8_000, windowsHide: true, shell: false, maxBuffer: 64 * 1024 },
      (error) =>
        error ? reject(new AppError('helper-computer-failed', `${file} failed`, { cause: error })) : resolve(),
    )
  })
}

const powershell = (script: string): Command => ({
  file: 'powershell.exe',
  args: ['-NoProfile', '-NonInteractive', '-Command', script],
})

function computerVolume(first: First): BuiltinTool {
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
      const presses = Math.round(level / 2)
      await first(
        {
          linux: [
            { file: 'wpctl', args: ['set-volume', '@DEFAULT_AUDIO_SINK@', `${level}%`] },
            { file: 'pactl', args: ['set-sink-volume', '@DEFAULT_SINK@', `${level}%`] },
            { file: 'amixer', args: ['-q', 'sset', 'Master', `${level}%`] },
          ],
          darwin: [{ file: 'osascript', args: ['-e', `set volume output volume ${level}`] }],
          // Down to nothing, then up in the steps of two that the volume key makes.
          win32: [
            powershell(
              `$w=New-Object -ComObject WScript.Shell; 1..50|%{$w.SendKeys([char]174)}; if(${presses} -gt 0){1..${presses}|%{$w.SendKeys([char]175)}}`,
            ),
          ],
        },
        signal,
      )
      return told({ en: String(level), zh: String(level) })
    },
  }
}

/** What an application may be called: no path, no option, nothing that a program would read as more than a name. */
const appName = /^[\p{L}\p{N}][\p{L}\p{N} ._+]{0,59}$/u

function openApp(first: First): BuiltinTool {
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
      if (!appName.test(app) || app.includes('..'))
        throw new AppError('tool-bad-arguments', 'That is no name of an application')
      await first(
        {
          linux: [{ file: 'gtk-launch', args: [app.toLowerCase()] }],
          darwin: [{ file: 'open', args: ['-a', app] }],
          // Quotes cannot be in the name, so it stays one word of the script.
          win32: [powershell(`Start-Process -FilePath '${app}'`)],
        },
        signal,
      )
      return told({ en: app, zh: app })
    },
  }
}

function screenshot(first: First, { picturesDir, wall }: { picturesDir: string; wall: () => number }): BuiltinTool {
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
      ],
      zh: [
        '(截图 | 截屏)',
        '[给] 电脑 (截图 | 截屏 | 截个图 | 截个屏)',
        '(截 | 来) [个 | 一个 | 一张] (图 | 屏 | 截图)',
        '(保存 | 拍) [电脑] (屏幕 | 截图)',
        '把 (屏幕 | 电脑屏幕) (截下来 | 拍下来 | 截图)',
      ],
    }),
    startsOff: true,
    async run(_args, { signal }) {
      await mkdir(picturesDir, { recursive: true, mode: 0o700 })
      const file = join(picturesDir, `screen-${new Date(wall()).toISOString().replace(/[:.]/g, '-')}.png`)
      await first(
        {
          linux: [
            { file: 'gnome-screenshot', args: ['-f', file] },
            { file: 'spectacle', args: ['-b', '-n', '-o', file] },
            { file: 'grim', args: [file] },
            { file: 'import', args: ['-window', 'root', file] },
          ],
          darwin: [{ file: 'screencapture', args: ['-x', file] }],
          win32: [
            powershell(
              `Add-Type -AssemblyName System.Windows.Forms,System.Drawing; $b=[Windows.Forms.SystemInformation]::VirtualScreen; $i=New-Object Drawing.Bitmap $b.Width,$b.Height; [Drawing.Graphics]::FromImage($i).CopyFromScreen($b.Location,[Drawing.Point]::Empty,$b.Size); $i.Save('${file.replaceAll("'", "''")}')`,
            ),
          ],
        },
        signal,
      )
      return { file, ...told({ en: 'ok', zh: 'ok' }) }
    },
  }
}
