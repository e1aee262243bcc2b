/** The one place of the command line that reads the environment; commands get it by `CommandIo`. */
export function environment(): Readonly<Record<string, string | undefined>> {
  return { ...process.env }
}
