/** One program with its arguments; never a line for a shell. */
export interface Command {
  readonly file: string
  readonly args: readonly string[]
}

type PerSystem = Readonly<Partial<Record<NodeJS.Platform, readonly Command[]>>>

const powershell = (script: string): Command => ({
  file: 'powershell.exe',
  args: ['-NoProfile', '-NonInteractive', '-Command', script],
})

// Each gives the programs that can do it on that system, the likeliest first; none on a system that nobody knows.

/** `level` 0–100, whole. */
export function volumeCommands(platform: NodeJS.Platform, level: number): readonly Command[] {
  const presses = Math.round(level / 2)
  // Down to nothing, then up in the steps of two that the volume key makes.
  const keys = `$w=New-Object -ComObject WScript.Shell; 1..50|%{$w.SendKeys([char]174)}; if(${presses} -gt 0){1..${presses}|%{$w.SendKeys([char]175)}}`
  const programs: PerSystem = {
    linux: [
      { file: 'wpctl', args: ['set-volume', '@DEFAULT_AUDIO_SINK@', `${level}%`] },
      { file: 'pactl', args: ['set-sink-volume', '@DEFAULT_SINK@', `${level}%`] },
      { file: 'amixer', args: ['-q', 'sset', 'Master', `${level}%`] },
    ],
    darwin: [{ file: 'osascript', args: ['-e', `set volume output volume ${level}`] }],
    win32: [powershell(keys)],
  }
  return programs[platform] ?? []
}

/** What an application may be called: no path, no option, nothing that a program would read as more than a name. */
const appName = /^[\p{L}\p{N}][\p{L}\p{N} ._+]{0,59}$/u

export function isAppName(name: string): boolean {
  return appName.test(name) && !name.includes('..')
}

/** `app` has passed isAppName. */
export function openCommands(platform: NodeJS.Platform, app: string): readonly Command[] {
  const programs: PerSystem = {
    linux: [{ file: 'gtk-launch', args: [app.toLowerCase()] }],
    darwin: [{ file: 'open', args: ['-a', app] }],
    // Quotes cannot be in the name, so it stays one word of the script.
    win32: [powershell(`Start-Process -FilePath '${app}'`)],
  }
  return programs[platform] ?? []
}

/** A picture of the whole screen into `file`, an absolute path of ours that ends in .png. */
export function screenshotCommands(platform: NodeJS.Platform, file: string): readonly Command[] {
  const quoted = `'${file.replaceAll("'", "''")}'`
  const programs: PerSystem = {
    linux: [
      { file: 'gnome-screenshot', args: ['-f', file] },
      { file: 'spectacle', args: ['-b', '-n', '-o', file] },
      { file: 'grim', args: [file] },
      { file: 'import', args: ['-window', 'root', file] },
    ],
    darwin: [{ file: 'screencapture', args: ['-x', file] }],
    win32: [
      powershell(
        `Add-Type -AssemblyName System.Windows.Forms,System.Drawing; $b=[Windows.Forms.SystemInformation]::VirtualScreen; $i=New-Object Drawing.Bitmap $b.Width,$b.Height; [Drawing.Graphics]::FromImage($i).CopyFromScreen($b.Location,[Drawing.Point]::Empty,$b.Size); $i.Save(${quoted})`,
      ),
    ],
  }
  return programs[platform] ?? []
}
