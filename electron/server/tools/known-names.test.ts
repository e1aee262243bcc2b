import { expect, test } from 'vitest'
import { refuseUnknownTools } from './known-names.ts'

test('a name of no tool is refused with those that are written like it', () => {
  const known = ['set_lamp', 'set_fan', 'get_volume', 'air_conditioner.set_temperature']
  expect(() => refuseUnknownTools(['set_lamp', 'get_volume'], known)).not.toThrow()
  expect(() => refuseUnknownTools([], known)).not.toThrow()
  const refused = (names: readonly string[]) => {
    try {
      refuseUnknownTools(names, known)
      return undefined
    } catch (error) {
      return error
    }
  }
  expect(refused(['set_lmap', 'set_fan'])).toMatchObject({
    code: 'tool-names-unknown',
    message: 'No tool is called "set_lmap" (perhaps set_lamp)',
  })
  expect(refused(['SetTemperature', 'zzz'])).toMatchObject({
    message: 'No tool is called "SetTemperature" (perhaps air_conditioner.set_temperature), "zzz"',
  })
  expect(refused(['set_*'])).toMatchObject({ code: 'tool-names-unknown' })
})
