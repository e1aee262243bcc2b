import { z } from 'zod'
import { toAppError } from '../base/app-error.ts'
import { createLog } from '../base/log.ts'
import { createUtilityLauncher } from '../base/utility-launcher.ts'
import { type UtilityParent, utilityParent } from '../base/utility-port.ts'
import { readConfig, ServerConfig } from './config.ts'
import { createServer, type RoostServer } from './server.ts'

/** What main asks of this process (electron/main/server-host.ts). */
const FromMain = z.discriminatedUnion('type', [
  z.object({ type: z.literal('start'), options: ServerConfig.partial() }),
  z.object({ type: z.literal('stop') }),
])

/** The server in the desktop app: the same one as headless, started by a message and loaded in the window over loopback. */
function serveWindow(main: UtilityParent): void {
  const log = createLog()
  let running: Promise<RoostServer> | undefined

  async function start(options: Partial<ServerConfig>): Promise<RoostServer> {
    const server = await createServer(readConfig(options, {}), { log, launcher: createUtilityLauncher(main) })
    tellJobs(server)
    main.postMessage({ type: 'ready', loopback: server.loopbackUrl, session: await server.desktopSession() })
    return server
  }

  function tellJobs(server: RoostServer): void {
    void (async () => {
      for await (const _event of server.jobs.watch()) {
        const titles = server.jobs
          .list()
          .filter((job) => job.state === 'running')
          .map((job) => job.title)
        main.postMessage({ type: 'jobs', titles })
      }
    })()
  }

  function fail(error: unknown): void {
    const { code, message } = toAppError(error)
    log.error('server did not start', { code, error })
    main.postMessage({ type: 'failed', code, message })
  }

  async function stop(): Promise<void> {
    const server = await running?.catch(() => undefined)
    await server?.close()
    process.exit(0)
  }

  main.on('message', ({ data }) => {
    const message = FromMain.safeParse(data).data
    if (message?.type === 'start') {
      running = start(dropUndefined(message.options))
      running.catch(fail)
    } else if (message?.type === 'stop') void stop()
  })
}

function dropUndefined(options: object): Partial<ServerConfig> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

const main = utilityParent()
if (main) serveWindow(main)
else process.exitCode = 2
