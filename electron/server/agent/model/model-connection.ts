import { z } from 'zod'
import { AppError } from '../../../base/app-error.ts'
import type { Log } from '../../../base/log.ts'
import type { ErrorCode } from '../../../contract/errors.ts'
import { ModelInput, type ModelStatus } from '../../../contract/model.ts'
import type { MetaStore } from '../../store/store.ts'
import type { ModelTarget } from './chat-completion.ts'
import { type ModelAddress, readModelAddress } from './model-address.ts'

const place = 'model'

/** As it lies in roost.db, which is durable to the last commit and readable for its owner alone (0600). */
const StoredModel = ModelInput.extend({ key: z.string().nullable() })
type StoredModel = z.infer<typeof StoredModel>

const unset: StoredModel = { enabled: false, address: '', model: '', key: null, rulesFirst: true }

/** What a person chose. Nothing is sent anywhere before `enabled`, but a test that a person asks for. */
export interface ModelConnection {
  status(): ModelStatus
  /** Takes effect with the next turn. Throws model-bad-address, model-not-encrypted, model-name-missing. */
  put(input: ModelInput): Promise<ModelStatus>
  isOn(): boolean
  rulesFirst(): boolean
  /** Where a request goes, on or off. Throws model-off when nothing is set, model-offline where it may not go out. */
  target(): ModelTarget
  /** The code of a request that failed; null when it went well. */
  noteResult(code: ErrorCode | null): void
}

export interface ModelConnectionOptions {
  readonly meta: MetaStore
  /** The server was told to make no connection to the outside. */
  readonly offline: boolean
  readonly log: Log
}

export async function openModelConnection({ meta, offline, log }: ModelConnectionOptions): Promise<ModelConnection> {
  let stored = readStored(await meta.get(place), log)
  let address = addressOf(stored)
  let problem: ErrorCode | null = null

  function status(): ModelStatus {
    const { key, ...shown } = stored
    return {
      ...shown,
      hasKey: key !== null,
      host: address?.host ?? null,
      reach: address?.reach ?? null,
      encrypted: address?.encrypted ?? false,
      problem,
    }
  }

  return {
    status,
    async put(input) {
      const next = merged(input, stored)
      await meta.set(place, JSON.stringify(next))
      stored = next
      address = addressOf(next)
      problem = null
      log.info('model settings changed', { enabled: next.enabled, host: address?.host, model: next.model })
      return status()
    },
    isOn: () => stored.enabled && address !== undefined,
    rulesFirst: () => stored.rulesFirst,
    target() {
      if (!address) throw new AppError('model-off', 'No address of a model is set')
      if (stored.model === '') throw new AppError('model-name-missing', `${address.host} needs the name of a model`)
      if (offline && address.reach !== 'here') throw new AppError('model-offline', `${address.host} was not called`)
      return { address, model: stored.model, key: stored.key }
    },
    noteResult: (code) => void (problem = code),
  }
}

function merged(input: ModelInput, stored: StoredModel): StoredModel {
  const isSet = input.address !== ''
  if (input.enabled && !isSet) throw new AppError('model-bad-address', 'An address is needed to connect a model')
  if (input.enabled && input.model === '') throw new AppError('model-name-missing', 'Which model is to answer?')
  const next = isSet ? readModelAddress(input.address) : undefined
  return { ...input, key: keyOf(input, { next, stored }) }
}

/** A key that was typed for one server is never sent to another one. */
function keyOf(
  { key }: ModelInput,
  { next, stored }: { next: ModelAddress | undefined; stored: StoredModel },
): string | null {
  if (key !== null) return key === '' ? null : key
  const isSame = next !== undefined && addressOf(stored)?.origin === next.origin
  return isSame ? stored.key : null
}

function addressOf({ address }: StoredModel): ModelAddress | undefined {
  return address === '' ? undefined : readModelAddress(address)
}

/** Settings that cannot be read leave the model off: the rules answer, and a person sets it again. */
function readStored(text: string | undefined, log: Log): StoredModel {
  if (text === undefined) return unset
  try {
    const stored = StoredModel.parse(JSON.parse(text))
    addressOf(stored)
    return stored
  } catch (error) {
    // The text holds the key: it is not logged.
    log.warn('model settings not readable', { name: error instanceof Error ? error.name : 'unknown' })
    return unset
  }
}
