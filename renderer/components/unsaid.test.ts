import { expect, test } from 'vitest'
import { unsaidKey } from './unsaid.ts'

test('a turn that runs is listened to, and only one that ended was silent', () => {
  expect(unsaidKey('running')).toBe('turn.nothingYet')
  expect(unsaidKey('aborted')).toBe('turn.nothingSaid')
  expect(unsaidKey('failed')).toBe('turn.nothingSaid')
  expect(unsaidKey('mute')).toBe('turn.noSpeech')
})
