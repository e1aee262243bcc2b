import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createGuardedFetch } from './guarded-fetch.ts'

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a redirect within the origin is followed with method and body, one to another host is refused', async () => {
  const other = await serve((_request, response) => void response.end('stolen'))
  const home = await serve((request, response) => {
    if (request.url === '/away') response.writeHead(307, { location: `${other}/mcp` }).end()
    else if (request.url === '/here') response.writeHead(308, { location: '/end' }).end()
    else if (request.url === '/get') response.writeHead(302, { location: '/end' }).end()
    else if (request.url === '/round') response.writeHead(307, { location: '/round' }).end()
    else void request.pipe(response.writeHead(200, { method: request.method }))
  })
  const fetch = createGuardedFetch({ url: `${home}/mcp`, offline: false })
  const followed = await fetch(`${home}/here`, { method: 'POST', body: 'secret' })
  expect([followed.headers.get('method'), await followed.text()]).toEqual(['POST', 'secret'])
  const post = { method: 'POST', body: 'secret' }
  for (const path of ['/away', '/get', '/round']) {
    await expect(fetch(home + path, post)).rejects.toMatchObject({ code: 'mcp-redirected' })
  }
  await expect(fetch(`${other}/mcp`)).rejects.toMatchObject({ code: 'mcp-redirected' })
})

test('a message of more than 1 MiB breaks off, in one answer and in a stream of small ones not', async () => {
  const half = 'a'.repeat(600_000)
  const home = await serve((request, response) => {
    const type = request.url === '/json' ? 'application/json' : 'text/event-stream'
    response.writeHead(200, { 'content-type': type })
    response.end(request.url === '/small' ? `data: ${half}\n\ndata: ${half}\r\n\r\ndata: ${half}\n\n` : half + half)
  })
  const fetch = createGuardedFetch({ url: home, offline: false })
  expect((await (await fetch(`${home}/small`)).text()).length).toBeGreaterThan(1_800_000)
  for (const path of ['/json', '/large']) {
    const answer = await fetch(home + path)
    await expect(answer.text()).rejects.toMatchObject({ code: 'mcp-flooded' })
  }
})

test('offline, only this machine is called', async () => {
  const home = await serve((_request, response) => void response.end('ok'))
  expect((await createGuardedFetch({ url: home, offline: true })(home)).status).toBe(200)
  const outside = createGuardedFetch({ url: 'https://example.org/mcp', offline: true })
  await expect(outside('https://example.org/mcp')).rejects.toMatchObject({ code: 'mcp-offline' })
})
