/**
 * An acquirer in memory, for the third channel of the tests: sessions, payments, refunds and disputes under keys of the
 * caller, a wire that loses answers, and signed notices that are sent again until they are taken. It outlives the
 * services that it is wired into, as an acquirer does.
 */
import type { PaymentMethod } from "@coffer/model/PaymentMethod"
import { Effect, Schema } from "effect"
import { currentMillis } from "../../../src/platform/runtime/clock.ts"

/** `away`: the call did nothing. `silent`: its outcome is unknown. `crowded`, `key`: it was refused, and did nothing. */
export class WireFailed extends Schema.TaggedError<WireFailed>()("WireFailed", {
  how: Schema.Literals(["away", "silent", "crowded", "key"])
}) {}

export type Call =
  | "begin"
  | "lookUp"
  | "cancel"
  | "giveBack"
  | "refund"
  | "submit"
  | "accept"
  | "status"
  | "capture"
  | "release"
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

/** What it has. */
const newBooks = () => ({
  sessions: new Map<string, Session>(),
  payments: [] as Array<Payment>,
  refunds: new Map<string, Refund>(),
  disputes: new Map<string, Dispute>(),
  /** What goes wrong on the wire next. */
  troubles: [] as Array<Trouble>,
  /** Merchants whose calls do not arrive, and whose keys are not taken. */
  unreachable: new Set<string>(),
  revoked: new Set<string>(),
  unsent: [] as Array<Notice>,
  /** The service that takes notices; false: it did not take this one. */
  receiver: { take: (_: Notice): Effect.Effect<boolean> => Effect.succeed(false), held: false },
  /** Its clock is ahead of ours by this. */
  clock: { aheadMillis: 0 }
})
type Books = ReturnType<typeof newBooks>

export const memoryAcquirer = () => {
  const books = newBooks()
  const now = Effect.map(currentMillis, (millis) => millis + books.clock.aheadMillis)
  return {
    ...books,
    ...noticesOf(books),
    ...sessionsOf(books, now),
    ...refundsOf(books, now),
    ...disputesOf(books, now)
  }
}
export type MemoryAcquirer = ReturnType<typeof memoryAcquirer>

type Now = Effect.Effect<number>

const noticesOf = ({ receiver, revoked, troubles, unreachable, unsent }: Books) => {
  const sign = ({ kind, of, to }: Pick<Notice, "kind" | "of" | "to">) => `signed ${kind} ${of} ${to}`
  const send = (order: "oldest first" | "newest first" = "oldest first") =>
    Effect.gen(function* () {
      if (receiver.held) return
      const sent = unsent.splice(0)
      for (const notice of order === "oldest first" ? sent : sent.toReversed()) {
        if (!(yield* receiver.take(notice))) unsent.push(notice)
      }
    })
  return {
    sign,
    send,
    tell: (kind: Notice["kind"], of: string, to: string) =>
      Effect.suspend(() => {
        unsent.push({ kind, of, to, signature: sign({ kind, of, to }) })
        return send()
      }),
    /** One call of a merchant. */
    wire: <A>(call: Call, merchantId: string, work: Effect.Effect<A>) =>
      Effect.gen(function* () {
        if (unreachable.has(merchantId)) return yield* new WireFailed({ how: "away" })
        if (revoked.has(merchantId)) return yield* new WireFailed({ how: "key" })
        const isMeant = (each: Trouble) => each.call === call && each.merchantId === merchantId && each.times-- > 0
        const kind = troubles.find(isMeant)?.kind
        if (kind === "crowded") return yield* new WireFailed({ how: "crowded" })
        if (kind === "lost before") return yield* new WireFailed({ how: "silent" })
        const answer = yield* work
        return kind === undefined ? answer : yield* new WireFailed({ how: "silent" })
      })
  }
}

const sessionsOf = (books: Books, time: Now) => {
  const { payments, sessions } = books
  const { tell } = noticesOf(books)
  const sessionsOf = (tradeNo: string) => [...sessions.values()].filter((each) => each.tradeNo === tradeNo)
  const lapse = (session: Session, now: number) => {
    if (session.state === "away" && now - session.awaySince > redirectLapses) session.state = "open"
    return session
  }
  return {
    sessionsOf,
    paidOf: (tradeNo: string) => payments.filter((each) => each.tradeNo === tradeNo && each.state === "succeeded"),
    /** The same key: the same session. */
    open: (key: string, terms: Omit<Session, "id" | "state" | "awaySince">) =>
      Effect.sync(() => {
        const made = sessions.get(key) ?? { ...terms, id: key, state: "open", awaySince: 0 }
        sessions.set(key, made)
        return made
      }),
    look: (tradeNo: string) => Effect.map(time, (now) => sessionsOf(tradeNo).map((each) => lapse(each, now))),
    close: (tradeNo: string) =>
      Effect.map(time, (now) =>
        sessionsOf(tradeNo).map((each) => {
          if (lapse(each, now).state === "open") each.state = "over"
          return each
        })
      ),
    /** What the bank makes of an attempt. A notice is sent of it unless `silently`. */
    pays: (
      of: Omit<Payment, "id" | "at">,
      { session, silently = false }: { readonly session?: Session; readonly silently?: boolean } = {}
    ) =>
      Effect.gen(function* () {
        const payment: Payment = { ...of, id: `mem_${of.tradeNo}_${payments.length}`, at: yield* time }
        payments.push(payment)
        if (session !== undefined) session.state = of.state === "succeeded" ? "paid" : "open"
        if (!silently) yield* tell("payment", payment.id, of.merchantId)
        return payment
      })
  }
}

const refundsOf = ({ payments, refunds }: Books, time: Now) => ({
  /** The same key: the same refund. Undefined: the payment does not cover it. */
  refund: (key: string, of: Pick<Refund, "merchantId" | "paymentId" | "amount">) =>
    Effect.map(time, (now) => {
      const known = refunds.get(key)
      if (known?.state === "pending" && known.settlesAt <= now) known.state = "succeeded"
      if (known !== undefined) return known
      const paid = payments.find(({ id, state }) => id === of.paymentId && state === "succeeded")
      const before = [...refunds.values()].filter((each) => each.paymentId === of.paymentId && each.state !== "failed")
      const left = (paid?.amount ?? 0) - before.reduce((sum, { amount }) => sum + amount, 0)
      if (paid === undefined || of.amount > left) return undefined
      const state = later.has(paid.method) ? "pending" : "succeeded"
      const made: Refund = { ...of, key, state, settlesAt: now + settlesAfter }
      refunds.set(key, made)
      return made
    })
})

const disputesOf = ({ disputes }: Books, time: Now) => {
  const judged = (id: string) =>
    Effect.map(time, (now) => {
      const dispute = disputes.get(id)
      if (dispute === undefined) return undefined
      const isLate = dispute.status === "needs_response" && dispute.dueBy !== null && dispute.dueBy < now
      if (isLate || (dispute.status === "accepted" && dispute.lostAt <= now)) dispute.status = "lost"
      return dispute
    })
  const step = (id: string, change: (now: number) => Partial<Dispute>) =>
    Effect.gen(function* () {
      const dispute = (yield* judged(id))!
      return dispute.status === "needs_response" ? Object.assign(dispute, change(yield* time)) : dispute
    })
  return {
    /** A buyer goes to the bank. */
    objects: (of: Pick<Dispute, "merchantId" | "tradeNo" | "amount" | "reason" | "dueBy">) =>
      Effect.map(time, (openedAt) => {
        const id = `mdp_${disputes.size}_${of.tradeNo}`
        const made: Dispute = { ...of, id, openedAt, status: "needs_response", answers: [], lostAt: 0 }
        disputes.set(id, made)
        return made
      }),
    dispute: judged,
    answer: (id: string, answer: string) => step(id, () => ({ status: "under_review", answers: [answer] })),
    concede: (id: string) => step(id, (now) => ({ status: "accepted", lostAt: now + concessionTakes }))
  }
}
