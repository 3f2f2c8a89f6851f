/**
 * The business as an accountant would write it down: what each step is answered with and what it does to one wallet. It
 * shares no code with the service, and knows nothing of reserving, owners or rows. `test/money` holds the rules and the
 * running service against it.
 */

import type { Books } from "../kit/Merchant.ts"

export type Step =
  | { readonly do: "create"; readonly amount: number }
  | { readonly do: "pay"; readonly order: number; readonly method: "card" | "alipay" }
  | { readonly do: "expire"; readonly order: number }
  | { readonly do: "refund"; readonly order: number; readonly amount: number | undefined }
  | { readonly do: "settle"; readonly refund: number; readonly outcome: "succeeded" | "failed" }
  | { readonly do: "dispute"; readonly order: number; readonly amount: number }
  | { readonly do: "resolve"; readonly dispute: number; readonly outcome: "won" | "lost" | "closed" }
  | { readonly do: "payout"; readonly amount: number }
  | { readonly do: "review"; readonly payout: number; readonly step: PayoutStep }
  /** The process ends and another takes its place. */
  | { readonly do: "reload" }

export type PayoutStep = "approve" | "reject" | "complete" | "fail"

interface Order {
  readonly amount: number
  method: "card" | "alipay"
  state: "pending" | "paid" | "expired"
  refunded: number
  refunding: number
  disputes: number
  lost: number
}

export const disputeFee = 15_00
export const payoutFee = 25
const acquiringFee = (amount: number) => Math.min(amount, Math.floor((amount * 290 + 5_000) / 10_000) + 30)

export class Model {
  readonly orders: Array<Order> = []
  readonly refunds: Array<{ order: Order; amount: number; state: "pending" | "succeeded" | "failed" }> = []
  readonly disputes: Array<{ order: Order; amount: number; state: "open" | "won" | "lost" | "closed" }> = []
  readonly payouts: Array<{ amount: number; state: "requested" | "approved" | "succeeded" | "rejected" | "failed" }> =
    []
  books: Books = { available: 0, frozen: 0, revenue: 0, fee: 0, refund: 0, payout: 0 }

  private move(by: Partial<Books>) {
    const keys = Object.keys(this.books) as Array<keyof Books>
    this.books = Object.fromEntries(keys.map((key) => [key, this.books[key] + (by[key] ?? 0)])) as unknown as Books
  }

  /** The status that the order shows, and how much of it was refunded. */
  shown(order: number): readonly [string, number] {
    const { amount, refunded, state } = this.orders[order]!
    if (state !== "paid" || refunded === 0) return [state, refunded]
    return [refunded === amount ? "refunded" : "partially_refunded", refunded]
  }

  /** Does the step. The status of its HTTP answer. */
  take(step: Step): number {
    switch (step.do) {
      case "create":
        this.orders.push({
          amount: step.amount,
          method: "card",
          state: "pending",
          refunded: 0,
          refunding: 0,
          disputes: 0,
          lost: 0
        })
        return 201
      case "pay":
        return this.pay(this.orders[step.order]!, step.method)
      case "expire": {
        const order = this.orders[step.order]!
        if (order.state === "paid") return 409
        order.state = "expired"
        return 200
      }
      case "refund":
        return this.refund(this.orders[step.order]!, step.amount)
      case "settle":
        return this.settle(this.refunds[step.refund]!, step.outcome)
      case "dispute":
        return this.dispute(this.orders[step.order]!, step.amount)
      case "resolve":
        return this.resolve(this.disputes[step.dispute]!, step.outcome)
      case "payout":
        return this.payout(step.amount)
      case "review":
        return this.review(this.payouts[step.payout]!, step.step)
      case "reload":
        return 200
    }
  }

  private pay(order: Order, method: "card" | "alipay"): number {
    // A second or late payment goes back to the buyer and is none of the wallet's business.
    if (order.state !== "pending") return 200
    order.state = "paid"
    order.method = method
    const fee = acquiringFee(order.amount)
    this.move({ available: order.amount - fee, revenue: order.amount, fee })
    return 200
  }

  /** The amount that may be spent: the fees of payouts on the way are spoken for. */
  get usable(): number {
    const onTheWay = this.payouts.filter(({ state }) => state === "requested" || state === "approved")
    return this.books.available - onTheWay.length * payoutFee
  }

  private refund(order: Order, asked: number | undefined): number {
    if (order.state !== "paid" || order.refunded + order.lost >= order.amount || order.disputes > 0) return 409
    const remaining = order.amount - order.refunded - order.refunding - order.lost
    if (asked === undefined && remaining <= 0) return 409
    const amount = asked ?? remaining
    if (amount > remaining || amount > this.usable) return 400
    const later = order.method === "alipay"
    this.refunds.push({ order, amount, state: later ? "pending" : "succeeded" })
    if (later) {
      order.refunding += amount
      this.move({ available: -amount, frozen: amount })
      return 202
    }
    order.refunded += amount
    this.move({ available: -amount, refund: amount })
    return 201
  }

  private settle(refund: Model["refunds"][number], outcome: "succeeded" | "failed"): number {
    const { amount, order, state } = refund
    if (state === outcome) return 200
    if (state === "failed") return 409
    refund.state = outcome
    if (state === "pending") {
      order.refunding -= amount
      order.refunded += outcome === "succeeded" ? amount : 0
      this.move(outcome === "succeeded" ? { frozen: -amount, refund: amount } : { frozen: -amount, available: amount })
    } else {
      order.refunded -= amount
      this.move({ available: amount, refund: -amount })
    }
    return 200
  }

  private dispute(order: Order, amount: number): number {
    if (amount > order.amount) return 400
    if (order.state !== "paid" || order.method !== "card") return 409
    order.disputes++
    this.disputes.push({ order, amount, state: "open" })
    this.move({ available: -amount, frozen: amount })
    return 201
  }

  private resolve(dispute: Model["disputes"][number], outcome: "won" | "lost" | "closed"): number {
    const { amount, order, state } = dispute
    if (state === "lost" && outcome === "won") {
      dispute.state = "won"
      order.lost -= amount
      this.move({ available: amount })
      return 200
    }
    if (state !== "open") return 200
    dispute.state = outcome
    order.disputes--
    if (outcome === "lost") {
      order.lost += amount
      this.move({ frozen: -amount, available: -disputeFee, fee: disputeFee })
    } else this.move({ frozen: -amount, available: amount })
    return 200
  }

  private payout(amount: number): number {
    if (amount + payoutFee > this.usable) return 400
    this.payouts.push({ amount, state: "requested" })
    this.move({ available: -amount, frozen: amount })
    return 201
  }

  private review(payout: Model["payouts"][number], step: PayoutStep): number {
    const wanted = { approve: "approved", reject: "rejected", complete: "succeeded", fail: "failed" } as const
    const from = step === "approve" || step === "reject" ? "requested" : "approved"
    if (payout.state === wanted[step]) return 200
    if (payout.state !== from) return 409
    payout.state = wanted[step]
    const { amount } = payout
    if (step === "complete") this.move({ frozen: -amount, available: -payoutFee, fee: payoutFee, payout: amount })
    if (step === "reject" || step === "fail") this.move({ frozen: -amount, available: amount })
    return 200
  }
}

/** The next step by these four numbers: one that there is something for, not always one that is allowed. */
export const stepOf = (model: Model, [kind, which, size, how]: readonly [number, number, number, number]): Step => {
  const one = <T>(things: ReadonlyArray<T>) => which % things.length
  const of = <const T>(...choices: ReadonlyArray<T>): T => choices[how % choices.length]!
  const steps: ReadonlyArray<() => Step | undefined> = [
    () => ({ do: "create", amount: 1 + (size % 100_000) }),
    () =>
      model.orders.length === 0 ? undefined : { do: "pay", order: one(model.orders), method: of("card", "alipay") },
    () => (model.orders.length === 0 ? undefined : { do: "expire", order: one(model.orders) }),
    () => {
      if (model.orders.length === 0) return undefined
      const order = one(model.orders)
      const amount = of(undefined, 1 + (size % model.orders[order]!.amount), 1 + (size % 1_000))
      return { do: "refund", order, amount }
    },
    () =>
      model.refunds.length === 0
        ? undefined
        : { do: "settle", refund: one(model.refunds), outcome: of("succeeded", "succeeded", "failed") },
    () => {
      if (model.orders.length === 0) return undefined
      const order = one(model.orders)
      return { do: "dispute", order, amount: 1 + (size % (model.orders[order]!.amount + 1)) }
    },
    () =>
      model.disputes.length === 0
        ? undefined
        : { do: "resolve", dispute: one(model.disputes), outcome: of("won", "lost", "closed") },
    // All there is, so that the next dispute finds nothing; or a part of it, or more.
    () => ({ do: "payout", amount: Math.max(1, of(1 + (size % 50_000), model.usable - payoutFee)) }),
    () =>
      model.payouts.length === 0
        ? undefined
        : { do: "review", payout: one(model.payouts), step: of("approve", "reject", "complete", "fail") },
    () => ({ do: "reload" })
  ]
  // Orders and refunds most of all; a process ends now and then.
  const drawn = [0, 0, 0, 1, 1, 1, 1, 2, 3, 3, 3, 3, 4, 4, 5, 6, 6, 7, 8, 8, 8, 9]
  return steps[drawn[kind % drawn.length]!]!() ?? { do: "create", amount: 1 + (size % 100_000) }
}
