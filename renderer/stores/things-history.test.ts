import { expect, test } from 'vitest'
import type { ThingModel } from '../../electron/contract/thing.ts'
import { noHistory, recorded, redone, undone } from './things-history.ts'

// Steps only pass models on, so a name stands for a whole model.
const model = (description: string) => ({ description }) as ThingModel

test('typing into one field is one step, another field is the next', () => {
  const typed = recorded(recorded(noHistory, model('a'), { tag: 'title', at: 0 }), model('ab'), {
    tag: 'title',
    at: 300,
  })
  const both = recorded(typed, model('abc'), { tag: 'name', at: 400 })

  expect(typed.past).toEqual([model('a')])
  expect(both.past).toEqual([model('a'), model('abc')])
  expect(undone(both, model('abcd'))?.model).toEqual(model('abc'))
})

test('what was taken back comes again, until something new is done', () => {
  const one = recorded(noHistory, model('a'), { tag: '', at: 0 })
  const back = undone(one, model('b'))

  expect(back?.model).toEqual(model('a'))
  expect(redone(back!.history, back!.model)?.model).toEqual(model('b'))
  expect(recorded(back!.history, model('a'), { tag: '', at: 1 }).future).toEqual([])
  expect(undone(noHistory, model('a'))).toBeNull()
})
