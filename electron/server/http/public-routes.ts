import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Certificates } from './certificates.ts'
import type { ConsolePage } from './console-page.ts'
import { refuse, send } from './exchange.ts'
import { caGuidePage } from './pages.ts'
import { mintNonce, pageHeaders, plainHeaders } from './security-headers.ts'

export interface PublicRoutesOptions {
  readonly certificates: Certificates
  readonly page: ConsolePage
  readonly version: string
}

export function createPublicRoutes({ certificates, page, version }: PublicRoutesOptions) {
  function file(reply: FastifyReply, name: string, body: Buffer): FastifyReply {
    return reply
      .headers({
        ...plainHeaders,
        'Cache-Control': 'no-cache',
        'Content-Disposition': `attachment; filename="${name}"`,
      })
      .type(name.endsWith('.pem') ? 'application/x-pem-file' : 'application/x-x509-ca-cert')
      .send(body)
  }

  return {
    health: async (_request: FastifyRequest, reply: FastifyReply) => send(reply, 200, { ok: true, version }),
    async caGuide(_request: FastifyRequest, reply: FastifyReply) {
      const nonce = mintNonce()
      return reply
        .headers({ ...pageHeaders(nonce), 'Cache-Control': 'no-cache' })
        .type('text/html; charset=utf-8')
        .send(caGuidePage(certificates.fingerprint, nonce))
    },
    caPem: async (_request: FastifyRequest, reply: FastifyReply) =>
      file(reply, 'ca.pem', Buffer.from(certificates.caPem)),
    caDer: async (_request: FastifyRequest, reply: FastifyReply) =>
      file(reply, 'ca.der', Buffer.from(certificates.caDer)),
    async console(request: FastifyRequest, reply: FastifyReply) {
      const found = await page.answer(request.url.split('?', 1)[0] ?? '/')
      if (!found) return refuse(reply, { status: 404, code: 'server-not-found', message: 'There is no such page.' })
      return reply.code(found.status).headers(found.headers).send(found.body)
    },
  }
}
