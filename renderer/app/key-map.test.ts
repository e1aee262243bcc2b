import { expect, test } from 'vitest'
import { actionOf } from './key-map.ts'

const key = (name: string, over = {}) => ({
  key: name,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isComposing: false,
  ...over,
})
const page = { inField: false, inDialog: false, letters: true, afterLeader: false }

test('Ctrl K and Cmd K open the palette, also from a field', () => {
  expect(actionOf(key('k', { ctrlKey: true }), { ...page, inField: true })).toEqual({ kind: 'palette' })
  expect(actionOf(key('K', { metaKey: true }), page)).toEqual({ kind: 'palette' })
})

test('G and a letter go to a screen; the letter alone does not', () => {
  expect(actionOf(key('g'), page)).toEqual({ kind: 'leader' })
  expect(actionOf(key('c'), { ...page, afterLeader: true })).toEqual({ kind: 'go', key: 'c' })
  expect(actionOf(key('c'), page)).toBeNull()
})

test('no key is a command while an input method composes', () => {
  for (const name of ['j', '?', '/', 'Enter']) expect(actionOf(key(name, { isComposing: true }), page)).toBeNull()
  expect(actionOf(key('k', { ctrlKey: true, isComposing: true }), page)).toBeNull()
  expect(actionOf(key('Process'), page)).toBeNull()
})

test('letters in a field are text', () => {
  expect(actionOf(key('j'), { ...page, inField: true })).toBeNull()
  expect(actionOf(key('/'), { ...page, inField: true })).toBeNull()
})

test('single letters can be switched off, and the palette stays', () => {
  const off = { ...page, letters: false }

  expect(actionOf(key('?'), off)).toBeNull()
  expect(actionOf(key('k', { ctrlKey: true }), off)).toEqual({ kind: 'palette' })
})
