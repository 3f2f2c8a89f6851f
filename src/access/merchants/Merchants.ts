/** Front door to merchants: the owner of a key, its rights, its fees (spec: Authentication). */
import type { MerchantQuery } from "@coffer/contract/Operator"
import { type ChannelName, EndpointId, MerchantId, Mode, prefixes } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import type { InvalidField } from "@coffer/rules/InvalidField"
import { type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type AccountSet, routeAfter } from "../../shared/channel/ChannelAccount.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { MerchantClocks } from "../../platform/runtime/MerchantClocks.ts"
import { memoize } from "@coffer/model/memoize"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { Secrets, sha256 } from "../../platform/runtime/Secrets.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { Wakeups } from "../../platform/commit/Wakeups.ts"
import { ShopHosts } from "../../shared/signedUrls/ShopHosts.ts"
import * as MerchantCache from "./MerchantCache.ts"
import { type Installation, type MerchantPatch, settingsProblem, withMode, withSettings } from "./merchantSettings.ts"
import { type FoundKey, type MerchantRow, MerchantStore } from "./MerchantStore.ts"
import type { TooManyOldSecrets } from "./keySecrets.ts"
import { isKey, newKey } from "./keyText.ts"
import { makeMainKeys } from "./mainKeys.ts"
import { newMerchant } from "./newMerchant.ts"
import { works } from "./ScopedKey.ts"
import { bindSigningSecrets, openAccountSecret } from "./signingSecrets.ts"
import { type Changer, type Maker, type MakerLeft, makeStillChanges } from "./stillGives.ts"

export type Merchant = MerchantRow
export type { FoundKey }

export class MerchantNotFound extends Schema.TaggedError<MerchantNotFound>()("MerchantNotFound", {
  merchantId: Schema.String
}) {}

/** Its settings have changed since the writer has read them. */
export class MerchantChanged extends Schema.TaggedError<MerchantChanged>()("MerchantChanged", {
  reason: Schema.tag("changed_meanwhile")
}) {}

/** The clock of the sandbox was moved, and that of an acquirer cannot be (silences: S25). */
export class ClockMoved extends Schema.TaggedError<ClockMoved>()("ClockMoved", {}) {}

export interface Keyed {
  /** Whether it was a merchant's key at its last look-up here. From memory, and perhaps stale. */
  readonly isRecalled: boolean
  /**
   * The account of a key at this moment of real time, in milliseconds since 1970. None also if the key has ended. It
   * may be looked up when this is called.
   */
  readonly account: (at: number) => Effect.Effect<Option.Option<FoundKey>>
  /** Whether it was a merchant's, and has ended. */
  readonly hasEnded: Effect.Effect<boolean>
}

export interface NewKeys {
  readonly merchant: Merchant
  readonly sandboxKey: string
  readonly liveKey: string
}

export class Merchants extends Context.Service<
  Merchants,
  {
    readonly byKey: (key: string) => Keyed
    readonly find: (merchantId: string) => Effect.Effect<Merchant, MerchantNotFound>
    readonly create: (name: string) => Effect.Effect<NewKeys>
    /** Newest first. */
    readonly list: (query: MerchantQuery) => Effect.Effect<Page<Merchant>, InvalidField>
    readonly update: (
      merchantId: string,
      patch: MerchantPatch,
      how?: {
        /** Whether this is what the writer has read; asked while nobody else can change it. */
        readonly isCurrent?: (merchant: Merchant) => boolean
        /** Who changes them, asked again where they are written. */
        readonly by?: Changer
      }
    ) => Effect.Effect<Merchant, MakerLeft | MerchantChanged | MerchantNotFound | InvalidField>
    /** Its keys are refused at once, on all runners. */
    readonly suspend: (merchantId: string) => Effect.Effect<Merchant, MerchantNotFound>
    readonly resume: (merchantId: string) => Effect.Effect<Merchant, MerchantNotFound>
    /** Closes the merchant for good (docs/decisions/0115), at once on all runners. */
    readonly close: (merchantId: string) => Effect.Effect<Merchant, MerchantNotFound>
    /** Returns the new key, which is shown this once. Keys before it work for the overlap, or until their own end. */
    readonly resetKey: (
      merchantId: string,
      mode: Mode,
      by: Maker,
      overlapMinutes?: number
    ) => Effect.Effect<string, MakerLeft | MerchantNotFound | TooManyOldSecrets>
    /** The main keys before the present one are refused at once, on all runners. */
    readonly endOldKeys: (merchantId: string, mode: Mode) => Effect.Effect<void, MerchantNotFound>
    /** When each main key ends that was reset and still works, the next end first. */
    readonly oldKeyEnds: (
      merchantId: string,
      mode: Mode
    ) => Effect.Effect<ReadonlyArray<DateTime.Utc>, MerchantNotFound>
    /** Sets the merchant's account at a channel in one environment. */
    readonly setChannelAccount: (
      account: Account,
      channel: ChannelName,
      set: AccountSet
    ) => Effect.Effect<Merchant, MerchantNotFound | ClockMoved>
    /** The account's current secret: signs what goes to an order's own URL and to the default one (silences: W1). */
    readonly signingSecret: (merchantId: string, mode: Mode) => Effect.Effect<string, MerchantNotFound>
    /** Drops the merchant from this runner's cache, after a change of something that belongs to it. */
    readonly forget: (merchantId: string) => Effect.Effect<void>
    /** Waits until the other runners know this offset of a sandbox's clock, for some seconds at most. */
    readonly clockIsHeard: (merchantId: string, offset: number) => Effect.Effect<void>
    readonly isEmpty: Effect.Effect<boolean>
  }
>()("@coffer/merchants/Merchants") {}

interface Updating {
  readonly askedForHost: Effect.Success<typeof makeAskedForHost>
  readonly change: (
    merchantId: string,
    patch: (merchant: Merchant) => Merchant,
    check: Effect.Effect<void, MakerLeft>
  ) => Effect.Effect<Merchant, MakerLeft | MerchantNotFound>
  readonly stillChanges: ReturnType<typeof makeStillChanges>
  readonly find: Merchants["Service"]["find"]
  readonly installation: Effect.Success<typeof installationOf>
  readonly numbering: Effect.Success<ReturnType<typeof makeNumbering>>
}

const makeUpdate = ({
  askedForHost,
  change,
  find,
  installation,
  numbering,
  stillChanges
}: Updating): Merchants["Service"]["update"] =>
  span("Merchants.update")(function* (merchantId, patch, { by, isCurrent = () => true } = {}) {
    const problem = settingsProblem(patch, installation)
    if (problem !== undefined) return yield* problem
    const number = yield* numbering((yield* find(merchantId)).merchant_id)
    let isChanged = false
    const changed = yield* change(
      merchantId,
      (merchant) => {
        isChanged = !isCurrent(merchant)
        return isChanged ? merchant : withSettings(merchant, patch, number)
      },
      by === undefined ? Effect.void : sqlDefects(stillChanges(merchantId, by))
    )
    if (isChanged) return yield* new MerchantChanged({})
    if (patch.checkout_domain !== undefined) yield* askedForHost(merchantId)
    return changed
  })

export const layer = Layer.effect(
  Merchants,
  Effect.gen(function* () {
    const store = yield* MerchantStore
    const ids = yield* NewIds
    const secrets = yield* Secrets
    const sql = yield* SqlClient.SqlClient
    const installation = yield* installationOf
    const askedForHost = yield* makeAskedForHost
    const cache = yield* MerchantCache.make
    const numbering = yield* makeNumbering(ids, secrets)
    const mainKeys = yield* makeMainKeys

    const find = makeFind(cache)
    const change = Effect.fnUntraced(function* <E = never>(
      merchantId: string,
      patch: (merchant: Merchant) => Merchant,
      check?: Effect.Effect<void, E>
    ) {
      if (!isMerchantId(merchantId)) return yield* new MerchantNotFound({ merchantId })
      const row = yield* store.modify(merchantId, patch, check)
      yield* cache.forget(merchantId)
      return Option.isSome(row) ? row.value : yield* new MerchantNotFound({ merchantId })
    })

    yield* Effect.forkScoped(bindSigningSecrets)

    return Merchants.of({
      byKey: makeByKey({ byKeyHash: cache.byKeyHash, wasKey: store.wasKey }, secrets),
      find,
      create: span("Merchants.create")(function* (name) {
        return yield* store.insert((merchantId) => newMerchant(merchantId, secrets, name))
      }),
      update: makeUpdate({ askedForHost, change, find, installation, numbering, stillChanges: makeStillChanges(sql) }),
      list: span("Merchants.list")(function* (query) {
        return yield* store.page(yield* Effect.fromResult(readPageRequest(query)), query)
      }),
      suspend: span("Merchants.suspend")(function* (merchantId) {
        const now = yield* currentTime
        return yield* change(merchantId, (merchant) => ({ ...merchant, suspended_at: merchant.suspended_at ?? now }))
      }),
      resume: span("Merchants.resume")(function* (merchantId) {
        return yield* change(merchantId, (merchant) => ({ ...merchant, suspended_at: null }))
      }),
      close: span("Merchants.close")(function* (merchantId) {
        const now = yield* currentTime
        return yield* change(merchantId, (merchant) => ({ ...merchant, closed_at: merchant.closed_at ?? now }))
      }),
      ...makeMainKeyActs({ cache, find, mainKeys, secrets }),
      setChannelAccount: span("Merchants.setChannelAccount")(function* ({ merchantId, mode }, channel, set) {
        const { isActive, own, setAt } = set
        // An advance locks this row and reads it, so that of two concurrent changes the second sees the first.
        const keepsRealTime = Effect.flatMap(store.isClockMoved(merchantId), (isMoved) =>
          isMoved ? Effect.fail(new ClockMoved()) : Effect.void
        )
        const isHeld = mode === "sandbox" && isActive
        return yield* change(
          merchantId,
          (merchant) =>
            withMode(merchant, mode, {
              channel_accounts: {
                ...merchant.modes[mode].channel_accounts,
                [channel]: {
                  isActive,
                  setAt,
                  own,
                  ...routeAfter(merchant.modes[mode].channel_accounts[channel] ?? {}, set)
                }
              }
            }),
          isHeld ? keepsRealTime : Effect.void
        )
      }),
      signingSecret: (merchantId, mode) =>
        Effect.map(find(merchantId), ({ merchant_id, modes }) =>
          openAccountSecret(secrets, { merchantId: merchant_id, mode }, modes[mode].webhooks.signing)
        ),
      forget: cache.forget,
      clockIsHeard: cache.clockIsHeard,
      isEmpty: store.isEmpty
    })
  })
)

interface MainKeyActs {
  readonly cache: Pick<Effect.Success<typeof MerchantCache.make>, "forget">
  readonly find: Merchants["Service"]["find"]
  readonly mainKeys: Effect.Success<typeof makeMainKeys>
  readonly secrets: Secrets["Service"]
}

const makeMainKeyActs = ({
  cache,
  find,
  mainKeys,
  secrets
}: MainKeyActs): Pick<Merchants["Service"], "endOldKeys" | "oldKeyEnds" | "resetKey"> => ({
  resetKey: span("Merchants.resetKey")(function* (merchantId, mode, by, overlapMinutes = 0) {
    const { merchant_id } = yield* find(merchantId)
    const key = yield* newKey(secrets, mode)
    const now = yield* currentTime
    const rolling = { now, endsAt: DateTime.add(now, { minutes: overlapMinutes }) }
    yield* mainKeys.reset({ merchantId: merchant_id, mode }, secrets.keyHash(key), rolling, by)
    yield* cache.forget(merchant_id)
    return key
  }),
  endOldKeys: span("Merchants.endOldKeys")(function* (merchantId, mode) {
    const { merchant_id } = yield* find(merchantId)
    yield* mainKeys.endOld({ merchantId: merchant_id, mode })
    yield* cache.forget(merchant_id)
  }),
  oldKeyEnds: span("Merchants.oldKeyEnds")(function* (merchantId, mode) {
    const { merchant_id } = yield* find(merchantId)
    return yield* mainKeys.oldEnds({ merchantId: merchant_id, mode }, yield* currentTime)
  })
})

const installationOf = Effect.map(
  Effect.all([Settings, ShopHosts]),
  ([{ allowPrivateWebhooks }, { own, pointTo }]): Installation => ({
    privateAllowed: allowPrivateWebhooks,
    own,
    pointTo
  })
)

/** A merchant's own host for checkout was set or removed: this runner drops it, and a worker looks it up. */
const makeAskedForHost = Effect.map(
  Effect.all([ShopHosts, Wakeups]),
  ([hosts, wakeups]) =>
    (merchantId: string) =>
      Effect.map(hosts.read(merchantId), () => wakeups.raise("shop_domains"))
)

/** Bytes of the text that proves a host. */
const tokenBytes = 18

/**
 * The numbers of a single address that is set for the first time. An operator's request does not run on a merchant's
 * clock.
 */
const makeNumbering = (ids: NewIds["Service"], secrets: Secrets["Service"]) =>
  Effect.map(MerchantClocks, (clocks) => {
    const number = Effect.all({
      id: Effect.map(ids.next(prefixes.endpoint), (id) => EndpointId.make(id)),
      now: currentTime
    })
    return Effect.fnUntraced(function* (merchantId: MerchantId) {
      return {
        sandbox: yield* clocks.within({ merchantId, mode: "sandbox" }, number),
        live: yield* number,
        token: yield* secrets.random(tokenBytes)
      }
    })
  })

const makeByKey = (
  { byKeyHash, wasKey }: Pick<MerchantStore["Service"], "byKeyHash" | "wasKey">,
  secrets: Secrets["Service"]
): Merchants["Service"]["byKey"] => {
  // The keyed hash costs ten times a plain digest, so it is remembered by the digest. Keys themselves are not kept.
  const keyHash = memoize(MerchantCache.cachedMax, sha256, secrets.keyHash)
  /** Hashes of keys that belonged to a merchant at their last look-up. */
  const known = new Set<string>()
  const note = (hash: string, isKnown: boolean) => {
    if (!isKnown) return void known.delete(hash)
    if (known.has(hash)) return
    if (known.size >= MerchantCache.cachedMax) known.clear()
    known.add(hash)
  }

  return (key) => {
    if (!isKey(key)) return unknownKey
    const hash = keyHash(key)
    return {
      isRecalled: known.has(hash),
      // Every request calls this, so it takes no step of the fiber if the key is cached.
      account: (at) =>
        Effect.mapEager(byKeyHash(hash), (found) => {
          const account = Option.filter(found, (sent) => works(sent, at))
          note(hash, Option.isSome(account))
          return account
        }),
      hasEnded: Effect.suspend(() => wasKey(hash))
    }
  }
}

const unknownKey: Keyed = { isRecalled: false, account: () => Effect.succeedNone, hasEnded: Effect.succeed(false) }

const makeFind =
  ({ byId }: Pick<MerchantStore["Service"], "byId">): Merchants["Service"]["find"] =>
  (merchantId) =>
    isMerchantId(merchantId)
      ? Effect.suspend(() =>
          Effect.flatMapEager(byId(merchantId), (merchant) =>
            Option.isSome(merchant) ? Effect.succeed(merchant.value) : Effect.fail(new MerchantNotFound({ merchantId }))
          )
        )
      : Effect.fail(new MerchantNotFound({ merchantId }))

/** Text that cannot be an id is not looked up: Postgres refuses NUL in text, and it would only fill the cache. */
const isMerchantId = Schema.is(MerchantId)
