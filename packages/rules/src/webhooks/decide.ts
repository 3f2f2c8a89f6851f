/**
 * Changes webhook settings. Pure: ids, secrets (encrypted) and the time are parameters. Each function returns the new
 * settings or a refusal.
 */
import type { EndpointId } from "@coffer/model/Ids"
import { endpointsMax, oldSecretsMax, secretOverlap } from "@coffer/model/Limits"
import { DateTime, Result, Schema } from "effect"
import { laterThan } from "../dispute/evidence.ts"
import type { Endpoint, EndpointStatus, StoredSecrets, WebhookSettings } from "./Settings.ts"

export class EndpointLimitReached extends Schema.TaggedError<EndpointLimitReached>()("EndpointLimitReached", {}) {}

export class EndpointNotFound extends Schema.TaggedError<EndpointNotFound>()("EndpointNotFound", {
  id: Schema.String
}) {}

/** It has changed since the writer has read it. */
export class EndpointChanged extends Schema.TaggedError<EndpointChanged>()("EndpointChanged", {
  reason: Schema.tag("changed_meanwhile")
}) {}

export interface Changes {
  readonly url?: string
  readonly description?: string | null
  readonly types?: ReadonlyArray<string>
  readonly status?: EndpointStatus | "paused"
  readonly disablesWhenFailing?: boolean
}

interface Changed {
  readonly settings: WebhookSettings
  readonly endpoint: Endpoint
}

export const create = (
  settings: WebhookSettings,
  endpoint: Endpoint
): Result.Result<WebhookSettings, EndpointLimitReached> =>
  settings.endpoints.length < endpointsMax
    ? Result.succeed({ ...settings, endpoints: [...settings.endpoints, endpoint] })
    : Result.fail(new EndpointLimitReached())

/** `replaces`: the time of change of the version that the writer has read; omitted to replace any version. */
export const update = (
  settings: WebhookSettings,
  id: string,
  { status, ...changes }: Changes,
  now: DateTime.Utc,
  replaces?: string
): Result.Result<Changed, EndpointChanged | EndpointNotFound> =>
  Result.flatMap(find(settings, id), (found): Result.Result<Changed, EndpointChanged | EndpointNotFound> =>
    replaces !== undefined && replaces !== DateTime.formatIso(found.updatedAt)
      ? Result.fail(new EndpointChanged({}))
      : changed(settings, id, (endpoint) => ({
          ...(status === undefined ? endpoint : switched(endpoint, status)),
          ...changes,
          updatedAt: laterThan(endpoint.updatedAt, now)
        }))
  )

/** Disables an endpoint that has accepted nothing for too long, if it is enabled and its merchant still wants this. */
export const disableFailing = (settings: WebhookSettings, id: string, now: DateTime.Utc) =>
  changed(settings, id, (endpoint) =>
    endpoint.status === "enabled" && endpoint.disablesWhenFailing === true
      ? { ...switched(endpoint, "disabled"), isDisabledForFailing: true, updatedAt: now }
      : endpoint
  )

const switched = (endpoint: Endpoint, status: EndpointStatus | "paused"): Endpoint => {
  const { isDisabledForFailing: _, isPaused: __, ...rest } = endpoint
  return status === "paused" ? { ...rest, status: "enabled", isPaused: true } : { ...rest, status }
}

export const remove = (settings: WebhookSettings, id: string): Result.Result<WebhookSettings, EndpointNotFound> =>
  Result.map(find(settings, id), (gone) => ({
    ...settings,
    endpoints: settings.endpoints.filter((endpoint) => endpoint !== gone)
  }))

export const rotate = (settings: WebhookSettings, id: string, secret: string, now: DateTime.Utc) =>
  changed(settings, id, (endpoint) => ({
    ...endpoint,
    secrets: rotated(endpoint.secrets, secret, now),
    updatedAt: now
  }))

export const rotateSigning = (settings: WebhookSettings, secret: string, now: DateTime.Utc): WebhookSettings => ({
  ...settings,
  signing: rotated(settings.signing, secret, now)
})

/** Only the present secret of the endpoint signs from now on. */
export const endPrevious = (settings: WebhookSettings, id: string) =>
  changed(settings, id, (endpoint) => ({ ...endpoint, secrets: { ...endpoint.secrets, old: [] } }))

export const endPreviousSigning = (settings: WebhookSettings): WebhookSettings => ({
  ...settings,
  signing: { ...settings.signing, old: [] }
})

export const find = (settings: WebhookSettings, id: string): Result.Result<Endpoint, EndpointNotFound> => {
  const endpoint = settings.endpoints.find((each) => each.id === id)
  return endpoint === undefined ? Result.fail(new EndpointNotFound({ id })) : Result.succeed(endpoint)
}

/** A new endpoint for `types`, or all. */
export const newEndpoint = (fields: {
  readonly id: EndpointId
  readonly url: string
  readonly description: string | null
  readonly types: ReadonlyArray<string>
  readonly disablesWhenFailing?: boolean
  readonly secret: string
  readonly now: DateTime.Utc
}): Endpoint => ({
  id: fields.id,
  url: fields.url,
  description: fields.description,
  types: fields.types,
  status: "enabled",
  ...(fields.disablesWhenFailing === true && { disablesWhenFailing: true }),
  secrets: { current: fields.secret, rotatedAt: null, old: [] },
  createdAt: fields.now,
  updatedAt: fields.now
})

/** The secrets that sign at this time: the current one first, then old ones, the latest first. */
export const signingNow = ({ current, old }: StoredSecrets, now: DateTime.Utc): ReadonlyArray<string> => [
  current,
  ...old.filter(({ until }) => DateTime.isGreaterThan(until, now)).map(({ secret }) => secret)
]

/** The previous secret keeps signing for 24 hours. After many rotations the latest five do (silences: W10). */
const rotated = ({ current, old }: StoredSecrets, fresh: string, now: DateTime.Utc): StoredSecrets => ({
  current: fresh,
  rotatedAt: now,
  old: [
    { secret: current, until: DateTime.addDuration(now, secretOverlap) },
    ...old.filter(({ until }) => DateTime.isGreaterThan(until, now))
  ].slice(0, oldSecretsMax)
})

const changed = (
  settings: WebhookSettings,
  id: string,
  change: (endpoint: Endpoint) => Endpoint
): Result.Result<Changed, EndpointNotFound> =>
  Result.map(find(settings, id), (before) => {
    const endpoint = change(before)
    return {
      endpoint,
      settings: { ...settings, endpoints: settings.endpoints.with(settings.endpoints.indexOf(before), endpoint) }
    }
  })
