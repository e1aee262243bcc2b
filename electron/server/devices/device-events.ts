/** Which live channels of a device must go now: those of these tokens, or every one. */
export interface AccessEnded {
  readonly deviceId: string
  readonly tokenHashes: readonly string[] | 'all'
  readonly reason: 'revoked' | 'blocked' | 'forgotten' | 'expired'
}

interface EventMap {
  /** Its channels close with 4401. */
  accessEnded: AccessEnded
  /** The last token of a connected device ends in 60 s. */
  tokenExpiring: string
  forgotten: string
  /** Something that the list shows has changed for this id. */
  changed: string
}

export interface DeviceEvents {
  on<Name extends keyof EventMap>(name: Name, listener: (value: EventMap[Name]) => void): void
  emit<Name extends keyof EventMap>(name: Name, value: EventMap[Name]): void
}

export function createDeviceEvents(): DeviceEvents {
  const listeners: { [Name in keyof EventMap]: ((value: EventMap[Name]) => void)[] } = {
    accessEnded: [],
    tokenExpiring: [],
    forgotten: [],
    changed: [],
  }
  return {
    on: (name, listener) => void listeners[name].push(listener),
    emit: (name, value) => listeners[name].forEach((listener) => listener(value)),
  }
}
