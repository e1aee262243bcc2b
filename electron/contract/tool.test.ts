import { expect, test } from 'vitest'
import { draftToolVersions, refLabel, toolRef } from './tool.ts'

test('a ref of a draft says so, and all others stay as they are', () => {
  expect(refLabel(toolRef({ name: 'set_temperature', version: draftToolVersions + 1 }))).toBe('set_temperature (draft)')
  expect(refLabel('set_lamp@3')).toBe('set_lamp@3')
  expect(refLabel('set_lamp')).toBe('set_lamp')
  expect(refLabel('@7')).toBe('@7')
})
