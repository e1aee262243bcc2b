import type { BrowserContext } from 'playwright'
import { imitate, notImitated } from './imitated.ts'

interface Cookie {
  readonly url: string
  readonly name: string
  readonly value: string
  readonly path?: string
  readonly httpOnly?: boolean
  readonly sameSite?: 'strict' | 'lax'
}

type RequestHandler = (
  ...asked: [contents: unknown, permission: string, answer: (granted: boolean) => void, details: unknown]
) => void
type CheckHandler = (...asked: [contents: unknown, permission: string, origin: string, details: unknown]) => boolean
type DeviceHandler = (details: unknown) => boolean

const handlers: { request?: RequestHandler; check?: CheckHandler; device?: DeviceHandler } = {}
const world: { context?: BrowserContext } = {}

export function useContext(context: BrowserContext): void {
  world.context = context
}

const cookieNames = new Set(['url', 'name', 'value', 'path', 'httpOnly', 'sameSite'])

async function setCookie(cookie: Cookie): Promise<void> {
  for (const name of Object.keys(cookie)) if (!cookieNames.has(name)) throw notImitated(`cookies.set with ${name}`)
  if (!world.context) throw new Error('session can only be used after app is ready')
  const { hostname } = new URL(cookie.url)
  await world.context.addCookies([
    {
      name: cookie.name,
      value: cookie.value,
      domain: hostname,
      path: cookie.path ?? '/',
      httpOnly: cookie.httpOnly ?? false,
      sameSite: cookie.sameSite === 'strict' ? 'Strict' : 'Lax',
    },
  ])
}

const defaultSession = imitate('Session', {
  cookies: imitate('Cookies', { set: setCookie }),
  setPermissionRequestHandler: (handler: RequestHandler) => void (handlers.request = handler),
  setPermissionCheckHandler: (handler: CheckHandler) => void (handlers.check = handler),
  setDevicePermissionHandler: (handler: DeviceHandler) => void (handlers.device = handler),
})

export const session = imitate('Session', { defaultSession })

export interface PermissionQuestion {
  readonly kind: 'request' | 'check' | 'device'
  readonly permission: string
  /** Address of the window's page. */
  readonly page: string
  /** Address of the frame that asks. */
  readonly asker: string
  readonly details?: Readonly<Record<string, unknown>>
}

/** A made-up request, decided by the app's own handlers. Throws when the app has set none. */
export async function decide({ kind, permission, page, asker, details }: PermissionQuestion): Promise<boolean> {
  const contents = imitate('WebContents', { getURL: () => page })
  const { request, check, device } = handlers
  if (!request || !check || !device) throw new Error('the app has set no permission handlers')
  if (kind === 'check') return check(contents, permission, new URL(asker).origin, { ...details, requestingUrl: asker })
  if (kind === 'device') return device({ deviceType: permission, origin: new URL(asker).origin, device: {} })
  return new Promise((resolve) => request(contents, permission, resolve, { ...details, requestingUrl: asker }))
}
