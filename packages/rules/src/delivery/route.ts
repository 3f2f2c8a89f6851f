/**
 * Where an event goes (spec: Events, Routing): an order's own address takes all of its events; otherwise every enabled
 * endpoint that subscribed to the type; otherwise the single address of the console. Pure.
 */

export interface Endpoint {
  readonly id: string
  readonly url: string
  readonly enabled: boolean
  readonly types: ReadonlyArray<string>
}

export interface Destination {
  readonly url: string
  /** Null for an order's own address and for the console's. */
  readonly endpointId: string | null
}

export interface Addresses {
  readonly notifyUrl: string | null
  readonly endpoints: ReadonlyArray<Endpoint>
  readonly defaultUrl: string | null
}

export const route = (type: string, { defaultUrl, endpoints, notifyUrl }: Addresses): ReadonlyArray<Destination> => {
  if (notifyUrl !== null) return [{ url: notifyUrl, endpointId: null }]
  const subscribed = endpoints.filter(({ enabled, types }) => enabled && types.includes(type))
  if (subscribed.length > 0) return subscribed.map(({ id, url }) => ({ url, endpointId: id }))
  return defaultUrl === null ? [] : [{ url: defaultUrl, endpointId: null }]
}
