import koffi from 'koffi'
import { AppError } from '../../../base/app-error.ts'
import type { SphinxFiles } from './pocketsphinx-files.ts'

/** One decoder of libpocketsphinx. A wrong call order returns false; it never reaches native state. */
export interface SphinxDecoder {
  has(word: string): boolean
  addWord(word: string, phones: string): boolean
  /** Loads under a NEW name: replacing the active search by name kills the process (recipes-server-audio.md §4). */
  load(name: string, jsgf: string): boolean
  select(name: string): boolean
  unload(name: string): void
  start(): boolean
  /** 16 kHz mono. The array must own its buffer from an even offset. */
  process(pcm: Int16Array): void
  end(): void
  hypothesis(): { text: string; score: number } | undefined
  frames(): number
}
export interface SphinxLibrary {
  /** `maxHmms`: states followed a frame; fewer is faster and less exact. */
  createDecoder(options?: { maxHmms?: number }): SphinxDecoder
}

type Handle = object
type Native = (...args: unknown[]) => unknown

/** Only the child process imports this file: a fault in native code must not take the server along. */
export function openSphinxLibrary(files: SphinxFiles): SphinxLibrary {
  let call: ReturnType<typeof bind>
  try {
    call = bind(files)
  } catch (cause) {
    throw new AppError('voice-recogniser-missing', `PocketSphinx does not load from ${files.pocketsphinx}`, { cause })
  }
  return {
    createDecoder: ({ maxHmms } = {}) =>
      createDecoder(call, files, maxHmms === undefined ? [] : ['-maxhmmpf', String(maxHmms)]),
  }
}

function bind(files: SphinxFiles) {
  const base = koffi.load(files.sphinxbase)
  const sphinx = koffi.load(files.pocketsphinx)
  // koffi types a bound function as any-in, any-out; the signatures below are the contract.
  const f = (declaration: string): Native => sphinx.func(declaration)
  return {
    parseOptions: base.func(
      'void *cmd_ln_parse_r(void *inout, void *defn, int32 argc, const char **argv, int32 strict)',
    ) as Native,
    options: f('void *ps_args()'),
    init: f('void *ps_init(void *config)'),
    lookup: f('const char *ps_lookup_word(void *ps, const char *word)'),
    addWord: f('int ps_add_word(void *ps, const char *word, const char *phones, int update)'),
    setGrammar: f('int ps_set_jsgf_string(void *ps, const char *name, const char *text)'),
    setSearch: f('int ps_set_search(void *ps, const char *name)'),
    unsetSearch: f('int ps_unset_search(void *ps, const char *name)'),
    start: f('int ps_start_utt(void *ps)'),
    process: f('int ps_process_raw(void *ps, const int16 *data, size_t samples, int no_search, int full_utt)'),
    end: f('int ps_end_utt(void *ps)'),
    hypothesis: f('const char *ps_get_hyp(void *ps, _Out_ int32 *score)'),
    frames: f('int ps_get_n_frames(void *ps)'),
  }
}

function createDecoder(call: ReturnType<typeof bind>, files: SphinxFiles, more: readonly string[]): SphinxDecoder {
  // Silence and noise are cut by the voice detection before us; the library's own cut loses short commands.
  const argv = [
    'roost', '-hmm', files.model, '-dict', files.dictionary, '-logfn', '/dev/null',
    '-remove_silence', 'no', '-remove_noise', 'no', ...more,
  ] // prettier-ignore
  const config = call.parseOptions(null, call.options(), argv.length, argv, 1) as Handle | null
  const decoder = config && (call.init(config) as Handle | null)
  if (!decoder) throw new AppError('voice-recogniser-missing', `PocketSphinx cannot read its model in ${files.model}`)
  return {
    has: (word) => call.lookup(decoder, word) !== null,
    addWord: (word, phones) => Number(call.addWord(decoder, word, phones, 1)) >= 0,
    load: (name, jsgf) => call.setGrammar(decoder, name, jsgf) === 0,
    select: (name) => call.setSearch(decoder, name) === 0,
    unload: (name) => void call.unsetSearch(decoder, name),
    start: () => call.start(decoder) === 0,
    process: (pcm) => void call.process(decoder, pcm, pcm.length, 0, 0),
    end: () => void call.end(decoder),
    hypothesis() {
      const score: [number | null] = [null]
      const text = call.hypothesis(decoder, score) as string | null
      return text ? { text, score: score[0] ?? 0 } : undefined
    },
    frames: () => Number(call.frames(decoder)),
  }
}
