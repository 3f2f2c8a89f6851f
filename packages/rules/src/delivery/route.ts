/**
 * Where an event goes (spec: Events, Routing): an order's own URL gets all of its events; otherwise every enabled
 * endpoint that is subscribed to the type; otherwise the account's default URL. Pure.
 */
import { everyType } from "@coffer/model/EventType"
import { Hash } from "effect"
import type { Endpoint } from "../webhooks/Settings.ts"

export interface Destination {
  readonly url: string
  /** Null for an order's own URL and for the account's default. */
  readonly endpointId: string | null
}

export type Subscriber = Pick<Endpoint, "id" | "url" | "status" | "types">

export interface Addresses {
  readonly notifyUrl: string | null
  readonly endpoints: ReadonlyArray<Subscriber>
  readonly defaultUrl: string | null
}

export const route = (type: string, { defaultUrl, endpoints, notifyUrl }: Addresses): ReadonlyArray<Destination> => {
  if (notifyUrl !== null) return [{ url: notifyUrl, endpointId: null }]
  const subscribed = endpoints.filter((endpoint) => takes(endpoint, type))
  if (subscribed.length > 0) return subscribed.map(({ id, url }) => ({ url, endpointId: id }))
  return defaultUrl === null ? [] : [{ url: defaultUrl, endpointId: null }]
}

/** Whether events of this type are delivered to the endpoint. */
export const takes = ({ status, types }: Pick<Endpoint, "status" | "types">, type: string): boolean =>
  status === "enabled" && (types.includes(type) || types.includes(everyType))

/**
 * The unit that may be slow or dead: the whole URL (docs/decisions/0016). Path and query are replaced by a hash, since
 * they may be long and contain a secret.
 */
export const destinationOf = (url: string): string => {
  const { host, pathname, search } = new URL(url)
  return `${host} ${(Hash.string(pathname + search) >>> 0).toString(36)}`
}

/** The host and port of a destination. Rows of earlier versions contain nothing else. */
export const hostOf = (destination: string): string => destination.split(" ", 1)[0]!
