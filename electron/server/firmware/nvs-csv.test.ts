import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isAppError } from '../../base/app-error.ts'
import { readNvsCsv, readNvsJson, toNvsJson } from './nvs-csv.ts'

const noFile = () => new Uint8Array()

test('a CSV of the generator is read, with quotes, files and every encoding', () => {
  const csv = [
    'key,type,encoding,value',
    '# a comment, with a comma',
    'wifi,namespace,,',
    'ssid,data,string,"My ""net"", upstairs"',
    'power,data,i8,-4',
    'big,data,u64,0xFFFFFFFFFFFFFFFF',
    'raw,data,hex2bin,0011ff',
    'b64,data,base64,AAEC',
    'other,namespace,,',
    'cert,file,binary,cert.der',
  ].join('\r\n')
  const entries = readNvsCsv(csv, (path) => Buffer.from(`<${path}>`))
  expect(toNvsJson(entries)).toEqual([
    { namespace: 'wifi', key: 'ssid', type: 'string', value: 'My "net", upstairs' },
    { namespace: 'wifi', key: 'power', type: 'i8', value: -4 },
    { namespace: 'wifi', key: 'big', type: 'u64', value: '18446744073709551615' },
    { namespace: 'wifi', key: 'raw', type: 'blob', value: '0011ff' },
    { namespace: 'wifi', key: 'b64', type: 'blob', value: '000102' },
    { namespace: 'other', key: 'cert', type: 'blob', value: Buffer.from('<cert.der>').toString('hex') },
  ])
  expect(readNvsJson(JSON.stringify({ entries: toNvsJson(entries) }))).toEqual(entries)
})

test('a shape that cannot be read names the line and no value', () => {
  const bad = (csv: string) => {
    try {
      readNvsCsv(csv, noFile)
      return 'read'
    } catch (error) {
      return isAppError(error) ? `${error.code}: ${error.message}` : 'untyped'
    }
  }
  expect(bad('ssid,data,string,secret')).toContain('nvs-bad-table')
  expect(bad('key,type,encoding,value\nssid,data,string,secret')).toContain('Line 2')
  const wrong = bad('key,type,encoding,value\nwifi,namespace,,\nn,data,u8,secret')
  expect(wrong).toContain('nvs-bad-value: Line 3')
  expect(wrong).not.toContain('secret')
  expect(bad('key,type,encoding,value\nwifi,namespace,,\nn,data,odd,1')).toContain('nvs-bad-table')
})

test('any text gives entries or a typed error', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (tail) => {
      for (const read of [
        () => readNvsCsv(`key,type,encoding,value\na,namespace,,\n${tail}`, noFile),
        () => readNvsJson(tail),
      ]) {
        try {
          read()
        } catch (error) {
          expect(isAppError(error)).toBe(true)
        }
      }
    }),
    { numRuns: 200 },
  )
})
