/**
 * One actor per wallet (merchant, mode, currency). It decides one message at a time and commits many together: the
 * decision and the queueing of its changes are one synchronous block, so the order in the queue is the order of
 * versions, and only the reply waits for the commit (docs/architecture.md, section 4).
 */
import { InsufficientBalance, Movement, post } from "@coffer/rules/wallet/post"
import type { Wallet, WalletName } from "@coffer/rules/wallet/Wallet"
import { Cause, Context, Effect, Layer, Result, Schema, Semaphore } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { entityLayer } from "../platform/cluster/entityLayer.ts"
import { ChangeSet, CommitError, NotCommitted, StaleVersion } from "../platform/commit/Change.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { localPayload } from "../platform/cluster/localPayload.ts"
import { NewIds } from "../platform/runtime/NewIds.ts"
import { Transactor } from "../platform/commit/Transactor.ts"
import { sha256 } from "../platform/runtime/Secrets.ts"
import { posted, WalletStore } from "./WalletStore.ts"

/** What is posted, and what is written in the same transaction. A version in the changes makes it idempotent. */
export const Entry = Schema.Struct({
  movements: Schema.Array(Movement),
  /** How much more is promised from now on; below zero, how much less. */
  reserve: Schema.Int,
  changes: ChangeSet
})
export type Entry = typeof Entry.Type

export const noEntry: Entry = { movements: [], reserve: 0, changes: [] }

export const WalletEntity = Entity.make("Wallet", [
  Rpc.make("Post", {
    payload: localPayload(Entry.fields),
    error: Schema.Union([...CommitError.members, InsufficientBalance])
  })
])

/**
 * The wallets that are awake on this runner. A caller on this runner asks them without a message, which costs as much
 * as the decision itself: the order of decisions is the order of asking in either case, and the row's version is the
 * fence in either case. A wallet is here from its first message until its actor leaves.
 */
export class WalletsAwake extends Context.Service<
  WalletsAwake,
  Map<string, (entry: Entry) => Effect.Effect<void, CommitError | InsufficientBalance>>
>()("@coffer/wallets/WalletsAwake") {}

export const layerAwake = Layer.sync(WalletsAwake, () => new Map())

/** How often one message is decided anew because the wallet in memory was not the wallet in the database. */
const retriesMax = 8

/** The wallet as this actor knows it. A new object for every load, so that a late failure cannot drop a fresh one. */
interface Known {
  wallet: Wallet
  /** The newest commit on the way. All before it are decided when it is. */
  pending: Effect.Effect<unknown, CommitError>
}

const makePostEntry = (
  address: string,
  {
    ids,
    store,
    transactor
  }: {
    readonly ids: NewIds["Service"]
    readonly store: WalletStore["Service"]
    readonly transactor: Transactor["Service"]
  }
) => {
  const loading = Semaphore.makeUnsafe(1)
  let known: Known | undefined

  const load = loading.withPermit(
    Effect.gen(function* () {
      if (known !== undefined) return known
      const now = yield* currentTime
      known = { wallet: yield* store.open(nameOf(address), now), pending: Effect.void }
      return known
    })
  )

  const attempt = Effect.fnUntraced(function* (entry: Entry) {
    const idBody = yield* ids.body
    const now = yield* currentTime
    const current = known ?? (yield* load)
    // From here to `submit` nothing may yield: another message must not decide on the same wallet.
    const posting = post(current.wallet, entry, { now, idBody, digest: sha256 })
    if (Result.isFailure(posting)) {
      // The wallet it was decided on may not be in the database yet. The refusal holds only if it gets there.
      yield* current.pending.pipe(
        Effect.catch(() => {
          if (known === current) known = undefined
          return Effect.fail(new StaleVersion({ table: "wallets", key: address }))
        })
      )
      return yield* posting.failure
    }
    const { rows, wallet } = posting.success
    const committed = transactor.submit(address, [...entry.changes, ...posted(current.wallet, wallet, rows)])
    if (committed === undefined) return yield* new NotCommitted({ reason: "overloaded" })
    current.wallet = wallet
    current.pending = committed
    yield* Effect.onError(committed, (cause) =>
      Effect.sync(() => {
        // An interrupted caller does not take its entry back: the entry will be written, and the next one follows it.
        if (known === current && !Cause.hasInterruptsOnly(cause)) known = undefined
      })
    )
  })

  // Not `Effect.retry`, which sets up a schedule for each entry: few need a second attempt.
  const postEntry = (entry: Entry, retriesLeft = retriesMax): Effect.Effect<void, CommitError | InsufficientBalance> =>
    Effect.catchIf(
      attempt(entry),
      // An entry before this one in the queue failed, or another runner wrote: decide on what is there now.
      (error) => retriesLeft > 0 && error._tag === "StaleVersion" && error.table === "wallets",
      () => postEntry(entry, retriesLeft - 1)
    )
  return postEntry
}

const prepare = Effect.gen(function* () {
  const services = { store: yield* WalletStore, transactor: yield* Transactor, ids: yield* NewIds }
  const awake = yield* WalletsAwake

  return Effect.gen(function* () {
    const address = (yield* Entity.CurrentAddress).entityId
    const postEntry = makePostEntry(address, services)
    awake.set(address, postEntry)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        // The actor that comes after this one may be here already.
        if (awake.get(address) === postEntry) awake.delete(address)
      })
    )
    return WalletEntity.of({ Post: ({ payload }) => postEntry(payload) })
  })
})

export const layer = entityLayer(WalletEntity, prepare, {
  concurrency: "unbounded",
  mailboxCapacity: 8_192,
  maxIdleTime: "1 minute",
  disableFatalDefects: true
})

const nameOf = (address: string): WalletName => {
  const [merchantId, mode, currency] = address.split("/")
  return { merchantId, mode, currency } as WalletName
}
