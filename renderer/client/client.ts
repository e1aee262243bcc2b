import { createConnection } from './connection.ts'
import { createSubscriber } from './subscription.ts'

const url = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/rpc`

export const connection = createConnection(url)
export const api = connection.api

/** Follows a stream over every reconnect; returns the stop function. */
export const subscribe = createSubscriber(connection)
