/** The machine's own Chromium (apt), kept from talking to anybody: no browser is downloaded. */
export const chromiumPath = '/usr/bin/chromium'

/** As root Chromium refuses its sandbox; the rest is what it would otherwise do by itself (stack.md §3). */
export function chromiumArgs(): string[] {
  return [
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ]
}
