import { expect, test } from 'vitest'
import { consentAnswer } from './spoken-consent.ts'

test.each(['Yes, do it.', 'yes', 'Confirm!', 'I confirm', 'Go ahead', '确认执行', '是的。', '同意！', 'Yes, I’m sure'])(
  '“%s” is a yes',
  (text) => {
    expect(consentAnswer(text)).toBe(true)
  },
)

test.each(['no', 'No, don’t.', 'Cancel', '不要', '算了。', '取消'])('“%s” is a no', (text) => {
  expect(consentAnswer(text)).toBe(false)
})

test.each([
  'yes but only the lamp',
  'do it tomorrow',
  'confirm what?',
  '确认一下时间',
  '',
  'is it on',
  'yes yes yes turn on the lamp',
])('“%s” is neither', (text) => {
  expect(consentAnswer(text)).toBeUndefined()
})
