import type { IconName } from './icon-paths.ts'

/** One row of the palette: an object to open or a verb to do. `words` are further names, in the other language too. */
export interface Command {
  readonly id: string
  readonly title: string
  readonly hint: string
  readonly icon: IconName
  readonly words: readonly string[]
  readonly run: () => void
}

/** Every word of the query must occur; a title that starts with it comes first. Order is kept among equals. */
export function rankCommands(commands: readonly Command[], query: string): readonly Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return commands
  return commands
    .map((command) => ({ command, score: scoreOf(command, words) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .map(({ command }) => command)
}

function scoreOf(command: Command, words: readonly string[]): number {
  const title = command.title.toLowerCase()
  const all = [title, ...command.words.map((word) => word.toLowerCase())]
  let score = 0
  for (const word of words) {
    if (title.startsWith(word)) score += 3
    else if (title.includes(word)) score += 2
    else if (all.some((text) => text.includes(word))) score += 1
    else return 0
  }
  return score
}
