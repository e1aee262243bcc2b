/** Where an utterance begins and ends, on the audio's own clock: counted in windows, never in wall time (voice.md §9). */
export interface EndpointSettings {
  /** Length of one window in ms. */
  readonly windowMs: number
  /** Speech begins at or above this probability … */
  readonly startThreshold: number
  /** … and silence begins below this one. */
  readonly stopThreshold: number
  /** So much speech makes an utterance; less is a click. */
  readonly minSpeechMs: number
  /** So much silence ends it. */
  readonly hangoverMs: number
  readonly maxUtteranceMs: number
  /** Waiting without any speech ends after this. */
  readonly noSpeechMs: number
}

export const endpointDefaults: EndpointSettings = {
  windowMs: 32,
  startThreshold: 0.5,
  stopThreshold: 0.35,
  minSpeechMs: 96,
  hangoverMs: 480,
  maxUtteranceMs: 30_000,
  noSpeechMs: 10_000,
}

export interface EndpointEvent {
  readonly type: 'speech_start' | 'speech_end' | 'no_speech' | 'too_long'
  /** When it was decided: ms of audio since the stream was opened or reset. */
  readonly atMs: number
  /** When the speech began. */
  readonly startedAtMs?: number
  /** When the silence after it began. */
  readonly endedAtMs?: number
}

/** `atMs` is the end of the last window. After an end, a cut or a time-out the machine is over until it begins anew. */
export type EndpointState =
  | {
      readonly at: 'waiting'
      readonly atMs: number
      readonly hangoverMs: number
      readonly speechMs: number
      readonly since: number
    }
  | {
      readonly at: 'speaking'
      readonly atMs: number
      readonly hangoverMs: number
      readonly startedAtMs: number
      readonly silentSince: number | undefined
    }
  | { readonly at: 'over'; readonly atMs: number }

export type EndpointInput =
  | { readonly type: 'window'; readonly probability: number }
  /** A shorter or longer wait from now on: short when the text so far is a whole command already. */
  | { readonly type: 'hangover'; readonly ms: number }

export type EndpointStep = readonly [EndpointState, EndpointEvent?]

export function beginEndpoint(settings: EndpointSettings): EndpointState {
  return { at: 'waiting', atMs: 0, hangoverMs: settings.hangoverMs, speechMs: 0, since: 0 }
}

export function stepEndpoint(state: EndpointState, input: EndpointInput, settings: EndpointSettings): EndpointStep {
  if (state.at === 'over') return [state]
  if (input.type === 'hangover') return judge({ ...state, hangoverMs: input.ms }, settings)
  const { probability } = input
  const atMs = state.atMs + settings.windowMs
  if (state.at === 'waiting') {
    if (probability >= settings.startThreshold) {
      const since = state.speechMs === 0 ? state.atMs : state.since
      return judge({ ...state, atMs, since, speechMs: state.speechMs + settings.windowMs }, settings)
    }
    // Between the thresholds a beginning is neither helped nor ended.
    return judge({ ...state, atMs, speechMs: probability < settings.stopThreshold ? 0 : state.speechMs }, settings)
  }
  if (probability >= settings.startThreshold) return judge({ ...state, atMs, silentSince: undefined }, settings)
  const silent = probability < settings.stopThreshold
  return judge({ ...state, atMs, silentSince: state.silentSince ?? (silent ? state.atMs : undefined) }, settings)
}

function judge(state: Exclude<EndpointState, { at: 'over' }>, settings: EndpointSettings): EndpointStep {
  const { atMs, hangoverMs } = state
  if (state.at === 'waiting') {
    if (state.speechMs >= settings.minSpeechMs) {
      const startedAtMs = state.since
      return [
        { at: 'speaking', atMs, hangoverMs, startedAtMs, silentSince: undefined },
        { type: 'speech_start', atMs, startedAtMs },
      ]
    }
    if (state.speechMs === 0 && atMs >= settings.noSpeechMs)
      return [
        { at: 'over', atMs },
        { type: 'no_speech', atMs },
      ]
    return [state]
  }
  const { startedAtMs, silentSince } = state
  if (silentSince !== undefined && atMs - silentSince >= hangoverMs) {
    return [
      { at: 'over', atMs },
      { type: 'speech_end', atMs, startedAtMs, endedAtMs: silentSince },
    ]
  }
  if (atMs - startedAtMs >= settings.maxUtteranceMs) {
    return [
      { at: 'over', atMs },
      { type: 'too_long', atMs, startedAtMs },
    ]
  }
  return [state]
}
