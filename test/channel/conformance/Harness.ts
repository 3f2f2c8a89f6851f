/**
 * What a channel's harness brings to the suite: its acquirer, buyers and banks, as a test moves them. Parts that a
 * channel cannot have are left out, and named in `lacks` with the reason (docs/adding-a-channel.md).
 */
import { Context, Effect, type Scope } from "effect"
import type { DisputeNo, RefundNo, TradeNo } from "@coffer/model/Ids"
import type { PaymentMethod } from "@coffer/model/PaymentMethod"
import { heldOf } from "@coffer/rules/order/Hold"
import type { Order } from "@coffer/rules/order/Order"
import { assert } from "@effect/vitest"
import { Channel, type RegisteredChannel } from "../../../src/shared/channel/Channel.ts"
import type { DisputeName } from "../../../src/shared/channel/disputes.ts"
import { Orders } from "../../../src/money/orders/Orders.ts"
import type { Merchant } from "../../kit/Api.ts"
import { type Json, merchantOf, said } from "../../kit/Merchant.ts"
import type { Running } from "../../kit/Service.ts"

/** The port's calls, by their names in it. */
export const calls = [
  "begin",
  "lookUp",
  "cancel",
  "giveBack",
  "refund",
  "submit",
  "accept",
  "status",
  "capture",
  "release"
] as const
export type Call = (typeof calls)[number]

/** What a buyer does where the channel takes the payment. `fails`: the channel's last word on the order. */
export type Act = "pays" | "declines" | "fails" | "leaves for the wallet" | "pays later"

/** The acquirer's own books about one order. */
export interface Theirs {
  /** Sessions in which a buyer can pay. */
  readonly open: number
  readonly paid: ReadonlyArray<number>
  /** What it holds at the buyers' banks, and has not captured. Left out by one that holds nothing. */
  readonly held?: ReadonlyArray<number>
  /** What went back to the buyer, or is on its way. */
  readonly refunded: ReadonlyArray<number>
  /** Answers that the bank has to disputes. */
  readonly answers: number
  readonly isConceded: boolean
}

export interface Own {
  /** What is due is done: notices have arrived and are handled. */
  readonly rest: Effect.Effect<void, unknown>
  readonly acts: (order: Order, act: Act, method: PaymentMethod) => Effect.Effect<void, unknown>
  readonly books: (order: Order) => Effect.Effect<Theirs, unknown>
  readonly reachable: (isReachable: boolean) => Effect.Effect<void, unknown>
  /** Asked about a payment, a refund or a dispute, it says what no notice has told yet. */
  readonly asked?: true
  /** It says that a buyer is in a wallet or at a bank. */
  readonly away?: true
  /** The buyer's bank. `part`: less than the payment. */
  readonly disputes: (order: Order, part?: number) => Effect.Effect<void, unknown>
  readonly decides: (order: Order, outcome: "won" | "lost") => Effect.Effect<void, unknown>
  /** A refund that has succeeded comes back from the buyer's bank. */
  readonly sendsBack: (refundNo: RefundNo) => Effect.Effect<void, unknown>
  /** A refund that is pending ends. `pends`: the next one will be pending. */
  readonly pends: Effect.Effect<PaymentMethod, unknown>
  readonly settles: (refundNo: RefundNo, outcome: "succeeded" | "failed") => Effect.Effect<void, unknown>
  /** The buyer pays another sum than the order's. */
  readonly sums?: (order: Order, amount: number) => Effect.Effect<void, unknown>
  /** Amounts that are held first, and captured later. */
  readonly holds?: {
    /** In the acquirer's own pages: all of it, or a part. */
    readonly captures: (order: Order, part?: number) => Effect.Effect<void, unknown>
    /** The acquirer gives the hold up by itself. */
    readonly ends: (order: Order) => Effect.Effect<void, unknown>
    /** The acquirer captures nothing of it the next time that it is asked. */
    readonly refuses: (order: Order) => Effect.Effect<void, unknown>
  }
  /** The channel's last word: the order will not be paid. */
  readonly fails?: true
  /** A payment that the channel works on for a while; `ends`: it succeeds. */
  readonly processes?: { readonly ends: (order: Order) => Effect.Effect<void, unknown> }
  /** The channel's own page. The suite asks the port for it. */
  readonly page?: true
  readonly wire?: {
    /** The next calls of this kind lose their answer. `failure`: the acquirer's own, such as a 500. */
    readonly lose: (call: Call, when: "before" | "after", how: "no answer" | "failure") => Effect.Effect<void, unknown>
    readonly calm: Effect.Effect<void, unknown>
  }
  /** The acquirer's limit of calls in a second is reached. */
  readonly crowd?: (call: Call) => Effect.Effect<void, unknown>
  readonly key?: { readonly revoke: Effect.Effect<void, unknown>; readonly restore: Effect.Effect<void, unknown> }
  readonly notices?: {
    readonly hold: Effect.Effect<void, unknown>
    readonly release: (order: "oldest first" | "newest first") => Effect.Effect<void, unknown>
    /** All notices so far are sent again. `forged`: with a signature of somebody else. */
    readonly again: (how?: "forged") => Effect.Effect<void, unknown>
    /** They are sent to the address of this merchant, signed as its own. */
    readonly astray: (stranger: Own) => Effect.Effect<void, unknown>
    /** The next ones do not arrive. */
    readonly lose: Effect.Effect<void, unknown>
    readonly find: Effect.Effect<void, unknown>
  }
  /** The bank asks first. */
  readonly inquiries?: {
    readonly opens: (order: Order) => Effect.Effect<void, unknown>
    readonly escalates: (order: Order) => Effect.Effect<void, unknown>
    readonly closes: (order: Order) => Effect.Effect<void, unknown>
  }
  /** The acquirer's clock is ahead of ours by two minutes from now on. */
  readonly clock?: { readonly ahead: Effect.Effect<void, unknown> }
  /** The buyer or the bank withdraws the dispute. */
  readonly withdraws?: (order: Order) => Effect.Effect<void, unknown>
}

/** The parts that a channel may lack. */
export const abilities = [
  "asked",
  "away",
  "page",
  "wire",
  "crowd",
  "key",
  "notices",
  "sums",
  "holds",
  "fails",
  "processes",
  "inquiries",
  "withdraws",
  "clock"
] as const satisfies ReadonlyArray<keyof Own>
export type Ability = (typeof abilities)[number]

export interface World {
  readonly running: Running
  /** A merchant's account at the channel. */
  readonly account: (merchant: Merchant) => Effect.Effect<Own, unknown>
}

export interface Harness {
  readonly name: string
  /** Why the channel cannot have it. */
  readonly lacks: { readonly [A in Ability]?: string }
  /** The service and the acquirer, shared by all cases. */
  readonly world: Effect.Effect<World, unknown, Scope.Scope>
}

export const amount = 2_000

/** What the merchant reads, and asks for. */
const readsOf = (shop: ReturnType<typeof merchantOf>) => {
  /** The status that a merchant sees, which knows of holds. */
  const seen = (made: Pick<Order, "tradeNo">) => Effect.map(shop.order(made.tradeNo), (now) => now["status"])
  const refunded = (paid: Order, part: number = amount, number = "R-1") =>
    said(shop.refund({ trade_no: paid.tradeNo, amount: part, out_refund_no: number }))
  const refund = (ref: string) => said(shop.get(`/v1/refunds/${ref}`))
  const events = (type: string) => Effect.map(shop.events(), (all) => all.filter((each) => each === type).length)
  /** Everything that moves when something is counted twice. */
  const picture = Effect.gen(function* () {
    return { balance: yield* shop.balance(), ledger: yield* shop.ledger(), events: (yield* shop.events()).toSorted() }
  })
  return { seen, refunded, refund, events, picture }
}

/** One merchant of the world, with its account, its buyers and their banks. */
export const deskAt = Effect.fnUntraced(function* ({ account, running }: World, name: string) {
  const merchant = yield* running.api.newMerchant()
  const own = yield* account(merchant)
  const shop = merchantOf({ api: running.api, merchant })
  const port = Context.get(running.context, Channel)
    .all()
    .find((each) => each.name === name) as RegisteredChannel
  const orders = Context.get(running.context, Orders)
  const fresh = (order: Pick<Order, "tradeNo">) => orders.byTradeNo(order.tradeNo)

  const order = (terms: Json = {}) =>
    Effect.flatMap(said(shop.post("/v1/orders", { amount, subject: "Tea", ...terms })), ({ trade_no }) =>
      orders.byTradeNo(trade_no as TradeNo)
    )
  /** The buyer chooses, and is where the channel takes the payment. */
  const leads = (made: Order, method: PaymentMethod = "card") =>
    port.page === undefined ? Effect.void : Effect.asVoid(port.page.begin(made, method, "en"))
  const acts = (made: Order, act: Act, method: PaymentMethod = "card") =>
    Effect.andThen(own.acts(made, act, method), own.rest)
  const sold = Effect.fnUntraced(function* (terms: Json = {}, method: PaymentMethod = "card") {
    const made = yield* order(terms)
    yield* leads(made, method)
    yield* acts(made, "pays", method)
    const paid = yield* fresh(made)
    assert.strictEqual(paid.status, "paid", "a buyer who pays has paid")
    return paid as Extract<Order, { readonly paymentId: unknown }>
  })
  /** An order whose amount is held. */
  const held = Effect.fnUntraced(function* (terms: Json = {}) {
    const made = yield* order({ capture: "manual", ...terms })
    yield* leads(made)
    yield* acts(made, "pays")
    const after = yield* fresh(made)
    assert.isDefined(heldOf(after), "a buyer who has agreed is not charged yet")
    return after
  })
  /** Money for refunds and fees of disputes, from another buyer. */
  const rich = Effect.gen(function* () {
    yield* sold({ amount: 100_000 })
    return yield* sold()
  })
  const dispute = (made: Order): Effect.Effect<Json> =>
    Effect.map(said(shop.get("/v1/disputes")), (page) =>
      (page["data"] as ReadonlyArray<Json>).find((each) => each["trade_no"] === made.tradeNo)!
    )
  const nameOf = (made: Order, found: Json): DisputeName => ({
    merchantId: made.merchantId,
    mode: made.mode,
    disputeNo: found["dispute_no"] as DisputeNo,
    channel: port.name,
    processorDisputeId: found["processor_dispute_id"],
    stage: "chargeback",
    currency: made.currency
  })
  const disputed = Effect.fnUntraced(function* (part?: number) {
    const paid = yield* rich
    const before = yield* shop.balance()
    yield* Effect.andThen(own.disputes(paid, part), own.rest)
    const found = yield* dispute(paid)
    assert.isDefined(found, "a dispute is reported")
    const read = dispute(paid)
    return { paid, before, found, read, no: found["dispute_no"] as string, named: nameOf(paid, found) }
  })
  const status = (made: Order) => Effect.map(fresh(made), (now) => now.status)
  return {
    own,
    running,
    merchant,
    shop,
    port,
    fresh,
    order,
    leads,
    acts,
    sold,
    held,
    rich,
    dispute,
    disputed,
    status,
    ...readsOf(shop)
  }
})
export type Desk = Effect.Success<ReturnType<typeof deskAt>>

export interface Case {
  /** The law, as a sentence. */
  readonly name: string
  readonly needs: ReadonlyArray<Ability>
  readonly run: (desk: Desk, world: World) => Effect.Effect<unknown, unknown>
}
export const law = (name: string, needs: Case["needs"], run: Case["run"]): Case => ({ name, needs, run })
