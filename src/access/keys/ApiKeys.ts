/**
 * Front door to a merchant's keys with scopes (docs/decisions/0090; silences: U26 to U28), for the operator's API and
 * the console. The caller writes the act to the audit log. Times are real time, also in a sandbox whose clock was
 * moved. The two main keys are the merchant's own (`src/access/merchants`).
 */
import type { ApiKeyQuery, CreateApiKey, UpdateApiKey } from "@coffer/contract/ApiKeys"
import type { Account } from "@coffer/model/Account"
import { createdAtOf } from "@coffer/model/Ids"
import { isOfSandbox } from "@coffer/model/Scopes"
import { InvalidField } from "@coffer/rules/InvalidField"
import { readTimestamp } from "@coffer/rules/lists/created"
import { type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import { Context, DateTime, Effect, Layer, Option, Result, Schema } from "effect"
import { type MerchantNotFound, Merchants } from "../merchants/Merchants.ts"
import { allowlistProblem } from "../merchants/merchantSettings.ts"
import { newKey } from "../merchants/keyText.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { onUnmovedClock } from "../../platform/runtime/MerchantClocks.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { span } from "../../platform/runtime/span.ts"
import { type ApiKey as KeyRow, ApiKeyStore, type KeyOf, type TooManyKeys } from "./ApiKeyStore.ts"
import type { TooManyOldSecrets } from "../merchants/keySecrets.ts"
import type { Maker, MakerLeft } from "../merchants/stillGives.ts"
import { KeyUses } from "./KeyUses.ts"

export class ApiKeyNotFound extends Schema.TaggedError<ApiKeyNotFound>()("ApiKeyNotFound", {
  keyId: Schema.String
}) {}

/** The key was revoked or has expired, so it cannot be changed. */
export class ApiKeyEnded extends Schema.TaggedError<ApiKeyEnded>()("ApiKeyEnded", { keyId: Schema.String }) {}

export interface ApiKey extends KeyRow {
  /** When each old secret ends that still works, the next end first. */
  readonly oldEnds: ReadonlyArray<DateTime.Utc>
}

export interface WithSecret {
  readonly key: ApiKey
  /** The secret for the header. It is shown once, and only its hash is stored. */
  readonly secret: string
}

type Terms = Omit<CreateApiKey, "mode">

export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** `by`: who is shown the secret. */
    readonly create: (
      account: Account,
      terms: Terms,
      by: Maker
    ) => Effect.Effect<WithSecret, InvalidField | MakerLeft | MerchantNotFound | TooManyKeys>
    /** Newest first, including ended keys. */
    readonly list: (
      account: Account,
      query: Omit<ApiKeyQuery, "mode">
    ) => Effect.Effect<Page<ApiKey>, InvalidField | MerchantNotFound>
    readonly find: (key: KeyOf) => Effect.Effect<ApiKey, ApiKeyNotFound>
    readonly update: (
      key: KeyOf,
      patch: UpdateApiKey,
      by: Maker
    ) => Effect.Effect<ApiKey, ApiKeyEnded | ApiKeyNotFound | InvalidField | MakerLeft>
    /** Rolls the secret. Those before it keep working for the overlap, or until their own end. */
    readonly roll: (
      key: KeyOf,
      overlapMinutes: number,
      by: Maker
    ) => Effect.Effect<WithSecret, ApiKeyEnded | ApiKeyNotFound | MakerLeft | TooManyOldSecrets>
    /** The secrets before the present one are refused at once, on all runners. */
    readonly endPrevious: (key: KeyOf) => Effect.Effect<ApiKey, ApiKeyEnded | ApiKeyNotFound>
    /** Its secrets are refused at once, on all runners. */
    readonly revoke: (key: KeyOf) => Effect.Effect<ApiKey, ApiKeyNotFound>
  }
>()("@coffer/keys/ApiKeys") {}

export const layer = Layer.effect(
  ApiKeys,
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const merchants = yield* Merchants
    const secrets = yield* Secrets
    const uses = yield* KeyUses

    const { find, whole, withEnds } = makeFinding(store, uses)
    /** This runner drops the key from its cache before it answers; the others are notified. */
    const changed = Effect.fnUntraced(function* <E>(key: KeyOf, change: Effect.Effect<Option.Option<KeyRow>, E>) {
      const { key_id: keyId } = yield* find(key)
      const after = yield* change
      yield* merchants.forget(key.merchantId)
      return (yield* whole(after)) ?? (yield* new ApiKeyEnded({ keyId }))
    })

    return ApiKeys.of({
      create: span("ApiKeys.create")(function* (account, terms, by) {
        const { merchant_id } = yield* merchants.find(account.merchantId)
        const { mode } = account
        const now = yield* currentTime
        const problem = allowlistProblem("ip_allowlist", terms.ip_allowlist) ?? scopesProblem(account, terms)
        if (problem !== undefined) return yield* problem
        const expires_at = yield* Effect.fromResult(readExpiry(terms.expires_at, now))
        const secret = yield* newKey(secrets, mode)
        const key = yield* store.insert(
          (key_id): KeyRow => ({
            key_id,
            merchant_id,
            mode,
            name: terms.name,
            scopes: [...new Set(terms.scopes)],
            ip_allowlist: terms.ip_allowlist ?? "",
            created_at: createdAtOf(key_id),
            expires_at,
            rolled_at: null,
            previous_until: null,
            revoked_at: null,
            last_used_at: null,
            last_used_ip: null,
            created_by: by.email,
            rolled_by: null
          }),
          secrets.keyHash(secret),
          now,
          by
        )
        return { key: { ...key, oldEnds: [] }, secret }
      }, onUnmovedClock),
      list: span("ApiKeys.list")(function* (account, query) {
        yield* merchants.find(account.merchantId)
        yield* uses.written
        const page = yield* store.page(account, yield* Effect.fromResult(readPageRequest(query)))
        return { ...page, data: yield* withEnds(page.data) }
      }),
      find,
      update: span("ApiKeys.update")(function* (key, patch, by) {
        const problem = allowlistProblem("ip_allowlist", patch.ip_allowlist)
        if (problem !== undefined) return yield* problem
        const { ip_allowlist, name } = yield* find(key)
        const change = { name: patch.name ?? name, ip_allowlist: patch.ip_allowlist ?? ip_allowlist }
        return yield* changed(key, store.update(key, change, yield* currentTime, by))
      }, onUnmovedClock),
      roll: span("ApiKeys.roll")(function* (key, overlapMinutes, by) {
        const { mode } = yield* find(key)
        const now = yield* currentTime
        const secret = yield* newKey(secrets, mode)
        const rolling = { now, endsAt: DateTime.add(now, { minutes: overlapMinutes }) }
        return { key: yield* changed(key, store.roll(key, secrets.keyHash(secret), rolling, by)), secret }
      }, onUnmovedClock),
      endPrevious: span("ApiKeys.endPrevious")(function* (key) {
        return yield* changed(key, store.endPrevious(key, yield* currentTime))
      }, onUnmovedClock),
      revoke: span("ApiKeys.revoke")(function* (key) {
        const revoked = yield* store.revoke(key, yield* currentTime)
        yield* merchants.forget(key.merchantId)
        return (yield* whole(revoked)) ?? (yield* new ApiKeyNotFound({ keyId: key.keyId }))
      }, onUnmovedClock)
    })
  })
)

/** Keys as they are found, each with the ends of its old secrets. */
const makeFinding = (store: ApiKeyStore["Service"], uses: KeyUses["Service"]) => {
  const withEnds = Effect.fnUntraced(function* (rows: ReadonlyArray<KeyRow>) {
    const endsOf = yield* store.oldEndsOf(
      rows.map(({ key_id }) => key_id),
      yield* currentTime
    )
    return rows.map((row): ApiKey => ({ ...row, oldEnds: row.revoked_at === null ? endsOf(row.key_id) : [] }))
  }, onUnmovedClock)
  const whole = Effect.fnUntraced(function* (row: Option.Option<KeyRow>) {
    const [key] = yield* withEnds(Option.toArray(row))
    return key
  })
  const find = Effect.fnUntraced(function* (key: KeyOf) {
    yield* uses.written
    return (yield* whole(yield* store.find(key))) ?? (yield* new ApiKeyNotFound({ keyId: key.keyId }))
  })
  return { find, whole, withEnds }
}

/** For a live key test helpers do not exist, so nothing could be done with their scopes. */
const scopesProblem = ({ mode }: Account, { scopes }: Terms): InvalidField | undefined => {
  const helper = mode === "live" ? scopes.find(isOfSandbox) : undefined
  return helper === undefined
    ? undefined
    : new InvalidField({ param: "scopes", problem: `${helper} is only for sandbox keys` })
}

const readExpiry = (text: string | undefined, now: DateTime.Utc): Result.Result<DateTime.Utc | null, InvalidField> => {
  if (text === undefined) return Result.succeed(null)
  const at = readTimestamp(text)
  if (at === undefined) {
    return Result.fail(
      new InvalidField({
        param: "expires_at",
        problem: "must be an ISO 8601 date and time, such as 2030-01-01T00:00:00Z"
      })
    )
  }
  return DateTime.isGreaterThan(at, now)
    ? Result.succeed(at)
    : Result.fail(new InvalidField({ param: "expires_at", problem: "must be in the future" }))
}
