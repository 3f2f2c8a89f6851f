/**
 * Finds objects of one account by what its people remember. Numbers are found as operators find them, within the
 * account; orders also by an amount, and by the beginnings of words. A common word is met among the newest orders; a
 * rare one of a paid order is read by its index. Both are bounded, so the worst word costs no more
 * (docs/decisions/0236). It reads only columns that these people read in the lists.
 */
import { type FoundKind, foundKinds } from "@coffer/contract/Lookup"
import { matchesMax } from "@coffer/contract/MerchantSearch"
import type { Account } from "@coffer/model/Account"
import { Currency } from "@coffer/model/Money"
import { amountIn, ownNumberOf } from "@coffer/rules/lists/searched"
import { foldText } from "@coffer/rules/spelling"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { amountKey, amountKeyOf, valueKey, valueKeyOf } from "../../platform/postgres/orderKeys.ts"
import { isAddress } from "../../platform/postgres/addresses.ts"
import { isStorable } from "../../platform/postgres/scans.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import { span } from "../../platform/runtime/span.ts"
import { Search } from "./Search.ts"

const Match = Schema.Struct({
  kind: Schema.Literals(foundKinds),
  id: Schema.String,
  number: Schema.NullOr(Schema.String),
  amount: Schema.NullOr(Schema.Int),
  currency: Schema.NullOr(Currency),
  status: Schema.NullOr(Schema.String),
  text: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String),
  created_at: Schema.NullOr(TimeColumn)
})
export type Match = typeof Match.Type

export class AccountSearch extends Context.Service<
  AccountSearch,
  {
    /** At most one more of each kind than {@link matchesMax}, the newest first. */
    readonly find: (account: Account, text: string) => Effect.Effect<ReadonlyArray<Match>>
  }
>()("@coffer/lookup/AccountSearch") {}

/** The newest orders and links that are looked through for words. */
const newestOrdersMax = 10_000
const newestLinksMax = 1_000
/** Orders with an amount or an address that are read and sorted. */
const rareMax = 2_000
const wanted = matchesMax + 1

const decode = Schema.decodeUnknownEffect(Schema.Array(Match))

export const layer = Layer.effect(
  AccountSearch,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const search = yield* Search
    const rows = (statement: Statement.Fragment) => Effect.flatMap(sql`${statement}`, decode)
    const ofOrder = columnsOf(sql, "order")

    const byWords = (account: Account, text: string) => {
      const { merchantId, mode } = account
      return rows(sql`select ${ofOrder} from (
          select * from orders
          where (merchant_id, mode, trade_no) > ((select ${merchantId}), ${mode}, '')
            and (merchant_id, mode, trade_no) < ((select ${merchantId}), ${mode}, 'U')
          order by merchant_id desc, mode desc, trade_no desc limit ${newestOrdersMax}) as newest
        where ${hasWords(sql, orderWords, text)} order by merchant_id desc, mode desc, trade_no desc limit ${wanted}`)
    }

    /** Of any age. */
    const byAddress = (account: Account, text: string) =>
      text.includes("@")
        ? rows(sql`select ${ofOrder} from (
            select * from orders
            where ${sql.literal(addressKey)} = (select ${valueKeyOf(sql, account, foldText(text))})
              and receipt_email is not null
            limit (select ${rareMax}::bigint)) as equal
          where ${isOf(sql, account)} and ${isAddress(sql, sql`receipt_email`, text)}
          order by trade_no desc limit ${wanted}`)
        : Effect.succeed([])

    const byAmount = (account: Account, text: string) => {
      const amount = amountIn(text)
      if (amount === undefined) return Effect.succeed([])
      const { currency = null, minor } = amount
      return rows(sql`select ${ofOrder} from (
          select * from orders where ${sql.literal(amountKey)} = (select ${amountKeyOf(sql, account, minor)})
          limit (select ${rareMax}::bigint)) as equal
        where ${isOf(sql, account)} and amount = ${minor}::bigint
          and currency = coalesce(${currency}::text, currency)
        order by trade_no desc limit ${wanted}`)
    }

    const links = (account: Account, text: string) => {
      const { merchantId, mode } = account
      return rows(sql`select ${columnsOf(sql, "payment_link")} from (
          select * from payment_links where merchant_id = ${merchantId} and mode = ${mode}
          order by link_id desc limit ${newestLinksMax}) as newest
        where ${hasWords(sql, "coalesce(subject, '')", text)}
        order by link_id desc limit ${wanted}`)
    }

    /** Objects with this number, with their details. */
    const byNumber = Effect.fnUntraced(function* ({ merchantId, mode }: Account, text: string) {
      const found = (yield* search.find({ merchant_id: merchantId, number: ownNumberOf(text) })).filter(
        (each) => each.mode === mode
      )
      const kinds = [...new Set(found.map(({ kind }) => kind))]
      const scans = kinds.map((kind) => {
        const ids = found.filter((each) => each.kind === kind).map(({ id }) => id)
        const described = details[kind]
        return described === undefined
          ? sql`select ${kind}::text as kind, id, ${nothing(sql)} from unnest(${ids}::text[]) as id`
          : sql`select ${columnsOf(sql, kind)} from ${sql(described.table)}
              where ${sql(described.id)} = any(${ids}::text[]) and ${isOf(sql, { merchantId, mode })}`
      })
      return scans.length === 0 ? [] : yield* rows(sql.join(" union all ", false)(scans))
    })

    return AccountSearch.of({
      find: span("AccountSearch.find")(function* (account, typed) {
        const text = typed.trim()
        if (text === "" || !isStorable(text)) return []
        const found = [
          ...(yield* byNumber(account, text)),
          ...(yield* byAmount(account, text)),
          ...(yield* byAddress(account, text)),
          ...(yield* byWords(account, text)),
          ...(yield* links(account, text))
        ]
        const once = [...new Map(found.toReversed().map((each) => [each.id, each])).values()].toReversed()
        return foundKinds.flatMap((kind) => once.filter((each) => each.kind === kind).slice(0, wanted))
      }, sqlDefects)
    })
  })
)

const addressKey = valueKey("lower(receipt_email)")

/** The words by which people find an order. Its number is left out where it is ours. */
const orderWords = `coalesce(nullif(out_trade_no, trade_no), '') || ' ' || coalesce(subject, '') || ' ' ||
  coalesce(receipt_email, '') || ' ' || coalesce(receipt->>'number', '') || ' ' || coalesce(card->>'last4', '')`

/** What parts words: the parts of an address are found by their beginnings. */
const partings = '!"#$%&()*+,-./:;<=>?@[]^_`{|}~\u3000、，。！？：；“”（）《》【】…'
/** A word of a script without spaces begins anywhere. */
const unspaced = /^[\u2E80-\u9FFF\uAC00-\uD7AF]/
/** Each word that is looked for is looked for in each row. */
const wordsMax = 8

/** Whether a text has words that begin like the typed ones. */
const hasWords = (sql: SqlClient.SqlClient, text: string, typed: string) => {
  const words = typed
    .toLowerCase()
    .split(/[\s'\\]+/)
    .flatMap((word) =>
      Array.from(word, (each) => (partings.includes(each) ? " " : each))
        .join("")
        .split(" ")
    )
    .filter((word) => word !== "")
    .slice(0, wordsMax)
  const blanks = " ".repeat(partings.length)
  const apart = sql`(' ' || translate(lower(${sql.literal(text)}), ${partings}::text, ${blanks}::text))`
  const begins = words.map((word) => sql`position(${unspaced.test(word) ? word : ` ${word}`}::text in ${apart}) > 0`)
  return begins.length === 0 ? sql`false` : sql.and(begins)
}

/** Where the details of a kind are; the others have none. */
const details: Partial<
  Record<FoundKind, { readonly table: string; readonly id: string; readonly number: string; readonly text: string }>
> = {
  order: { table: "orders", id: "trade_no", number: "out_trade_no", text: "subject" },
  refund: { table: "refunds", id: "refund_no", number: "out_refund_no", text: "reason" },
  dispute: { table: "disputes", id: "dispute_no", number: "processor_dispute_id", text: "reason" }
}
const link = { table: "payment_links", id: "link_id", number: "link_id", text: "subject" }

const isOf = (sql: SqlClient.SqlClient, { merchantId, mode }: Account) =>
  sql`merchant_id = ${merchantId} and mode = ${mode}`

const nothing = (sql: SqlClient.SqlClient) =>
  sql`null::text as number, null::bigint as amount, null::text as currency, null::text as status, null::text as text,
    null::text as email, null::timestamptz as created_at`

const columnsOf = (sql: SqlClient.SqlClient, kind: FoundKind) => {
  const { id, number, text } = details[kind] ?? link
  const email = kind === "order" ? sql`receipt_email` : sql`null::text`
  return sql`${kind}::text as kind, ${sql(id)} as id, nullif(${sql(number)}, ${sql(id)}) as number, amount, currency,
    status, ${sql(text)} as text, ${email} as email, created_at`
}
