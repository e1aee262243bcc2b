import type { TurnStatus } from '../../electron/contract/conversation.ts'

/** What stands in place of a person's words, as a key: a turn that still runs may yet be spoken to. */
export function unsaidKey(status: TurnStatus): 'turn.nothingYet' | 'turn.nothingSaid' | 'turn.noSpeech' {
  if (status === 'running') return 'turn.nothingYet'
  return status === 'aborted' || status === 'failed' ? 'turn.nothingSaid' : 'turn.noSpeech'
}
