/**
 * Front door to wallets: post an entry, read a balance, list the ledger. An entry goes to the runner that owns the
 * wallet, and is posted there.
 */
import type { LedgerQuery } from "@coffer/contract/Balance"
import type { Account } from "@coffer/model/Account"
import type { InvalidField } from "@coffer/rules/InvalidField"
import { readCreated } from "@coffer/rules/lists/created"
import { type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import { InsufficientBalance, type Movement, post } from "@coffer/rules/wallet/post"
import { emptyWallet, type Wallet, walletIdOf, WalletName } from "@coffer/rules/wallet/Wallet"
import { Cause, Clock, Context, DateTime, Effect, Layer, Option, Result, Schema } from "effect"
import { ask, askAsOwner, OwnerUnavailable } from "../../platform/cluster/ask.ts"
import { CommitError, type Described, NotCommitted, StaleVersion } from "../../platform/commit/Change.ts"
import type { Exported } from "../../platform/postgres/Pages.ts"
import { span } from "../../platform/runtime/span.ts"
import { Merchants } from "../../access/merchants/Merchants.ts"
import { postingChanges, type LedgerEntry, WalletStore } from "./WalletStore.ts"
import { ownerOf } from "../../platform/cluster/owner.ts"
import { EntryMessage, readEntry } from "./Instructions.ts"
import { createdAtOf } from "@coffer/model/Ids"
import { makeTurns, showTurns } from "../../platform/cluster/turns.ts"
import { Transactor } from "../../platform/commit/Transactor.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { millisLeft } from "../../platform/runtime/Deadline.ts"
import { commitMillis } from "../../platform/runtime/patience.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { sha256 } from "../../platform/runtime/Secrets.ts"
import { LastUsed } from "../../platform/runtime/lastUsed.ts"

/** The parts that are posted to a wallet together. */
export interface Entry extends Described {
  readonly movements: ReadonlyArray<Movement>
  /** Change of the promised amount; negative to release. */
  readonly reserve: number
}

export const noEntry: Entry = { movements: [], reserve: 0, changes: [], instructions: [] }

type Posted = Effect.Effect<void, CommitError | OwnerUnavailable | InsufficientBalance>
type Post = (wallet: WalletName, entry: Entry) => Posted

export class Wallets extends Context.Service<
  Wallets,
  {
    /** Posts the movements and commits `changes` with them, or does neither. */
    readonly post: Post
    /** The same within another command, whose own caller waits only so long. */
    readonly postAsOwner: Post
    /** For any currency, also one that is not enabled in live; zeros if the wallet was never used (silences: B4). */
    readonly balance: (wallet: WalletName) => Effect.Effect<Wallet>
    /** Newest first. */
    readonly ledger: (account: Account, query: LedgerQuery) => Effect.Effect<Page<LedgerEntry>, InvalidField>
    /** Ignores `limit` and cursors. */
    readonly ledgerExported: (
      account: Account,
      query: LedgerQuery
    ) => Effect.Effect<Exported<LedgerEntry>, InvalidField>
  }
>()("@coffer/wallets/Wallets") {}

export const layer = Layer.effect(
  Wallets,
  Effect.gen(function* () {
    const store = yield* WalletStore
    const merchants = yield* Merchants
    const tell = yield* askWallet

    const merchantOf = ({ merchantId }: WalletName) =>
      Effect.catchTags(merchants.find(merchantId), { MerchantNotFound: Effect.die })

    const send = ({ currency, merchantId, mode }: WalletName, entry: Entry) =>
      tell({ wallet: { merchantId, mode, currency }, entry })

    return Wallets.of({
      post: (wallet, entry) => ask(send(wallet, entry)),
      postAsOwner: (wallet, entry) => askAsOwner(send(wallet, entry)),
      balance: span("Wallets.balance")(function* (name) {
        const wallet = yield* store.find(name)
        // An entry that was refused has opened the row, and is no use of the wallet.
        if (Option.isSome(wallet) && wallet.value.sequence > 0) return wallet.value
        return emptyWallet(name, (yield* merchantOf(name)).created_at)
      }),
      ledger: span("Wallets.ledger")(function* (account, query) {
        return yield* store.page(account, yield* Effect.fromResult(readPageRequest(query)), query)
      }),
      ledgerExported: span("Wallets.ledgerExported")(function* (account, query) {
        return yield* store.exported(account, yield* Effect.fromResult(readCreated(query)), query)
      })
    })
  })
)

export type { LedgerEntry, WalletName }

// Messages to its owner -----------------------------------------------------------

/** Called by the owner of the wallet. */
export class WalletCommands extends Context.Service<WalletCommands, { readonly post: Post }>()(
  "@coffer/wallets/WalletCommands"
) {}

export const {
  ask: askWallet,
  layer: layerSlots,
  messages
} = ownerOf({
  name: "Wallets",
  payload: Schema.Struct({ wallet: WalletName, entry: EntryMessage }),
  success: Schema.Void,
  failure: Schema.Union([...CommitError.members, InsufficientBalance, OwnerUnavailable]),
  keyOf: ({ wallet }) => walletIdOf(wallet),
  perform: Effect.map(
    WalletCommands,
    ({ post }) =>
      ({ entry, wallet }) =>
        post(wallet, entry)
  ),
  received: readEntry
})

// At its owner --------------------------------------------------------------------
// The decision and the queueing of its changes are one synchronous block, so the order in the queue is the order of
// versions, and only the reply waits for the commit (docs/architecture.md, section 4). So a wallet decides one entry at
// a time and commits many together. Model: models/writes.pml.

/** How often one entry is decided again because the wallet in memory was stale. */
const retriesMax = 8
/** Entries that may wait for one wallet to be read. */
const waitingMax = 8_192
/** Wallets in memory, about a kilobyte each. */
const rememberedMax = 10_000

/** The wallet as this runner knows it. A new object for every read, so that a late failure cannot drop a fresh one. */
interface Known {
  wallet: Wallet
  /** The newest commit under way. Once its outcome is known, so are those of all earlier ones. */
  pending: Effect.Effect<unknown, CommitError>
}

/** The time of an entry and its clock: entries of many sandboxes are written together. */
interface EntryTime {
  readonly now: DateTime.Utc
  readonly clock: Clock.Clock
}

export const layerCommands = Layer.effect(
  WalletCommands,
  Effect.gen(function* () {
    const wallets = yield* knownWallets
    const store = yield* WalletStore
    const transactor = yield* Transactor
    const ids = yield* NewIds

    const attempt = Effect.fnUntraced(function* (name: WalletName, entry: Entry) {
      const address = walletIdOf(name)
      const means = { now: yield* currentTime, clock: yield* Clock.Clock }
      const { now } = means
      const within = yield* millisLeft(commitMillis)
      const before = wallets.known.use(address)
      const current = before ?? (yield* wallets.load(name, now))
      // From here to `submit` nothing may yield: another entry must not be decided on the same wallet.
      const { wallet } = current
      const decided = decide(wallet, entry, means)
      if (Result.isFailure(decided)) return yield* refuse(name, entry, { ...means, current, wallet }, decided.failure)
      const { changes, after } = decided.success
      const committed = transactor.submit(address, changes, within)
      if (committed === undefined) return yield* new NotCommitted({ reason: "overloaded" })
      current.wallet = after
      current.pending = committed
      yield* Effect.onError(committed, (cause) =>
        // An interrupted caller does not take its entry back: it will be written, and the next one follows it.
        Effect.sync(() => Cause.hasInterruptsOnly(cause) || wallets.forget(address, current))
      )
    })

    /** Plain and synchronous. */
    const decide = (wallet: Wallet, entry: Entry, { clock, now }: EntryTime) => {
      const idBody = ids.at("", DateTime.toEpochMillis(now), clock)
      return Result.map(
        post(wallet, entry, { now: createdAtOf(idBody), idBody, digest: sha256 }),
        ({ rows, wallet: after }) => ({ after, changes: [...entry.changes, ...postingChanges(wallet, after, rows)] })
      )
    }

    /** A refusal is confirmed with the row in the database: this runner may not own the wallet any more. */
    const refuse = Effect.fnUntraced(function* (
      name: WalletName,
      entry: Entry,
      { clock, current, now, wallet }: EntryTime & { readonly current: Known; readonly wallet: Wallet },
      refusal: InsufficientBalance
    ) {
      const address = walletIdOf(name)
      const stale = new StaleVersion({ table: "wallets", key: address })
      // The wallet of this decision may not be in the database yet.
      yield* Effect.catch(current.pending, () => {
        wallets.forget(address, current)
        return Effect.fail(stale)
      })
      const stored = yield* store.open(name, now)
      if (Result.isFailure(decide(stored, entry, { clock, now }))) return yield* refusal
      // Another runner has written the wallet, or the money has come meanwhile.
      if (current.wallet === wallet) wallets.forget(address, current)
      return yield* stale
    })

    // Not `Effect.retry`, which sets up a schedule for each entry: few need a second attempt.
    const postEntry = (name: WalletName, entry: Entry, retriesLeft = retriesMax): Posted =>
      Effect.catchIf(
        attempt(name, entry),
        // An earlier entry in the queue failed, or another runner wrote: decide again on the current wallet.
        (error) => retriesLeft > 0 && error._tag === "StaleVersion" && error.table === "wallets",
        () => postEntry(name, entry, retriesLeft - 1)
      )
    return WalletCommands.of({ post: postEntry })
  })
)

/** The wallets that were used last. */
const knownWallets = Effect.gen(function* () {
  const store = yield* WalletStore
  const known = new LastUsed<Known>(rememberedMax)
  const turns = makeTurns(waitingMax)
  yield* showTurns("wallets", turns)

  const read = Effect.fnUntraced(function* (name: WalletName, now: DateTime.Utc) {
    const address = walletIdOf(name)
    const other = known.use(address)
    if (other !== undefined) return other
    const current: Known = { wallet: yield* store.open(name, now), pending: Effect.void }
    known.set(address, current)
    return current
  })

  return {
    known,
    forget: (address: string, current: Known) => {
      if (known.get(address) === current) known.delete(address)
    },
    /** Of concurrent readers only one reads the row. */
    load: (name: WalletName, now: DateTime.Utc) => turns.readInTurn(walletIdOf(name), read(name, now))
  }
})
