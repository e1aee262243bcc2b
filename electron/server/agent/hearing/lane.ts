import { AppError } from '../../../base/app-error.ts'
import { maxUtteranceSamples } from './asr-messages.ts'
import { phones } from './letters.ts'
import type { SphinxDecoder, SphinxLibrary } from './pocketsphinx-library.ts'

/** Loop score minus grammar score per frame above which speech was no command (recipes-server-audio.md §4: 1–4.6 alike). */
const rejectAbove = 4.5
/** Halves the loop's work; on 26 commands and 32 chat lines it decided as the full search did. */
const loopHmms = 60
/** Clear commands lie at a gap of −7 … −10: there the confidence reaches 1. */
const sureBelow = 9
const keptGrammars = 4

export interface HeardText {
  readonly text: string
  readonly confidence: number
  readonly rejected?: string
}

export interface UtteranceStart {
  readonly hash: string
  readonly grammar: string
  readonly spelled: ReadonlyMap<string, string>
}

/** Two decoders that hear one utterance at a time: the command grammar, and a free loop of phones to compare it with. */
export interface Lane {
  knows(word: string): boolean
  start(utterance: UtteranceStart): void
  /** Returns the words so far. Samples beyond 30 s are dropped. */
  hear(pcm: Int16Array): string
  finish(): HeardText
  drop(): void
  swaps(): number
}

export function createLane(library: SphinxLibrary): Lane {
  const commands = library.createDecoder()
  const loop = createPhoneLoop(library)
  const grammars = createGrammarShelf(commands)
  let samples = 0
  let isOpen = false

  function close(): void {
    if (!isOpen) return
    isOpen = false
    commands.end()
    loop.end()
  }
  return {
    knows: (word) => commands.has(word),
    start(utterance) {
      close()
      grammars.select(utterance)
      samples = 0
      if (!commands.start() || !loop.start()) throw stopped('The recogniser could not start an utterance')
      isOpen = true
    },
    hear(pcm) {
      const piece = pcm.subarray(0, Math.max(0, maxUtteranceSamples - samples))
      samples += piece.length
      if (isOpen && piece.length > 0) {
        commands.process(piece)
        loop.process(piece)
      }
      return commands.hypothesis()?.text ?? ''
    },
    finish() {
      close()
      return judge(commands, loop)
    },
    drop: close,
    swaps: grammars.swaps,
  }
}

const stopped = (why: string): AppError => new AppError('voice-recogniser-stopped', why)

/** The last few grammars stay loaded: choosing between them costs nothing, loading one leaks. */
function createGrammarShelf(commands: SphinxDecoder): { select(utterance: UtteranceStart): void; swaps: () => number } {
  const loaded: string[] = []
  const spelledDone = new Set<string>()
  let swaps = 0
  function addSpelled(spelled: ReadonlyMap<string, string>): void {
    for (const [word, sound] of spelled) {
      if (spelledDone.has(word)) continue
      spelledDone.add(word)
      // "led" is a word of its own; "led(2)" is its second pronunciation.
      commands.addWord(commands.has(word) ? `${word}(2)` : word, sound)
    }
  }
  return {
    swaps: () => swaps,
    select({ hash, grammar, spelled }) {
      const name = `g${hash}`
      if (!loaded.includes(name)) {
        addSpelled(spelled)
        if (!commands.load(name, grammar)) throw stopped('The recogniser refused the command grammar')
        swaps++
        loaded.push(name)
      }
      if (!commands.select(name)) throw stopped('The recogniser could not change its grammar')
      // Only now is the old search inactive; unloading an active one kills the process.
      const oldest = loaded.length > keptGrammars ? loaded.find((other) => other !== name) : undefined
      if (oldest === undefined) return
      commands.unload(oldest)
      loaded.splice(loaded.indexOf(oldest), 1)
    },
  }
}

function createPhoneLoop(library: SphinxLibrary): SphinxDecoder {
  const decoder = library.createDecoder({ maxHmms: loopHmms })
  const words = phones.map((phone) => `ph_${phone.toLowerCase()}`)
  for (const [at, phone] of phones.entries()) decoder.addWord(words[at] ?? '', phone)
  const text = `#JSGF V1.0;\ngrammar loop;\npublic <loop> = ( ${words.join(' | ')} ) +;\n`
  if (!decoder.load('loop', text) || !decoder.select('loop'))
    throw new AppError(
      'voice-recogniser-missing',
      'PocketSphinx does not take the phone loop: its model is not the English one',
    )
  return decoder
}

/** The grammar hears a command in anything, so its score is held against what any speech sounds like. */
function judge(commands: SphinxDecoder, loop: SphinxDecoder): HeardText {
  const command = commands.hypothesis()
  if (!command) return { text: '', confidence: 0 }
  const free = loop.hypothesis()
  const frames = Math.max(1, commands.frames())
  const gap = free ? (free.score - command.score) / frames : 0
  const confidence = Math.round(Math.min(1, Math.max(0, (rejectAbove - gap) / (rejectAbove + sureBelow))) * 100) / 100
  if (gap > rejectAbove) return { text: '', confidence, rejected: command.text }
  return { text: command.text, confidence }
}
