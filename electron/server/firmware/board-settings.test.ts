import { expect, test } from 'vitest'
import { mergeSettings, settingsSecrets, settingsToNvs } from './board-settings.ts'
import { nvsEntry, nvsValue } from './nvs-entry.ts'
import { writeNvs } from './nvs-image.ts'
import { readNvs } from './nvs-reader.ts'

const ca = Buffer.alloc(600, 0x30)
const settings = {
  wifi: [{ ssid: 'school', password: 'correct horse' }, { ssid: 'guest' }],
  server: 'https://roost.local:8443/',
  claim: 'abc_DEF-123',
  ca,
  name: 'Lamp 窗',
}

function table(image: Uint8Array) {
  return Object.fromEntries(
    readNvs(image).entries.map((entry) => [`${entry.namespace}/${entry.key}`, [entry.type, nvsValue(entry)]]),
  )
}

test('settings become the keys that a board reads', () => {
  expect(table(settingsToNvs(settings, 0x4000))).toEqual({
    'wifi/ssid': ['string', 'school'],
    'wifi/password': ['string', 'correct horse'],
    'wifi/ssid1': ['string', 'guest'],
    'iotta/server': ['string', 'https://roost.local:8443'],
    'iotta/claim': ['string', 'abc_DEF-123'],
    'iotta/ca': ['blob', Uint8Array.from(ca)],
    'iotta/name': ['string', 'Lamp 窗'],
  })
})

test('a merge keeps foreign keys as they are, and drops the token of the old enrolment', () => {
  const foreign = [
    nvsEntry('board', 'uuid', { type: 'string', value: 'x-y' }),
    { namespace: 'odd', key: 'latin', type: 'string' as const, bytes: Uint8Array.from([0xff, 0xfe, 0]) },
    nvsEntry('wifi', 'max_tx_power', { type: 'i8', value: -3 }),
    nvsEntry('wifi', 'ssid', { type: 'string', value: 'old' }),
    nvsEntry('wifi', 'password', { type: 'string', value: 'old password' }),
    nvsEntry('iotta', 'token', { type: 'string', value: 'old token' }),
  ]
  const merged = readNvs(
    mergeSettings(writeNvs(foreign, 0x4000), { wifi: [{ ssid: 'open' }], claim: 'new' }, 0x4000),
  ).entries
  expect(merged.slice(0, 3)).toEqual(foreign.slice(0, 3))
  expect(merged.slice(3).map((entry) => [entry.key, nvsValue(entry)])).toEqual([
    ['ssid', 'open'],
    ['claim', 'new'],
  ])
})

test('settings that no board could use are refused without naming a secret', () => {
  const refused = (bad: Parameters<typeof settingsToNvs>[0]) => {
    try {
      settingsToNvs(bad, 0x4000)
    } catch (error) {
      return error as { code: string; message: string }
    }
    return undefined
  }
  const short = refused({ wifi: [{ ssid: 'a', password: 'short' }] })
  expect(short?.code).toBe('flash-bad-settings')
  expect(short?.message).not.toContain('short')
  expect(refused({ server: 'http://roost.local' })?.code).toBe('flash-bad-settings')
  expect(refused({ server: 'https://roost.local/path' })?.code).toBe('flash-bad-settings')
  expect(refused({ server: 'http://127.0.0.1:8480' })).toBeUndefined()
  expect(refused({ claim: 'two words' })?.code).toBe('flash-bad-settings')
  expect(settingsSecrets(settings)).toEqual(['correct horse', 'abc_DEF-123'])
})
