/** The channel in memory, for the suite. */
import { Effect, type Scope } from "effect"
import type { Order } from "@coffer/rules/order/Order"
import { type Running, start } from "../../kit/Service.ts"
import { type MemoryAcquirer, memoryAcquirer, type Notice } from "../../kit/stories/memoryAcquirer.ts"
import { memoryChannel, type Parts, states } from "../../kit/stories/memoryChannel.ts"
import type { Act, Harness, Own, World } from "./Harness.ts"

/** `through`: a test plants a fault there, in the channel and beside its acquirer. */
export const memoryWorld = (through: (parts: Parts, acquirer: MemoryAcquirer) => Parts = (same) => same) =>
  Effect.gen(function* (): Effect.fn.Return<World, unknown, Scope.Scope> {
    const acquirer = memoryAcquirer()
    const channels = memoryChannel({ acquirer, through: (parts) => through(parts, acquirer) })
    const running = yield* start({ clock: "test", channels })
    return { running, account: ({ merchantId }) => Effect.sync(() => accountAt(acquirer, running, merchantId)) }
  })

export const memory: Harness = {
  name: "memory",
  lacks: {
    holds: "it takes each payment at once",
    inquiries: "its bank does not ask before it takes the money"
  },
  world: memoryWorld()
}

const accountAt = (acquirer: MemoryAcquirer, running: Running, merchantId: string): Own => {
  // What an earlier law has held back is not this one's.
  acquirer.receiver.held = false
  acquirer.troubles.splice(0)
  acquirer.unsent.splice(0)
  const is = (work: () => unknown) => Effect.sync(() => void work())
  const trouble = (call: MemoryAcquirer["troubles"][number]["call"], kind: "lost before" | "lost after" | "crowded") =>
    is(() => acquirer.troubles.push({ call, kind, merchantId, times: 1 }))
  return {
    rest: Effect.andThen(acquirer.send(), running.atRest),
    asked: true,
    away: true,
    page: true,
    fails: true,
    books: (order) => Effect.sync(() => booksOf(acquirer, order)),
    ...buyersOf(acquirer, running),
    ...banksOf(acquirer, merchantId),
    notices: noticesOf(acquirer, merchantId),
    reachable: (isReachable) =>
      is(() => (isReachable ? acquirer.unreachable.delete(merchantId) : acquirer.unreachable.add(merchantId))),
    wire: { lose: (call, when) => trouble(call, `lost ${when}`), calm: is(() => acquirer.troubles.splice(0)) },
    crowd: (call) => trouble(call, "crowded"),
    key: {
      revoke: is(() => acquirer.revoked.add(merchantId)),
      restore: is(() => acquirer.revoked.delete(merchantId))
    },
    clock: { ahead: is(() => (acquirer.clock.aheadMillis = 120_000)) }
  }
}

const buyersOf = (acquirer: MemoryAcquirer, { now }: Running): Pick<Own, "acts" | "sums" | "processes"> => {
  const pay = ({ amount: whole, currency, merchantId, tradeNo }: Order, state: string, amount: number = whole) =>
    Effect.suspend(() => {
      const session = acquirer.sessionsOf(tradeNo).find((each) => each.state !== "over" && each.state !== "paid")
      const of = { merchantId, tradeNo, method: session?.method ?? "card", amount, currency, state }
      return Effect.asVoid(acquirer.pays(of, session === undefined ? {} : { session }))
    })
  const opened = ({ tradeNo }: Order, change: () => object) =>
    Effect.sync(() => {
      for (const each of acquirer.sessionsOf(tradeNo)) if (each.state === "open") Object.assign(each, change())
    })
  const acts: Readonly<Record<Act, (order: Order) => Effect.Effect<void>>> = {
    pays: (order) => pay(order, states.succeed),
    declines: (order) => pay(order, states.decline),
    fails: (order) => pay(order, states.fail),
    "leaves for the wallet": (order) => opened(order, () => ({ state: "away", awaySince: now() })),
    "pays later": (order) => opened(order, () => ({ state: "processing" }))
  }
  return {
    acts: (order, act) => acts[act](order),
    sums: (order, amount) => pay(order, states.succeed, amount),
    processes: { ends: (order) => pay(order, states.succeed) }
  }
}

const booksOf = (acquirer: MemoryAcquirer, { tradeNo }: Order) => {
  const paid = acquirer.paidOf(tradeNo)
  const numbers = new Set(paid.map(({ id }) => id))
  const disputes = [...acquirer.disputes.values()].filter((each) => each.tradeNo === tradeNo)
  return {
    open: acquirer.sessionsOf(tradeNo).filter(({ state }) => state === "open" || state === "away").length,
    paid: paid.map(({ amount }) => amount),
    refunded: [...acquirer.refunds.values()]
      .filter((each) => numbers.has(each.paymentId) && each.state !== "failed")
      .map(({ amount }) => amount),
    answers: disputes.reduce((sum, { answers }) => sum + answers.length, 0),
    isConceded: disputes.some(({ lostAt }) => lostAt > 0)
  }
}

type Banks = Pick<Own, "disputes" | "decides" | "withdraws" | "pends" | "settles" | "sendsBack">

const banksOf = (acquirer: MemoryAcquirer, merchantId: string): Required<Banks> => {
  const decides = ({ tradeNo }: Order, status: "won" | "lost" | "closed") =>
    Effect.suspend(() => {
      const dispute = [...acquirer.disputes.values()].findLast((each) => each.tradeNo === tradeNo)!
      return acquirer.tell("dispute", Object.assign(dispute, { status }).id, merchantId)
    })
  const settles: Own["settles"] = (refundNo, state) =>
    Effect.suspend(() => {
      acquirer.refunds.get(refundNo)!.state = state
      return acquirer.tell("refund", refundNo, merchantId)
    })
  return {
    disputes: ({ amount, tradeNo }, part = amount) =>
      Effect.flatMap(
        acquirer.objects({ merchantId, tradeNo, amount: part, reason: "fraudulent", dueBy: null }),
        ({ id }) => acquirer.tell("dispute", id, merchantId)
      ),
    decides,
    withdraws: (order) => decides(order, "closed"),
    pends: Effect.succeed("alipay"),
    settles,
    sendsBack: (refundNo) => settles(refundNo, "failed")
  }
}

const noticesOf = (acquirer: MemoryAcquirer, merchantId: string): NonNullable<Own["notices"]> => {
  const { receiver } = acquirer
  const held = (isHeld: boolean) => Effect.sync(() => void (receiver.held = isHeld))
  /** All of this merchant so far, sent to this address. */
  const all = (to: string): ReadonlyArray<Notice> => {
    const own = (each: { readonly merchantId: string }) => each.merchantId === merchantId
    return [
      ...acquirer.payments.filter(own).map(({ id }) => ["payment", id] as const),
      ...[...acquirer.refunds.values()].filter(own).map(({ key }) => ["refund", key] as const),
      ...[...acquirer.disputes.values()].filter(own).map(({ id }) => ["dispute", id] as const)
    ].map(([kind, of]) => ({ kind, of, to, signature: acquirer.sign({ kind, of, to }) }))
  }
  const taken = (notices: () => ReadonlyArray<Notice>) =>
    Effect.suspend(() => Effect.forEach(notices(), (each) => receiver.take(each), { discard: true }))
  return {
    hold: held(true),
    release: (order) => Effect.andThen(held(false), acquirer.send(order)),
    again: (how) =>
      taken(() => all(merchantId).map((each) => (how === undefined ? each : { ...each, signature: "forged" }))),
    astray: () => taken(() => all("mer_stranger")),
    // It sends them again until they are taken.
    lose: held(true),
    find: held(false)
  }
}
