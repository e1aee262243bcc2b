import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ForeignSite {
  readonly origin: string
  close(): void
}

/** Somebody else's page on this machine: another origin for the guards to refuse. `/away` redirects. */
export async function startForeignSite(): Promise<ForeignSite> {
  const server = createServer((request, response) => {
    if (request.url === '/away') response.writeHead(302, { location: '/elsewhere' }).end()
    else response.writeHead(200, { 'content-type': 'text/html' }).end('<title>foreign</title><h1>foreign</h1>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
