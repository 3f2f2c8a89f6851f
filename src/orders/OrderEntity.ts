/**
 * One actor per order, addressed by trade number. The mailbox is the lock: two commands for one order never overlap on
 * one runner; the row's version is the fence when two runners believe they own it.
 *
 * An actor loads, decides, commits and replies. Whether something is allowed is written in
 * `@coffer/rules/order/decide`; what a payment does to a wallet in `@coffer/rules/wallet/post`.
 */
import { TradeNo } from "@coffer/model/Ids"
import { decide } from "@coffer/rules/order/decide"
import { evolve } from "@coffer/rules/order/evolve"
import { Order, OrderCommand, OrderConflict, OrderEvent, RefundRefused } from "@coffer/rules/order/Order"
import { InsufficientBalance, type Movement } from "@coffer/rules/wallet/post"
import { Effect, Layer, Metric, Option, Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { CheckoutLinks } from "../signedUrls/CheckoutLinks.ts"
import { Events } from "../events/Events.ts"
import { entityLayer } from "../platform/cluster/entityLayer.ts"
import { ActorUnavailable } from "../platform/cluster/ask.ts"
import { answering, Claim } from "../idempotency/IdempotencyClaim.ts"
import { AlreadyExists, ChangeSet, NotCommitted, StaleVersion } from "../platform/commit/Change.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { localPayload } from "../platform/cluster/localPayload.ts"
import { tables } from "../platform/commit/Tables.ts"
import { Transactor } from "../platform/commit/Transactor.ts"
import { Settings } from "../platform/runtime/Settings.ts"
import { Entry, Wallets } from "../wallets/Wallets.ts"
import { OrderStore, replacement, type StoredOrder } from "./OrderStore.ts"
import { orderView } from "./OrderView.ts"

export type { StoredOrder }

export class OrderNotFound extends Schema.TaggedError<OrderNotFound>()("OrderNotFound", { ref: Schema.String }) {}

const refused = [OrderConflict, OrderNotFound, NotCommitted, ActorUnavailable] as const

export const OrderEntity = Entity.make("Order", [
  Rpc.make("Perform", {
    /**
     * With a claim, the answer to the request is committed with the change, and so are the channel's `books`. `seen` is
     * the order as the caller has just read it: an actor that wakes decides on it instead of reading it again, and the
     * row's version tells if it is old.
     */
    payload: localPayload({
      command: OrderCommand,
      claim: Schema.optionalKey(Claim),
      books: Schema.optionalKey(ChangeSet),
      seen: Schema.optionalKey(Schema.Struct({ order: Order, version: Schema.Int }))
    }),
    success: Order,
    error: Schema.Union(refused)
  }),
  /**
   * A command that is one half of a refund or a dispute: the other half, money and rows, is committed with it or
   * neither is. Refused when the rows are not what the other half was decided on, or the wallet does not cover it.
   */
  Rpc.make("PerformWith", {
    payload: localPayload({ command: OrderCommand, entry: Entry }),
    success: Order,
    error: Schema.Union([...refused, RefundRefused, InsufficientBalance, StaleVersion, AlreadyExists])
  })
])

/** What a report may bring along. */
export interface Alongside {
  /** The order, for who has just read it: it need not be read again. */
  readonly seen?: StoredOrder
  /** What the channel writes down itself, with the change or not at all. */
  readonly books?: ChangeSet
}

/** What an actor keeps while it is awake. */
interface Awake {
  readonly tradeNo: TradeNo
  /** The order as it is in the database; undefined while that is not certain. */
  known: StoredOrder | undefined
}

const prepare = Effect.gen(function* () {
  const store = yield* OrderStore
  const wallets = yield* Wallets
  const events = yield* Events
  const links = yield* CheckoutLinks
  const transactor = yield* Transactor

  const load = Effect.fnUntraced(function* (tradeNo: TradeNo) {
    const stored = yield* store.load(tradeNo)
    if (Option.isNone(stored)) return yield* new OrderNotFound({ ref: tradeNo })
    return stored.value
  })

  /** As it is stored. */
  const viewOf = (order: Order) => ({ ...orderView(order, links.unsignedUrlOf(order.tradeNo, order.expiresAt)) })

  /** The events that merchants are told about, each with the order as it is after that very fact. */
  const announce = (order: Order, sequence: number, fact: OrderEvent) => {
    const type = announcements[fact._tag]
    return type === undefined
      ? Effect.succeed<ChangeSet>([])
      : events.record({
          type,
          mode: order.mode,
          merchantId: order.merchantId,
          object: viewOf(order),
          objectId: order.tradeNo,
          tradeNo: order.tradeNo,
          notifyUrl: order.notifyUrl,
          sequence
        })
  }

  const commit = Effect.fnUntraced(function* (
    before: StoredOrder,
    facts: ReadonlyArray<OrderEvent>,
    claim: Claim | undefined,
    entry: Entry
  ) {
    const version = before.version + 1
    const announced: Array<ChangeSet[number]> = []
    let order = before.order
    for (const fact of facts) {
      order = evolve(order, fact)
      announced.push(...(yield* announce(order, version, fact)))
    }
    const changes = [
      replacement(before, order, yield* currentTime),
      ...announced,
      ...entry.changes,
      ...(claim === undefined ? [] : answering(claim, 200, viewOf(order)))
    ]
    const movements = [...facts.flatMap((fact) => movementsOf(order, fact)), ...entry.movements]
    if (movements.length === 0 && entry.reserve === 0) yield* transactor.commit(order.tradeNo, changes)
    else yield* wallets.postAsActor(order, { movements, reserve: entry.reserve, changes })
    for (const fact of facts) yield* alarm(fact)
    return { order, version }
  })

  /** Nothing is refused or left undone for the sake of an order that may have changed since it was seen. */
  const decideOn = Effect.fnUntraced(function* (actor: Awake, command: OrderCommand, seen: StoredOrder | undefined) {
    if (actor.known === undefined && seen !== undefined) {
      const decision = decide(seen.order, command)
      if (decision.refusal === undefined && decision.events.length > 0) return { before: seen, decision }
    }
    const before = actor.known ?? (yield* load(actor.tradeNo))
    return { before, decision: decide(before.order, command) }
  })

  const attempt = Effect.fnUntraced(function* (
    actor: Awake,
    command: OrderCommand,
    claim: Claim | undefined,
    entry: Entry,
    seen: StoredOrder | undefined
  ) {
    const { before, decision } = yield* decideOn(actor, command, seen)
    actor.known = undefined
    // A refusal is not an answer to keep.
    const answered = decision.refusal === undefined ? claim : undefined
    const after = decision.events.length === 0 ? before : yield* commit(before, decision.events, answered, entry)
    if (decision.events.length === 0 && answered !== undefined) {
      yield* transactor.commit(actor.tradeNo, answering(answered, 200, viewOf(after.order)))
    }
    // Kept only once it is known to be in the database.
    actor.known = after
    // Commit first: a refusal may come with facts that must not be lost.
    if (decision.refusal !== undefined) return yield* decision.refusal
    return after.order
  })

  const perform = (
    actor: Awake,
    command: OrderCommand,
    claim: Claim | undefined,
    entry: Entry,
    seen?: StoredOrder | undefined
  ) =>
    attempt(actor, command, claim, entry, seen).pipe(
      // Another runner wrote this order: what we knew is old. Load it, then decide again.
      Effect.catchIf(
        (error) => error._tag === "StaleVersion" && error.table === "orders",
        () => attempt(actor, command, claim, entry, undefined)
      ),
      Effect.catchTags({ MerchantNotFound: Effect.die })
    )

  return Effect.map(Entity.CurrentAddress, ({ entityId }) => {
    const actor: Awake = { tradeNo: TradeNo.make(entityId), known: undefined }
    return OrderEntity.of({
      Perform: ({ payload: { books = [], claim, command, seen } }) =>
        perform(actor, command, claim, { movements: [], reserve: 0, changes: books }, seen).pipe(
          Effect.catchTags({
            StaleVersion: () => new NotCommitted({ reason: "overloaded" }),
            // The channel has it in its books: this very message was performed before, and its answer was lost.
            AlreadyExists: (error) =>
              books.some(({ table }) => table === error.table)
                ? Effect.map(load(actor.tradeNo), ({ order }) => order)
                : Effect.die(error),
            RefundRefused: Effect.die,
            // Nothing that an order does by itself takes money out of the wallet.
            InsufficientBalance: Effect.die
          })
        ),
      PerformWith: ({ payload: { command, entry } }) =>
        perform(actor, command, undefined, entry).pipe(
          Effect.catchTags({
            // The other half was decided on a row that has changed since, perhaps by this very message before.
            RefundRefused: (refused) =>
              refused.reason === "not_promised" ? (staleRowOf(entry) ?? refused) : Effect.fail(refused)
          })
        )
    })
  })
})

export const layer = Layer.unwrap(
  Effect.map(Settings, ({ orderIdle }) =>
    entityLayer(OrderEntity, prepare, { mailboxCapacity: 1_024, maxIdleTime: orderIdle, disableFatalDefects: true })
  )
)

const staleRowOf = ({ changes }: Entry) => {
  const [row] = changes
  return row?.op === "update"
    ? new StaleVersion({ table: row.table, key: String(row.row[tables[row.table].key]) })
    : undefined
}

const parked = Metric.counter("coffer_payments_parked", {
  description: "Payments that are not what the order asked for; somebody has to look",
  incremental: true
})

/** Money that nobody may decide on but a person (silences: O17). */
const alarm = (fact: OrderEvent) =>
  fact._tag === "StrayPaymentFound" && fact.stray.state === "parked"
    ? Effect.andThen(Metric.update(parked, 1), Effect.logError("a payment was parked", fact.stray))
    : Effect.void

/** Facts that become events of the account (spec: Events). */
const announcements = {
  PaymentSucceeded: "payment.succeeded",
  PaymentFailed: "payment.failed",
  OrderExpired: "payment.expired",
  StrayPaymentReturned: "payment.duplicate_refunded",
  PaymentDeclined: undefined,
  StrayPaymentFound: undefined,
  OrderAnnotated: undefined,
  RefundReserved: undefined,
  RefundCompleted: undefined,
  RefundReleased: undefined,
  RefundReversed: undefined,
  DisputeOpened: undefined,
  DisputeClosed: undefined,
  DisputeRegained: undefined
} as const satisfies Record<OrderEvent["_tag"], string | undefined>

/** A successful payment is two rows: the whole amount in, the fee out (spec: Balance transaction). */
const movementsOf = (order: Order, fact: OrderEvent): ReadonlyArray<Movement> =>
  fact._tag !== "PaymentSucceeded"
    ? []
    : [
        {
          type: "payment_credit",
          amount: fact.facts.amount,
          referenceId: order.tradeNo,
          description: `Payment of order ${order.tradeNo}`
        },
        {
          type: "fee_debit",
          // Not -0, which would differ from what Postgres gives back.
          amount: 0 - fact.facts.fee,
          referenceId: order.tradeNo,
          description: `Acquiring fee of order ${order.tradeNo}`
        }
      ]
