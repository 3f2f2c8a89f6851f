/**
 * An acquirer in memory, for the third channel of the tests: sessions, payments, refunds and disputes under keys of the
 * caller, a wire that loses answers, and signed notices that are sent again until they are taken. It outlives the
 * services that it is wired into, as an acquirer does.
 */
import type { PaymentMethod } from "@coffer/model/PaymentMethod"
import { Effect, Schema } from "effect"
import { currentMillis as ourMillis } from "../../../src/platform/runtime/clock.ts"

/** `away`: the call did nothing. `silent`: its outcome is unknown. `crowded`, `key`: it was refused, and did nothing. */
export class WireFailed extends Schema.TaggedError<WireFailed>()("WireFailed", {
  how: Schema.Literals(["away", "silent", "crowded", "key"])
}) {}

export type Call = "begin" | "lookUp" | "cancel" | "giveBack" | "refund" | "submit" | "accept" | "status"
interface Trouble {
  readonly call: Call
  readonly merchantId: string
  readonly kind: "lost before" | "lost after" | "crowded"
  times: number
}

export interface Session {
  readonly id: string
  readonly merchantId: string
  readonly tradeNo: string
  readonly method: PaymentMethod
  readonly amount: number
  readonly currency: string
  /** `away`: the buyer is at 3DS or in a wallet, since `awaySince`. */
  state: "open" | "away" | "processing" | "paid" | "over"
  awaySince: number
}
export interface Payment {
  readonly id: string
  readonly merchantId: string
  readonly tradeNo: string
  readonly method: PaymentMethod
  readonly amount: number
  readonly currency: string
  readonly at: number
  /** What the bank made of it. */
  readonly state: string
}
export interface Refund {
  readonly key: string
  readonly merchantId: string
  readonly paymentId: string
  readonly amount: number
  state: "pending" | "succeeded" | "failed"
  settlesAt: number
}
export interface Dispute {
  readonly id: string
  readonly merchantId: string
  readonly tradeNo: string
  readonly reason: string
  readonly openedAt: number
  readonly dueBy: number | null
  readonly amount: number
  status: "needs_response" | "under_review" | "accepted" | "won" | "lost" | "closed"
  answers: Array<string>
  lostAt: number
}
export interface Notice {
  readonly kind: "payment" | "refund" | "dispute"
  readonly of: string
  /** The merchant whose address it is sent to. */
  readonly to: string
  readonly signature: string
}

/** A wallet's refund takes a minute, a conceded dispute five seconds, and a buyer who is away is given half an hour. */
const settlesAfter = 60_000
const concessionTakes = 5_000
const redirectLapses = 30 * 60_000
const later: ReadonlySet<string> = new Set(["alipay", "wechat_pay"])

export const memoryAcquirer = () => {
  const sessions = new Map<string, Session>()
  const payments: Array<Payment> = []
  const refunds = new Map<string, Refund>()
  const disputes = new Map<string, Dispute>()
  const troubles: Array<Trouble> = []
  const unreachable = new Set<string>()
  const revoked = new Set<string>()
  const unsent: Array<Notice> = []
  /** Its clock is ahead of ours by this. */
  const clock = { aheadMillis: 0 }
  const currentMillis = Effect.map(ourMillis, (now) => now + clock.aheadMillis)
  /** The service that takes notices; false: it did not take this one. */
  const receiver: { take: (notice: Notice) => Effect.Effect<boolean>; held: boolean } = {
    take: () => Effect.succeed(false),
    held: false
  }
  const sign = ({ kind, of, to }: Pick<Notice, "kind" | "of" | "to">) => `signed ${kind} ${of} ${to}`

  const send = (order: "oldest first" | "newest first" = "oldest first") =>
    Effect.gen(function* () {
      if (receiver.held) return
      const sent = unsent.splice(0)
      for (const notice of order === "oldest first" ? sent : sent.toReversed()) {
        if (!(yield* receiver.take(notice))) unsent.push(notice)
      }
    })
  const tell = (kind: Notice["kind"], of: string, to: string) =>
    Effect.suspend(() => {
      unsent.push({ kind, of, to, signature: sign({ kind, of, to }) })
      return send()
    })

  const wire = <A>(call: Call, merchantId: string, work: Effect.Effect<A>) =>
    Effect.gen(function* () {
      if (unreachable.has(merchantId)) return yield* new WireFailed({ how: "away" })
      if (revoked.has(merchantId)) return yield* new WireFailed({ how: "key" })
      const trouble = troubles.find((each) => each.call === call && each.merchantId === merchantId && each.times-- > 0)
      if (trouble?.kind === "crowded") return yield* new WireFailed({ how: "crowded" })
      if (trouble?.kind === "lost before") return yield* new WireFailed({ how: "silent" })
      const answer = yield* work
      return trouble === undefined ? answer : yield* new WireFailed({ how: "silent" })
    })

  const sessionsOf = (tradeNo: string) => [...sessions.values()].filter((each) => each.tradeNo === tradeNo)
  const paidOf = (tradeNo: string) => payments.filter((each) => each.tradeNo === tradeNo && each.state === "succeeded")
  const lapse = (session: Session, now: number) => {
    if (session.state === "away" && now - session.awaySince > redirectLapses) session.state = "open"
    return session
  }
  const settle = (refund: Refund, now: number) => {
    if (refund.state === "pending" && refund.settlesAt <= now) refund.state = "succeeded"
    return refund
  }
  const judge = (dispute: Dispute, now: number) => {
    const isLate = dispute.status === "needs_response" && dispute.dueBy !== null && dispute.dueBy < now
    if (isLate || (dispute.status === "accepted" && dispute.lostAt <= now)) dispute.status = "lost"
    return dispute
  }

  return {
    sessions,
    payments,
    refunds,
    disputes,
    troubles,
    unreachable,
    revoked,
    receiver,
    unsent,
    clock,
    sign,
    send,
    tell,
    wire,
    sessionsOf,
    paidOf,
    /** The same key: the same session. */
    open: (key: string, terms: Omit<Session, "id" | "state" | "awaySince">) =>
      Effect.sync(() => {
        const made = sessions.get(key) ?? { ...terms, id: key, state: "open", awaySince: 0 }
        sessions.set(key, made)
        return made
      }),
    look: (tradeNo: string) => Effect.map(currentMillis, (now) => sessionsOf(tradeNo).map((each) => lapse(each, now))),
    close: (tradeNo: string) =>
      Effect.map(currentMillis, (now) =>
        sessionsOf(tradeNo).map((each) => {
          if (lapse(each, now).state === "open") each.state = "over"
          return each
        })
      ),
    /** What the bank makes of an attempt. A notice is sent of it unless `silently`. */
    pays: (
      of: Omit<Payment, "id" | "at">,
      { session, silently = false }: { session?: Session; silently?: boolean } = {}
    ) =>
      Effect.gen(function* () {
        const at = yield* currentMillis
        const payment: Payment = { ...of, id: `mem_${of.tradeNo}_${payments.length}`, at }
        payments.push(payment)
        if (session !== undefined) session.state = of.state === "succeeded" ? "paid" : "open"
        if (!silently) yield* tell("payment", payment.id, of.merchantId)
        return payment
      }),
    /** The same key: the same refund. Undefined: the payment does not cover it. */
    refund: (key: string, of: Pick<Refund, "merchantId" | "paymentId" | "amount">) =>
      Effect.map(currentMillis, (now) => {
        const known = refunds.get(key)
        if (known !== undefined) return settle(known, now)
        const paid = payments.find(({ id, state }) => id === of.paymentId && state === "succeeded")
        const before = [...refunds.values()].filter(
          (each) => each.paymentId === of.paymentId && each.state !== "failed"
        )
        const left = (paid?.amount ?? 0) - before.reduce((sum, { amount }) => sum + amount, 0)
        if (paid === undefined || of.amount > left) return undefined
        const state = later.has(paid.method) ? "pending" : "succeeded"
        const made: Refund = { ...of, key, state, settlesAt: now + settlesAfter }
        refunds.set(key, made)
        return made
      }),
    /** A buyer goes to the bank. */
    objects: (of: Pick<Dispute, "merchantId" | "tradeNo" | "amount" | "reason" | "dueBy">) =>
      Effect.map(currentMillis, (openedAt) => {
        const id = `mdp_${disputes.size}_${of.tradeNo}`
        const made: Dispute = { ...of, id, openedAt, status: "needs_response", answers: [], lostAt: 0 }
        disputes.set(id, made)
        return made
      }),
    dispute: (id: string) =>
      Effect.map(currentMillis, (now) => {
        const dispute = disputes.get(id)
        return dispute === undefined ? undefined : judge(dispute, now)
      }),
    /** The same answer twice is one. */
    answer: (id: string, answer: string) =>
      Effect.map(currentMillis, (now) => {
        const dispute = judge(disputes.get(id)!, now)
        if (dispute.status === "needs_response") Object.assign(dispute, { status: "under_review", answers: [answer] })
        return dispute
      }),
    concede: (id: string) =>
      Effect.map(currentMillis, (now) => {
        const dispute = judge(disputes.get(id)!, now)
        if (dispute.status === "needs_response") {
          Object.assign(dispute, { status: "accepted", lostAt: now + concessionTakes })
        }
        return dispute
      })
  }
}
export type MemoryAcquirer = ReturnType<typeof memoryAcquirer>
