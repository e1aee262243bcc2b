import { Bonjour } from 'bonjour-service'
import { expect, test } from 'vitest'
import { silentLog } from '../../base/log.ts'
import { announceServer } from './discovery.ts'

test('a server on the LAN is found by its service type, with the fingerprint of its CA', async () => {
  const announced = announceServer({
    name: 'Roost test',
    port: 8443,
    id: 'abc',
    fingerprint: 'sha256:00',
    log: silentLog,
  })
  const browser = new Bonjour()
  try {
    const found = await new Promise<{ port: number; txt?: Record<string, string> }>((resolve) =>
      browser.find({ type: 'roost' }, (service) => {
        if (service.name === 'Roost test') resolve(service)
      }),
    )
    expect({ port: found.port, txt: found.txt }).toEqual({
      port: 8443,
      txt: { v: '1', id: 'abc', fp: 'sha256:00', path: '/' },
    })
  } finally {
    browser.destroy()
    await announced.close()
  }
})
