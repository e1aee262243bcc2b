import console from './errors/console.json' with { type: 'json' }
import firmware from './errors/firmware.json' with { type: 'json' }
import flash from './errors/flash.json' with { type: 'json' }
import everyday from './errors/everyday.json' with { type: 'json' }
import iotta from './errors/iotta.json' with { type: 'json' }
import mcp from './errors/mcp.json' with { type: 'json' }
import model from './errors/model.json' with { type: 'json' }
import provision from './errors/provision.json' with { type: 'json' }
import server from './errors/server.json' with { type: 'json' }
import thing from './errors/thing.json' with { type: 'json' }
import tool from './errors/tool.json' with { type: 'json' }
import uart from './errors/uart.json' with { type: 'json' }
import voice from './errors/voice.json' with { type: 'json' }

/**
 * The one registry of error codes: `area-reason`, stable for ever, with what a person reads in both languages.
 * A new code is a row in the JSON file of its area; nothing else has to change.
 */
export const errorTexts = {
  ...console,
  ...firmware,
  ...flash,
  ...everyday,
  ...iotta,
  ...mcp,
  ...model,
  ...provision,
  ...server,
  ...thing,
  ...tool,
  ...uart,
  ...voice,
}

export type ErrorCode = keyof typeof errorTexts

export interface ErrorText {
  /** What happened, one short sentence. */
  readonly headline: string
  /** What to do now, one or two sentences. */
  readonly next: string
}

export type Language = 'en' | 'zh-CN'

/** How an error crosses a wire to our own clients. `message` is English and may name values; it never holds a secret. */
export interface WireError {
  readonly code: ErrorCode
  readonly message: string
}

export function errorText(code: ErrorCode, language: Language): ErrorText {
  return errorTexts[code][language]
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTexts, code)
}
