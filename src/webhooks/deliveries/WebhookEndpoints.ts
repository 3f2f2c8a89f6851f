/**
 * Front door to webhook endpoints and to the secrets that sign events (spec: Endpoints, Webhook endpoints; silences: W1
 * to W6, W9, W10). A new secret is shown once, in the answer to the request that made it.
 */
import type {
  CreateEndpoint,
  EndpointResource,
  EndpointWithSecret,
  SigningSecretResource,
  SigningSecretRotation,
  UpdateEndpoint
} from "@coffer/contract/WebhookEndpoints"
import { everyType } from "@coffer/model/EventType"
import { createdAtOf, EndpointId, prefixes } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import { urlProblem } from "@coffer/rules/delivery/urlProblem"
import { InvalidField } from "@coffer/rules/InvalidField"
import { pageOfAll } from "@coffer/rules/lists/pageOfAll"
import { type ListParameters, type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import * as rules from "@coffer/rules/webhooks/decide"
import { Cause, Context, Effect, Layer, Result, Schema } from "effect"
import { drawSecret, newSecret, openAccountSecret, useOf } from "../../access/merchants/signingSecrets.ts"
import type { MakerLeft } from "../../access/merchants/stillGives.ts"
import type { NotCommitted } from "../../platform/commit/Change.ts"
import { Wakeups } from "../../platform/commit/Wakeups.ts"
import { idAfter, NewIds } from "../../platform/runtime/NewIds.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { DeliveryStore } from "./DeliveryStore.ts"
import { endpointView, signingRotationView, signingView, singleView } from "./WebhookEndpointView.ts"
import { makeChangeSettings, type StoredSettings, WebhookSettingsStore } from "./WebhookSettingsStore.ts"

/** The account's single address is set by the operator, not here (silences: W2). */
export class SingleAddressManaged extends Schema.TaggedError<SingleAddressManaged>()("SingleAddressManaged", {}) {}

/** It has no secret of its own (spec: Errors, default_endpoint_secret_managed). */
export class SecretManaged extends Schema.TaggedError<SecretManaged>()("SecretManaged", {}) {}

export interface DeletedEndpoint {
  readonly object: "webhook_endpoint"
  readonly id: string
  readonly deleted: true
}

type NotFound = rules.EndpointNotFound

export class WebhookEndpoints extends Context.Service<
  WebhookEndpoints,
  {
    readonly create: (
      account: Account,
      terms: CreateEndpoint
    ) => Effect.Effect<EndpointWithSecret, InvalidField | MakerLeft | rules.EndpointLimitReached | NotCommitted>
    readonly update: (
      account: Account,
      id: string,
      terms: UpdateEndpoint,
      /** The `updated_at` that the caller expects to replace, if any. */
      replaces?: string
    ) => Effect.Effect<
      EndpointResource,
      InvalidField | MakerLeft | NotFound | rules.EndpointChanged | SingleAddressManaged | NotCommitted
    >
    readonly remove: (
      account: Account,
      id: string
    ) => Effect.Effect<DeletedEndpoint, MakerLeft | NotFound | SingleAddressManaged | NotCommitted>
    /** It has accepted nothing for too long: disable it, if its merchant asked for that. */
    readonly disableFailing: (account: Account, id: string) => Effect.Effect<EndpointResource, NotFound | NotCommitted>
    readonly rotateSecret: (
      account: Account,
      id: string
    ) => Effect.Effect<EndpointWithSecret, MakerLeft | NotFound | SecretManaged | NotCommitted>
    readonly find: (account: Account, id: string) => Effect.Effect<EndpointResource, NotFound>
    readonly page: (account: Account, query: ListParameters) => Effect.Effect<Page<EndpointResource>, InvalidField>
    readonly signingSecret: (account: Account) => Effect.Effect<SigningSecretResource>
    readonly rotateSigningSecret: (account: Account) => Effect.Effect<SigningSecretResource, MakerLeft | NotCommitted>
    /** Only the present secret signs from now on. */
    readonly endPreviousSecrets: (
      account: Account,
      id: string
    ) => Effect.Effect<EndpointResource, MakerLeft | NotFound | SecretManaged | NotCommitted>
    readonly endPreviousSigningSecrets: (
      account: Account
    ) => Effect.Effect<SigningSecretRotation, MakerLeft | NotCommitted>
  }
>()("@coffer/webhooks/WebhookEndpoints") {}

export const layer = Layer.effect(
  WebhookEndpoints,
  Effect.gen(function* () {
    const deliveries = yield* DeliveryStore
    const wakeups = yield* Wakeups
    const services: Services = {
      store: yield* WebhookSettingsStore,
      deliveries,
      releaseNow: Effect.fnUntraced(function* (id) {
        const released = yield* deliveries.release(yield* currentTime, id)
        if (released > 0) wakeups.raise("deliveries")
      }),
      ids: yield* NewIds,
      secrets: yield* Secrets,
      privateAllowed: (yield* Settings).allowPrivateWebhooks,
      change: yield* makeChangeSettings
    }
    return WebhookEndpoints.of({
      create: create(services),
      update: update(services),
      remove: remove(services),
      disableFailing: disableFailing(services),
      ...reads(services),
      ...secretsOf(services)
    })
  })
)

interface Services {
  readonly store: WebhookSettingsStore["Service"]
  readonly deliveries: DeliveryStore["Service"]
  readonly ids: NewIds["Service"]
  readonly secrets: Secrets["Service"]
  readonly privateAllowed: boolean
  readonly change: Effect.Success<typeof makeChangeSettings>
  /** Deliveries of an endpoint that is no longer paused become due. */
  readonly releaseNow: (id: string) => Effect.Effect<void>
}

const create = ({ change, ids, privateAllowed, secrets }: Services) =>
  span("WebhookEndpoints.create")(function* (account: Account, terms: CreateEndpoint) {
    const problem = urlProblem("url", terms.url, { mode: account.mode, privateAllowed })
    if (problem !== undefined) return yield* problem
    const fresh = yield* ids.next(prefixes.endpoint)
    const secret = yield* drawSecret(secrets)
    return yield* change(account, ({ settings, single }) => {
      const { description = null, disable_when_failing: disablesWhenFailing = false, url } = terms
      const { enabled_events: types = [everyType] } = terms
      // Later than each listed endpoint, on whichever runner it was made: lists are in the order of commits.
      const id = EndpointId.make(
        idAfter(
          fresh,
          [...settings.endpoints, ...(single ? [single] : [])].map(({ id }) => id)
        )
      )
      const sealed = secrets.encrypt(secret, useOf(account, id))
      const now = createdAtOf(id)
      const endpoint = rules.newEndpoint({ id, url, description, types, disablesWhenFailing, secret: sealed, now })
      return Result.map(rules.create(settings, endpoint), (settings) => ({
        settings,
        answer: { ...endpointView(account.mode, endpoint, now), secret }
      }))
    })
  })

const update = ({ change, deliveries, privateAllowed, releaseNow }: Services) =>
  span("WebhookEndpoints.update")(function* (account: Account, id: string, terms: UpdateEndpoint, replaces?: string) {
    const changes = yield* Effect.fromResult(changesOf(terms))
    const problem = urlProblem("url", changes.url, { mode: account.mode, privateAllowed })
    if (problem !== undefined) return yield* problem
    const updated = yield* change(account, (stored, now) =>
      Result.map(
        Result.flatMap(managedBySettings(stored, id, new SingleAddressManaged()), () =>
          rules.update(stored.settings, id, changes, now, replaces)
        ),
        ({ endpoint, settings }) => ({ settings, answer: endpointView(account.mode, endpoint, now) })
      )
    )
    // A delivery that falls due while its endpoint is disabled is skipped by its attempt (silences: W5).
    if (changes.url !== undefined) yield* soonEnough(deliveries.retarget(id, changes.url))
    if (changes.status !== undefined) yield* soonEnough(releaseNow(id))
    return updated
  })

const remove = ({ change, deliveries }: Services) =>
  span("WebhookEndpoints.remove")(function* (account: Account, id: string) {
    const removed = yield* change(account, (stored) =>
      Result.map(
        Result.flatMap(managedBySettings(stored, id, new SingleAddressManaged()), () =>
          rules.remove(stored.settings, id)
        ),
        (settings) => ({ settings, answer: { object: "webhook_endpoint", id, deleted: true } as const })
      )
    )
    yield* soonEnough(deliveries.skipAll(id))
    return removed
  })

const disableFailing = ({ change }: Services) =>
  span("WebhookEndpoints.disableFailing")(
    function* (account: Account, id: string) {
      return yield* change(account, ({ settings }, now) =>
        Result.map(rules.disableFailing(settings, id, now), (changed) => ({
          settings: changed.settings,
          answer: endpointView(account.mode, changed.endpoint, now)
        }))
      )
    },
    Effect.catchTags({ MakerLeft: Effect.die })
  )

const secretsOf = ({ change, secrets, store }: Services) => ({
  rotateSecret: span("WebhookEndpoints.rotateSecret")(function* (account: Account, id: string) {
    const { sealed, secret } = yield* newSecret(secrets, account, id)
    return yield* change(account, (stored, now) =>
      Result.map(
        Result.flatMap(managedBySettings(stored, id, new SecretManaged()), () =>
          rules.rotate(stored.settings, id, sealed, now)
        ),
        ({ endpoint, settings }) => ({ settings, answer: { ...endpointView(account.mode, endpoint, now), secret } })
      )
    )
  }),

  signingSecret: span("WebhookEndpoints.signingSecret")(function* (account: Account) {
    const { signing } = (yield* store.load(account)).settings
    return signingView(account.mode, openAccountSecret(secrets, account, signing), signing, yield* currentTime)
  }),

  rotateSigningSecret: span("WebhookEndpoints.rotateSigningSecret")(function* (account: Account) {
    const { sealed, secret } = yield* newSecret(secrets, account, null)
    return yield* change(account, (stored, now) => {
      const settings = rules.rotateSigning(stored.settings, sealed, now)
      return Result.succeed({ settings, answer: signingView(account.mode, secret, settings.signing, now) })
    })
  }),

  endPreviousSecrets: span("WebhookEndpoints.endPreviousSecrets")(function* (account: Account, id: string) {
    return yield* change(account, (stored, now) =>
      Result.map(
        Result.flatMap(managedBySettings(stored, id, new SecretManaged()), () =>
          rules.endPrevious(stored.settings, id)
        ),
        ({ endpoint, settings }) => ({ settings, answer: endpointView(account.mode, endpoint, now) })
      )
    )
  }),

  endPreviousSigningSecrets: span("WebhookEndpoints.endPreviousSigningSecrets")(function* (account: Account) {
    return yield* change(account, (stored, now) => {
      const settings = rules.endPreviousSigning(stored.settings)
      return Result.succeed({ settings, answer: signingRotationView(account.mode, settings.signing, now) })
    })
  })
})

const reads = ({ store }: Services) => ({
  find: span("WebhookEndpoints.find")(function* (account: Account, id: string) {
    const { settings, single } = yield* store.load(account)
    if (single?.id === id) return singleView(account.mode, single)
    return endpointView(account.mode, yield* Effect.fromResult(rules.find(settings, id)), yield* currentTime)
  }),

  page: span("WebhookEndpoints.page")(function* (account: Account, query: ListParameters) {
    const request = yield* Effect.fromResult(readPageRequest(query))
    const { settings, single } = yield* store.load(account)
    const now = yield* currentTime
    const all = [
      ...settings.endpoints.map((endpoint) => ({ ...endpoint, view: endpointView(account.mode, endpoint, now) })),
      ...(single === undefined ? [] : [{ ...single, view: singleView(account.mode, single) }])
    ]
    const page = yield* Effect.fromResult(pageOfAll(all, request, "a webhook endpoint"))
    return { ...page, data: page.data.map(({ view }) => view) }
  })
})

/** Only fields that were sent change; `disabled` is another word for `status` (silences: W5). */
const changesOf = ({
  description,
  disable_when_failing: disablesWhenFailing,
  disabled,
  enabled_events: types,
  status,
  url
}: UpdateEndpoint): Result.Result<rules.Changes, InvalidField> => {
  if (disabled !== undefined && status !== undefined) {
    return Result.fail(new InvalidField({ param: "disabled", problem: "can't be combined with status" }))
  }
  const wanted = disabled === undefined ? status : disabled ? "disabled" : "enabled"
  return Result.succeed({
    ...(url === undefined ? {} : { url }),
    ...(description === undefined ? {} : { description }),
    ...(types === undefined ? {} : { types }),
    ...(disablesWhenFailing === undefined ? {} : { disablesWhenFailing }),
    ...(wanted === undefined ? {} : { status: wanted })
  })
}

const managedBySettings = <Refusal>({ single }: StoredSettings, id: string, refusal: Refusal) =>
  single?.id === id ? Result.fail(refusal) : Result.void

/**
 * Deliveries follow the settings at once if the database allows it. If not, each attempt reads the settings itself, so
 * the change need not be refused.
 */
const soonEnough = (effect: Effect.Effect<void>) =>
  Effect.catchCause(effect, (cause) =>
    Effect.logWarning(`pending deliveries follow their endpoint when they are due (${String(Cause.squash(cause))})`)
  )
