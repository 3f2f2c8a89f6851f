/**
 * Erases orders with all that belongs to them: refunds, evidence and its files, mails, events, and what receivers
 * answered. A buyer's own orders lose all words that tell of the buyer. An order of another buyer that only names this
 * one loses nothing but the address, in every text. One slice is one transaction. The version of each row rises, so an
 * owner that remembers the row decides again on the new one. An order waits while a dispute of it is open, since its
 * evidence is the merchant's defence, and while a webhook or a mail about it is under way, since the answer would store
 * the buyer's words again.
 */
import { wholeAddress } from "@coffer/rules/wholeAddress"
import { type DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Files } from "../../money/files/Files.ts"
import { Mailer } from "../../shared/mail/Mailer.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { jsonText } from "../../platform/runtime/codecs.ts"
import { makeEraseRows, ofOrders } from "./eraseRows.ts"
import { type Belongings, isOwnOf, makeOrderRows } from "./orderRows.ts"

export interface OrdersToErase {
  readonly erasureNo: string
  readonly tradeNos: ReadonlyArray<string>
  /** Undefined where one order is erased. */
  readonly email: string | undefined
  readonly now: DateTime.Utc
}

export interface ErasedOrders {
  readonly files: number
  /** Orders with a webhook or a mail under way: they are retried soon. */
  readonly soon: number
}

export const makeEraseOrders = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const files = yield* Files
  const mailer = yield* Mailer
  const reads = makeOrderRows(sql)
  const erase = yield* makeEraseRows

  const slice = Effect.fnUntraced(function* (options: OrdersToErase) {
    const { erasureNo } = options
    // An order that another transaction is writing is retried: this does not wait for a row while it holds others.
    const orders = yield* reads.orders(options.tradeNos, sql`for update skip locked`)
    const locked = new Set(orders.map(({ trade_no }) => trade_no))
    const belongings = yield* reads.belongings([...locked], options.now)
    const reasons = reasonsToWait(belongings)
    for (const tradeNo of yield* reads.there(options.tradeNos.filter((tradeNo) => !locked.has(tradeNo)))) {
      reasons.set(tradeNo, "change_under_way")
    }
    const tradeNos = [...locked].filter((tradeNo) => !reasons.has(tradeNo))
    yield* sql`with gone as (delete from erasure_orders
        where erasure_no = ${erasureNo} and trade_no = any(${options.tradeNos}::text[])
          and trade_no <> all(${[...reasons.keys()]}::text[]))
      insert into erasure_orders
      select ${erasureNo}, * from unnest(${[...reasons.keys()]}::text[], ${[...reasons.values()]}::text[])
      on conflict (erasure_no, trade_no) do update set reason = excluded.reason`
    const soon = [...reasons.values()].filter((reason) => reason !== "open_dispute").length
    if (tradeNos.length === 0) return soon
    const free = new Set(tradeNos)
    const counts = yield* erase(
      { ...options, isDry: false },
      orders.filter(({ trade_no }) => free.has(trade_no)),
      ofOrders(belongings, (tradeNo) => free.has(tradeNo))
    )
    // Counted in the same transaction: if saving the position fails, the slice runs again and counts nothing.
    yield* sql`update erasures set fresh = fresh + ${tradeNos.length}::int4,
      counts = added_counts(counts, ${jsonText(counts)}::text::jsonb) where erasure_no = ${erasureNo}`
    return soon
  })

  return (options: OrdersToErase): Effect.Effect<ErasedOrders> =>
    Effect.gen(function* () {
      if (options.tradeNos.length === 0) return { files: 0, soon: 0 }
      const { disputes } = yield* reads.objects(options.tradeNos)
      const open = new Set(disputes.filter(({ is_open }) => is_open).map(({ trade_no }) => trade_no))
      const free = options.tradeNos.filter((tradeNo) => !open.has(tradeNo))
      const ended = disputes.filter(({ trade_no }) => !open.has(trade_no))
      // Files go before the rows that name them: after a crash in between they are still named, and removed again.
      const orders = yield* reads.orders(free, sql``)
      const own = new Set(orders.filter(isOwnOf(options.email)).map(({ trade_no }) => trade_no))
      const named = yield* reads.files(idsOf(ended.filter(({ trade_no }) => own.has(trade_no))))
      const removed = yield* files.erase(named, (name) => reads.isNamedElsewhere(name, [...own]))
      const isBuyers = options.email === undefined ? () => true : wholeAddress(options.email).is
      const mails = yield* reads.mails(free)
      yield* mailer.forget(idsOf(mails.filter((mail) => own.has(mail.trade_no) || isBuyers(mail.recipient))))
      return { files: removed, soon: yield* sql.withTransaction(slice(options)) }
    }).pipe(sqlDefects)
})

/** Which orders wait, and why. */
const reasonsToWait = ({ deliveries, disputes, events, mails }: Belongings): Map<string, string> => {
  const ofEvent = new Map(events.map(({ id, trade_no }) => [id, trade_no]))
  return new Map([
    ...deliveries
      .filter(({ is_leased }) => is_leased)
      .map(({ event_id }) => isUnderWay(ofEvent.get(event_id)!, "webhook")),
    ...mails.filter(({ status }) => status === "sending").map(({ trade_no }) => isUnderWay(trade_no, "mail")),
    ...disputes.filter(({ is_open }) => is_open).map(({ trade_no }) => [trade_no, "open_dispute"] as const)
  ])
}
const isUnderWay = (tradeNo: string, what: "webhook" | "mail") => [tradeNo, `${what}_under_way`] as const

const idsOf = (some: ReadonlyArray<{ readonly id: string }>) => some.map(({ id }) => id)
