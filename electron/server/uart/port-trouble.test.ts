import { expect, test } from 'vitest'
import { errorText } from '../../contract/errors.ts'
import { portTrouble } from './port-trouble.ts'

test('what happens to a port of a microcontroller is told without a word about flashing', () => {
  for (const code of ['flash-unplugged', 'flash-port-not-found', 'flash-port-busy', 'flash-no-permission'] as const) {
    expect(portTrouble(code)).toMatch(/^uart-/)
    for (const language of ['en', 'zh-CN'] as const) {
      const { headline, next } = errorText(portTrouble(code), language)
      expect(`${headline} ${next}`).not.toMatch(/flash|lane|烧录/i)
    }
  }
  expect(portTrouble('uart-port-open')).toBe('uart-port-open')
})
