import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { CDPSession, Page } from 'playwright'
import { frameAt, invokeMain, type SenderFrame } from './ipc-main.ts'
import { createWire, isolatedWorld, mainWorld } from './worlds.ts'

const worldName = 'electron preload'

interface FrameRow {
  readonly parentId: string | undefined
  readonly url: string
}

/**
 * Runs the real preload at document start in a world of its own, and carries ipcRenderer.invoke to main with the frame
 * that truly asked: it comes from Chromium's execution contexts, not from anything the page says.
 */
export async function linkPreload(page: Page, cdp: CDPSession, preloadPath: string): Promise<void> {
  const binding = `standin${randomBytes(8).toString('hex')}`
  const event = `standin-${randomBytes(8).toString('hex')}`
  const frames = new Map<string, FrameRow>()
  const contexts = new Map<number, string>()
  const wire = createWire()

  cdp.on('Page.frameNavigated', ({ frame }) => frames.set(frame.id, { parentId: frame.parentId, url: frame.url }))
  cdp.on('Page.navigatedWithinDocument', ({ frameId, url }) => {
    frames.set(frameId, { parentId: frames.get(frameId)?.parentId, url })
  })
  cdp.on('Page.frameDetached', ({ frameId }) => frames.delete(frameId))
  cdp.on('Runtime.executionContextCreated', ({ context }) => {
    const aux = context.auxData as { frameId?: string } | undefined
    if (context.name === worldName && aux?.frameId) contexts.set(context.id, aux.frameId)
  })
  cdp.on('Runtime.executionContextDestroyed', ({ executionContextId }) => contexts.delete(executionContextId))
  cdp.on('Runtime.executionContextsCleared', () => contexts.clear())
  cdp.on('Runtime.bindingCalled', ({ name, payload, executionContextId }) => {
    if (name === binding) void answer(payload, executionContextId)
  })

  function senderOf(contextId: number): SenderFrame | null {
    const frameOf = (id: string | undefined): SenderFrame | null => {
      const row = id === undefined ? undefined : frames.get(id)
      return row ? frameAt(row.url, frameOf(row.parentId)) : null
    }
    return frameOf(contexts.get(contextId))
  }

  async function answer(payload: string, contextId: number): Promise<void> {
    const { id, channel, args } = wire.decode(payload) as { id: number; channel: string; args: unknown[] }
    const reply = (ok: boolean, text: string) =>
      cdp
        .send('Runtime.evaluate', { contextId, expression: `${binding}Reply(${id}, ${ok}, ${JSON.stringify(text)})` })
        // The document that asked may be gone by now.
        .catch(() => undefined)
    try {
      await reply(true, wire.encode(await invokeMain(channel, senderOf(contextId), args)))
    } catch (error) {
      await reply(false, error instanceof Error ? error.message : String(error))
    }
  }

  await cdp.send('Page.enable')
  await cdp.send('Runtime.enable')
  await cdp.send('Runtime.addBinding', { name: binding, executionContextName: worldName })
  const preload = readFileSync(preloadPath, 'utf8')
  await addScript(cdp, `(${mainWorld.toString()})(${JSON.stringify(event)}, ${createWire.toString()})`)
  await addScript(
    cdp,
    `(${isolatedWorld.toString()})(${JSON.stringify({ event, binding })}, ${createWire.toString()},
      function (require, module, exports) {${preload}\n})`,
    worldName,
  )
}

async function addScript(cdp: CDPSession, source: string, world?: string): Promise<void> {
  await cdp.send('Page.addScriptToEvaluateOnNewDocument', { source, ...(world ? { worldName: world } : {}) })
}
