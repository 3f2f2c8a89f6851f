/**
 * Which channel takes an order, when its session is made: the first by the merchant's rank that takes the buyer's
 * method, and the next one where the first does not make a session now. An order never has a session at two channels
 * that can both be paid: it moves on only from a channel that certainly has none, or has ended it
 * (docs/decisions/0277).
 */
import type { ChannelName } from "@coffer/model/Ids"
import type { PaymentMethod } from "@coffer/model/PaymentMethod"
import { isManual } from "@coffer/rules/order/Hold"
import type { Order } from "@coffer/rules/order/Order"
import { Context, Effect, Exit, Layer, Option } from "effect"
import {
  type Begun,
  Channel,
  type RegisteredChannel,
  type ReportFailure,
  shownByOrder
} from "../../shared/channel/Channel.ts"
import { type ChannelAccounts, rankIn } from "../../shared/channel/ChannelAccount.ts"
import { ChannelUnreachable } from "../../shared/channel/payments.ts"
import { Merchants } from "../../access/merchants/Merchants.ts"
import { span } from "../../platform/runtime/span.ts"
import { type Route, RouteStore } from "./RouteStore.ts"

type Hosted = RegisteredChannel & Required<Pick<RegisteredChannel, "page">>
type Failure = ChannelUnreachable | ReportFailure
type Outcome = Exit.Exit<Begun, Failure>

export class Routing extends Context.Service<
  Routing,
  {
    /** The channel whose page or forms an order shows; none if nobody takes its payment now. */
    readonly takerOf: (order: Order) => Effect.Effect<Option.Option<RegisteredChannel>>
    /** The methods, of these, that a page offers for the order. */
    readonly offered: (
      order: Order,
      methods: ReadonlyArray<PaymentMethod>
    ) => Effect.Effect<ReadonlyArray<PaymentMethod>>
    /** Leads a buyer to a channel's own page. `language`: the language tag of the page that links there. */
    readonly begin: (order: Order, method: PaymentMethod, language: string) => Effect.Effect<Begun, Failure>
  }
>()("@coffer/orders/Routing") {}

export const layer = Layer.effect(
  Routing,
  Effect.gen(function* () {
    const channel = yield* Channel
    const merchants = yield* Merchants
    const routes = yield* RouteStore

    const accountsOf = ({ merchantId, mode }: Order) =>
      Effect.match(merchants.find(merchantId), {
        onFailure: (): ChannelAccounts => ({}),
        onSuccess: ({ modes }) => modes[mode].channel_accounts
      })

    /** Channels by the merchant's rank, those that can hold an amount for a manual order; and which take it now. */
    const rankedFor = Effect.fnUntraced(function* (order: Order) {
      const accounts = yield* accountsOf(order)
      const able = isManual(order) ? channel.all().filter(({ holds }) => holds !== undefined) : channel.all()
      const ranked = able.toSorted((a, b) => rankIn(accounts, a) - rankIn(accounts, b))
      const takes = (each: RegisteredChannel) =>
        accounts[each.name]?.isActive === false ? Effect.succeed(false) : each.takes(order)
      return { accounts, ranked, takes }
    })

    /**
     * Those with a page of their own, if the first that takes the order has one: the others make no sessions. Each says
     * whether buyers pay by a method there.
     */
    const hostsOf = Effect.fnUntraced(function* (order: Order) {
      const { accounts, ranked, takes } = yield* rankedFor(order)
      const [first, ...others] = yield* Effect.filter(ranked, takes)
      if (first === undefined || !isHosted(first)) return []
      return [first, ...others].filter(isHosted).map((host) => ({
        host,
        isFor: (method: PaymentMethod) =>
          (accounts[host.name]?.methods?.includes(method) ?? true) &&
          (!isManual(order) || host.holds?.days[method] !== undefined)
      }))
    })

    const begin = makeBegin(channel, routes)
    return Routing.of({
      takerOf: (order) => Effect.flatMap(rankedFor(order), ({ ranked, takes }) => Effect.findFirst(ranked, takes)),
      offered: Effect.fnUntraced(function* (order, methods) {
        const hosts = yield* hostsOf(order)
        if (hosts.length === 0) return methods
        const offered = yield* Effect.forEach(hosts, ({ host, isFor }) =>
          Effect.map(host.page.offered(order, methods), (some) => some.filter(isFor))
        )
        return methods.filter((method) => offered.some((some) => some.includes(method)))
      }),
      begin: span("Routing.begin")(function* (order: Order, method: PaymentMethod, language: string) {
        const hosts = (yield* hostsOf(order)).flatMap(({ host, isFor }) => (isFor(method) ? [host] : []))
        return yield* begin(order, hosts, (at) => at.page.begin(order, method, language))
      }, Effect.uninterruptible)
    })
  })
)

const isHosted = (channel: RegisteredChannel): channel is Hosted => channel.page !== undefined

const notTaken: Begun = { _tag: "NotTaken", because: "method" }
const unknown: Begun = { _tag: "Unknown" }

/** Whether a session may be at the channel after its answer. */
const leavesOne = (outcome: Outcome): boolean => {
  if (Exit.isSuccess(outcome)) return outcome.value._tag !== "NotTaken"
  const failure = Option.getOrUndefined(Exit.findErrorOption(outcome))
  return !(failure instanceof ChannelUnreachable) || failure.because === "unknown"
}

/** Others may begin at the same moment; then the row is read again this often. */
const roundsMax = 6

const makeBegin = (channel: Channel["Service"], routes: RouteStore["Service"]) => {
  const leave = makeLeave(channel, routes)

  /** One question to one channel. Undefined: the order is at another one meanwhile. */
  const askAt = Effect.fnUntraced(function* (
    order: Order,
    host: Hosted,
    ask: (at: Hosted) => Effect.Effect<Begun, Failure>
  ) {
    const route = yield* routes.ask(order.tradeNo, host.name)
    if (Option.isNone(route)) return undefined
    // No question has an answer yet: what programs without routes have begun is not known.
    const { attempts, unanswered } = route.value
    const other = attempts === unanswered ? yield* metElsewhere(channel, order, host) : undefined
    if (other !== undefined) {
      yield* routes.answered(order.tradeNo, false)
      yield* routes.move(order.tradeNo, route.value, other.at, true)
      return { outcome: other.outcome, mayBePaid: true }
    }
    const outcome = yield* Effect.exit(ask(host))
    const mayBePaid = leavesOne(outcome)
    yield* routes.answered(order.tradeNo, mayBePaid)
    return { outcome, mayBePaid }
  })

  return Effect.fnUntraced(function* (
    order: Order,
    hosts: ReadonlyArray<Hosted>,
    ask: (at: Hosted) => Effect.Effect<Begun, Failure>
  ): Effect.fn.Return<Begun, Failure> {
    // With one page there is no other way, and nothing to remember.
    if (channel.all().filter(isHosted).length === 1)
      return yield* hosts[0] === undefined ? Effect.succeed(notTaken) : ask(hosts[0])
    let left = hosts
    let last: Outcome = Exit.succeed(notTaken)
    for (let round = 1; round <= roundsMax; round++) {
      const route = Option.getOrUndefined(yield* routes.find(order.tradeNo))
      const at = route === undefined ? left[0] : left.find(({ name }) => name === route.channel)
      if (at === undefined) {
        const [next] = left
        if (route === undefined || next === undefined) return yield* last
        const stays = yield* leave(order, route, next)
        if (stays !== undefined) return stays
        continue
      }
      const answer = yield* askAt(order, at, ask)
      if (answer === undefined) continue
      if (answer.mayBePaid) return yield* answer.outcome
      last = answer.outcome
      left = left.filter((each) => each !== at)
    }
    return yield* new ChannelUnreachable()
  })
}

/** The order leaves a channel for another. An answer if it has to stay. */
const makeLeave = (channel: Channel["Service"], routes: RouteStore["Service"]) =>
  Effect.fnUntraced(function* (order: Order, route: Route, to: Hosted) {
    const from = channel.all().find(({ name }) => name === route.channel)
    if (route.unanswered > 0 || from === undefined) return unknown
    if (route.may_be_paid) {
      const report = yield* Effect.option(from.cancel(order))
      if (Option.isNone(report)) return unknown
      if (report.value._tag === "AlreadyPaid") {
        yield* Effect.ignore(from.page?.lookUp(order) ?? Effect.void)
        return shownByOrder
      }
      if (report.value._tag === "BuyerBusy") return unknown
    }
    yield* routes.move(order.tradeNo, route, to.name, false)
    return undefined
  })

/** An order that was begun by a program without routes may have a session at any channel: it is ended first. */
const metElsewhere = Effect.fnUntraced(function* (
  channel: Channel["Service"],
  order: Order,
  host: Hosted
): Effect.fn.Return<{ readonly at: ChannelName; readonly outcome: Outcome } | undefined> {
  for (const other of channel.all()) {
    if (other === host || !isHosted(other)) continue
    const report = yield* Effect.exit(other.cancel(order))
    if (Exit.isFailure(report)) return { at: other.name, outcome: Exit.succeed(unknown) }
    if (report.value._tag === "AlreadyPaid") yield* Effect.ignore(other.page.lookUp(order))
    if (report.value._tag !== "Cancelled") return { at: other.name, outcome: Exit.succeed(shownByOrder) }
  }
  return undefined
})
