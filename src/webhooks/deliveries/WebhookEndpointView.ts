/** Webhook endpoints and the account's signing secret on the wire (spec: Webhook endpoint; silences: W2, W6). Pure. */
import { isoText, isoTextOrNull } from "@coffer/model/isoText"
import type { EndpointResource, SigningSecretResource, SigningSecretRotation } from "@coffer/contract/WebhookEndpoints"
import { EventType, everyType } from "@coffer/model/EventType"
import type { Mode } from "@coffer/model/Ids"
import type { Endpoint, SingleAddress, StoredSecrets } from "@coffer/rules/webhooks/Settings"
import { DateTime, Schema } from "effect"

export const endpointView = (mode: Mode, endpoint: Endpoint, now: DateTime.Utc): EndpointResource => ({
  object: "webhook_endpoint",
  id: endpoint.id,
  mode,
  url: endpoint.url,
  description: endpoint.description,
  enabled_events: endpoint.types.filter(isType),
  status: endpoint.status === "enabled" && endpoint.isPaused === true ? "paused" : endpoint.status,
  disable_when_failing: endpoint.disablesWhenFailing ?? false,
  is_default: false,
  ...rotationOf(endpoint.secrets, now),
  created_at: isoText(endpoint.createdAt),
  updated_at: isoText(endpoint.updatedAt)
})

const isType = Schema.is(Schema.Literals([...EventType.literals, everyType]))

/** The latest old secret comes first in a row, and ends last. */
const rotationOf = ({ old, rotatedAt }: StoredSecrets, now: DateTime.Utc) => {
  const ends = old.filter(({ until }) => DateTime.isGreaterThan(until, now)).map(({ until }) => isoText(until))
  return { rotated_at: isoTextOrNull(rotatedAt), previous_until: ends[0] ?? null, previous_ends: ends.toReversed() }
}

/** The account's single address as an endpoint: the account's secret signs what goes there. */
export const singleView = (mode: Mode, { createdAt, id, updatedAt, url }: SingleAddress): EndpointResource => ({
  object: "webhook_endpoint",
  id,
  mode,
  url,
  description: null,
  enabled_events: [everyType],
  status: "enabled",
  disable_when_failing: false,
  is_default: true,
  rotated_at: null,
  previous_until: null,
  previous_ends: [],
  created_at: isoText(createdAt),
  updated_at: isoText(updatedAt)
})

export const signingView = (
  mode: Mode,
  secret: string,
  secrets: StoredSecrets,
  now: DateTime.Utc
): SigningSecretResource => ({ object: "webhook_signing_secret", mode, secret, ...rotationOf(secrets, now) })

export const signingRotationView = (mode: Mode, secrets: StoredSecrets, now: DateTime.Utc): SigningSecretRotation => ({
  object: "webhook_signing_secret",
  mode,
  ...rotationOf(secrets, now)
})
