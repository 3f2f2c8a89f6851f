/**
 * Front door to merchants: who owns a key, what they may do, what they pay. Read on every request, so it is cached;
 * a change drops the cache at once on every runner, and while this runner cannot hear of changes it does not cache
 * (spec: Authentication, 4 and 5).
 */
import { MerchantId, Mode, prefixes } from "@coffer/model/Ids"
import type { UpdateMerchant } from "@coffer/contract/Operator"
import { parseAllowlist } from "@coffer/rules/allowlist"
import { urlProblem } from "@coffer/rules/delivery/urlProblem"
import { InvalidField } from "@coffer/rules/InvalidField"
import { Cache, Context, DateTime, Duration, Effect, Exit, Layer, Option, Result, Schema } from "effect"
import { NewIds } from "../platform/runtime/NewIds.ts"
import { memoize } from "../platform/runtime/memoize.ts"
import { sha256, unboundForm, Secrets } from "../platform/runtime/Secrets.ts"
import { Settings } from "../platform/runtime/Settings.ts"
import { span } from "../platform/runtime/span.ts"
import { listenForChanges } from "./listenForChanges.ts"
import { type MerchantRow, MerchantStore, type ModeRow, type SealedRow } from "./MerchantStore.ts"

export type Merchant = MerchantRow

export class MerchantNotFound extends Schema.TaggedError<MerchantNotFound>()("MerchantNotFound", {
  merchantId: Schema.String
}) {}

export interface NewKeys {
  readonly merchant: Merchant
  readonly sandboxKey: string
  readonly liveKey: string
}

export class Merchants extends Context.Service<
  Merchants,
  {
    readonly byKey: (key: string) => Effect.Effect<Option.Option<{ readonly merchant: Merchant; readonly mode: Mode }>>
    readonly find: (merchantId: string) => Effect.Effect<Merchant, MerchantNotFound>
    readonly create: (name: string) => Effect.Effect<NewKeys>
    readonly update: (
      merchantId: string,
      patch: UpdateMerchant
    ) => Effect.Effect<Merchant, MerchantNotFound | InvalidField>
    /** The old key is dead at once; the new one is shown this once. */
    readonly resetKey: (merchantId: string, mode: Mode) => Effect.Effect<string, MerchantNotFound>
    /** Signs order-level notifications and the default endpoint's (silences: W1). */
    readonly signingSecret: (merchantId: string, mode: Mode) => Effect.Effect<string, MerchantNotFound>
    readonly isEmpty: Effect.Effect<boolean>
  }
>()("@coffer/merchants/Merchants") {}

/** Key prefixes decide the environment (spec: Authentication, 2). */
const keyPrefixes = { sandbox: "svc_test_", live: "svc_live_" } as const

/** Merchants and keys kept in memory. */
const cachedMax = 10_000
/** Characters of a bad allowlist entry that the refusal repeats. */
const entryShownMax = 64

export const layer = Layer.effect(
  Merchants,
  Effect.gen(function* () {
    const store = yield* MerchantStore
    const ids = yield* NewIds
    const secrets = yield* Secrets
    const { allowPrivateWebhooks } = yield* Settings

    const found = (merchantId: string, row: Option.Option<Merchant>) =>
      Option.isSome(row) ? Effect.succeed(row.value) : Effect.fail(new MerchantNotFound({ merchantId }))
    const load = (merchantId: string) => Effect.flatMap(store.byId(merchantId), (row) => found(merchantId, row))

    const byHash = yield* Cache.makeWith(store.byKeyHash, { capacity: cachedMax, timeToLive: kept(Option.isSome) })
    const byId = yield* Cache.makeWith(load, { capacity: cachedMax, timeToLive: kept() })
    const forget = Effect.andThen(Cache.invalidateAll(byHash), Cache.invalidateAll(byId))
    const hearing = yield* listenForChanges(yield* secrets.random(12), forget)

    const cached =
      <Key, Value, E>(cache: Cache.Cache<Key, Value, E>, lookup: (key: Key) => Effect.Effect<Value, E>) =>
      (key: Key) =>
        Effect.suspend(() => (hearing.isProven() ? Cache.get(cache, key) : lookup(key)))
    const readByHash = cached(byHash, store.byKeyHash)
    const readById = cached(byId, load)

    // A plain digest costs a tenth of the keyed hash. The digest is kept in memory, never the key.
    const keyHash = memoize(cachedMax, sha256, secrets.keyHash)

    const find = (merchantId: string) =>
      isMerchantId(merchantId) ? readById(merchantId) : Effect.fail(new MerchantNotFound({ merchantId }))

    const newKey = (mode: Mode) => Effect.map(secrets.random(32), (text) => keyPrefixes[mode] + text)
    const newMode = Effect.fnUntraced(function* (merchantId: string, mode: Mode, key: string) {
      const secret = `whsec_${yield* secrets.random(32)}`
      return {
        key_hash: secrets.keyHash(key),
        signing_secret: secrets.encrypt(secret, useOf(merchantId, mode)),
        ip_allowlist: "",
        default_notify_url: null
      } satisfies ModeRow
    })

    const create = span("Merchants.create")(function* (name: string) {
      const sandboxKey = yield* newKey("sandbox")
      const liveKey = yield* newKey("live")
      const merchantId = yield* ids.next(prefixes.merchant)
      const merchant: Merchant = {
        merchant_id: merchantId as MerchantId,
        name,
        approved: false,
        live_currencies: [],
        fees: [],
        dispute_fee: {},
        payout_fee: {},
        quotas: {},
        created_at: yield* DateTime.now,
        modes: {
          sandbox: yield* newMode(merchantId, "sandbox", sandboxKey),
          live: yield* newMode(merchantId, "live", liveKey)
        }
      }
      yield* store.insert(merchant)
      return { merchant, sandboxKey, liveKey }
    })

    const change = Effect.fnUntraced(function* (merchantId: string, patch: (merchant: Merchant) => Merchant) {
      if (!isMerchantId(merchantId)) return yield* new MerchantNotFound({ merchantId })
      const row = yield* store.modify(merchantId, patch)
      yield* forget
      return yield* found(merchantId, row)
    })

    const resetKey = span("Merchants.resetKey")(function* (merchantId: string, mode: Mode) {
      const key = yield* newKey(mode)
      yield* change(merchantId, (merchant) => withMode(merchant, mode, { key_hash: secrets.keyHash(key) }))
      return key
    })

    yield* Effect.forkScoped(bindSealed(store, secrets))

    return Merchants.of({
      byKey: (key) =>
        Effect.suspend(() => {
          if (!isKey(key)) return Effect.succeedNone
          const hash = keyHash(key)
          // Between finding the owner and reading its row the key may have been reset.
          return Effect.map(readByHash(hash), (owner) =>
            Option.filter(owner, ({ merchant, mode }) => secrets.isSameHash(merchant.modes[mode].key_hash, hash))
          )
        }),
      find,
      create,
      update: span("Merchants.update")(function* (merchantId, patch) {
        for (const mode of Mode.literals) {
          const allowance = { mode, privateAllowed: allowPrivateWebhooks }
          const problem =
            urlProblem(`${mode}.default_notify_url`, patch[mode]?.default_notify_url, allowance) ??
            allowlistProblem(`${mode}.ip_allowlist`, patch[mode]?.ip_allowlist)
          if (problem !== undefined) return yield* problem
        }
        return yield* change(merchantId, (merchant) => patched(merchant, patch))
      }),
      resetKey,
      signingSecret: (merchantId, mode) =>
        Effect.map(find(merchantId), ({ modes }) =>
          secrets.decrypt(modes[mode].signing_secret, useOf(merchantId, mode))
        ),
      isEmpty: store.isEmpty
    })
  })
)

/** What a sealed signing secret is bound to. */
const useOf = (merchantId: string, mode: Mode) => `${merchantId}/${mode}/signing_secret`

/** Seals anew what was sealed before secrets were bound to their rows. A service of that time cannot open it then. */
const bindSealed = Effect.fnUntraced(
  function* (store: MerchantStore["Service"], secrets: Secrets["Service"]) {
    let after: SealedRow | undefined
    while (true) {
      const rows: ReadonlyArray<SealedRow> = yield* store.sealedAs(unboundForm, after)
      after = rows.at(-1)
      if (after === undefined) return
      for (const row of rows) {
        const use = useOf(row.merchant_id, row.mode)
        yield* Effect.sync(() => secrets.encrypt(secrets.decrypt(row.signing_secret, use), use)).pipe(
          Effect.flatMap((fresh) => store.reseal(row, fresh)),
          Effect.catchCause((cause) => Effect.logError("a signing secret cannot be sealed anew", use, cause))
        )
      }
    }
  },
  Effect.catchCause((cause) => Effect.logWarning("signing secrets will be bound at the next start", cause))
)

/**
 * What was read stays until it changes, and no longer than this, whatever this runner may have missed. That reading
 * failed is forgotten at once, and so is that nobody has a key: whoever tries many would fill the places of those who
 * have one.
 */
const keptMax = Duration.minutes(1)
const kept =
  <A, E>(isThere: (value: A) => boolean = () => true) =>
  (exit: Exit.Exit<A, E>) =>
    Exit.isSuccess(exit) && isThere(exit.value) ? keptMax : Duration.zero

/** What cannot be one is not asked for: Postgres has no text with NUL, and the cache keeps no nonsense. */
const isMerchantId = Schema.is(MerchantId)

const isKey = (key: string) => Object.values(keyPrefixes).some((prefix) => key.startsWith(prefix))

const withMode = (merchant: Merchant, mode: Mode, patch: Partial<ModeRow>): Merchant => ({
  ...merchant,
  modes: { ...merchant.modes, [mode]: { ...merchant.modes[mode], ...patch } }
})

const allowlistProblem = (param: string, text: string | undefined): InvalidField | undefined => {
  const list = parseAllowlist(text ?? "")
  if (Result.isSuccess(list)) return undefined
  const problem = `${list.failure.slice(0, entryShownMax)} is not an IPv4 address, an IPv4 range or an IPv6 address`
  return new InvalidField({ param, problem })
}

const patched = (
  merchant: Merchant,
  { dispute_fee, live, payout_fee, quotas, sandbox, ...own }: UpdateMerchant
): Merchant => {
  const changed = {
    ...merchant,
    ...own,
    dispute_fee: { ...merchant.dispute_fee, ...dispute_fee },
    payout_fee: { ...merchant.payout_fee, ...payout_fee },
    quotas: { ...merchant.quotas, ...quotas }
  }
  return withMode(withMode(changed, "sandbox", sandbox ?? {}), "live", live ?? {})
}
