/**
 * Where a merchant's events go in one environment, and the secrets that sign them: its endpoints, the account's single
 * address, and the account's secret (spec: Webhook endpoint; silences: W1 to W6, W10). One aggregate, so that its
 * version guards the number of endpoints too.
 */
import { EndpointId } from "@coffer/model/Ids"
import { Schema } from "effect"

/** A secret as it is stored: encrypted. An old one signs together with the current one until `until`. */
export const StoredSecrets = Schema.Struct({
  current: Schema.String,
  rotatedAt: Schema.NullOr(Schema.DateTimeUtcFromString),
  old: Schema.Array(Schema.Struct({ secret: Schema.String, until: Schema.DateTimeUtcFromString }))
})
export type StoredSecrets = typeof StoredSecrets.Type

export const EndpointStatus = Schema.Literals(["enabled", "disabled"])
export type EndpointStatus = typeof EndpointStatus.Type

export const Endpoint = Schema.Struct({
  id: EndpointId,
  url: Schema.String,
  description: Schema.NullOr(Schema.String),
  /** Types of events, or `*` for all. */
  types: Schema.Array(Schema.String),
  status: EndpointStatus,
  /** An enabled endpoint whose deliveries wait. */
  isPaused: Schema.optionalKey(Schema.Boolean),
  /** Whether it is disabled after accepting nothing for five days. */
  disablesWhenFailing: Schema.optionalKey(Schema.Boolean),
  /** Whether it was disabled because it failed for too long, not by its merchant. */
  isDisabledForFailing: Schema.optionalKey(Schema.Boolean),
  secrets: StoredSecrets,
  createdAt: Schema.DateTimeUtcFromString,
  updatedAt: Schema.DateTimeUtcFromString
})
export type Endpoint = typeof Endpoint.Type

/** The account's single address as an endpoint: numbered when the operator first sets an address. */
export const DefaultEndpoint = Schema.Struct({
  id: EndpointId,
  createdAt: Schema.DateTimeUtcFromString,
  updatedAt: Schema.DateTimeUtcFromString
})
export type DefaultEndpoint = typeof DefaultEndpoint.Type

/** The account's single address, where there is one. */
export interface SingleAddress extends DefaultEndpoint {
  readonly url: string
}

export interface WebhookSettings {
  /** Signs what goes to an order's `notify_url` and to the account's single address. */
  readonly signing: StoredSecrets
  /** Oldest first. */
  readonly endpoints: ReadonlyArray<Endpoint>
}
