/**
 * Finds objects of one account by what its people remember. Numbers are found as operators find them, within the
 * account; orders also by terms, of which each narrows: an amount, the beginnings of words, a part of an address. They
 * are met among the newest orders, and among those that the index of an amount or an address has. Both are bounded, so
 * the worst text costs no more (docs/decisions/0236, 0251). It reads only columns that these people read in the lists.
 */
import { type FoundKind, foundKinds } from "@coffer/contract/foundKinds"
import { matchesMax, matchesPage, type PagedKind } from "@coffer/contract/MerchantSearch"
import type { Account } from "@coffer/model/Account"
import { Currency } from "@coffer/model/Money"
import { ownNumberOf, partings, type SearchedAmount, type Term, termsIn } from "@coffer/rules/lists/searched"
import { foldText } from "@coffer/rules/spelling"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
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
    /** Those of one kind behind an object, at most one more than {@link matchesPage}. */
    readonly page: (account: Account, text: string, page: MatchPage) => Effect.Effect<ReadonlyArray<Match>>
  }
>()("@coffer/lookup/AccountSearch") {}

export interface MatchPage {
  readonly kind: PagedKind
  /** The object before it; "" for the first page. */
  readonly after: string
}

/** The newest orders and links that are looked through for words. */
const newestOrdersMax = 10_000
const newestLinksMax = 1_000
/** Orders with an amount or an address that are read and sorted. */
const rareMax = 2_000
/** Amounts of a text by which orders are read. */
const amountsMax = 2

const decode = Schema.decodeUnknownEffect(Schema.Array(Match))

export const layer = Layer.effect(
  AccountSearch,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const search = yield* Search
    const rows = (statement: Statement.Fragment) => Effect.flatMap(sql`${statement}`, decode)
    const { amongNewest, byAddress, byAmount, links } = scansOf(sql, rows)

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

    const find = Effect.fnUntraced(function* (account: Account, typed: string, cut: Cut) {
      const text = typed.trim()
      if (text === "" || !isStorable(text)) return []
      const terms = termsIn(text)
      const isOrders = cut.kind !== "payment_link"
      const isLinks = cut.kind !== "order"
      const numbered = (yield* byNumber(account, text)).filter(({ id }) => cut.after === "" || id < cut.after)
      const found =
        terms.length === 0
          ? numbered
          : [
              ...numbered,
              ...(isOrders ? yield* byAmount(account, terms, cut) : []),
              ...(isOrders ? yield* byAddress(account, terms, cut) : []),
              ...(isOrders ? yield* amongNewest(account, terms, cut) : []),
              ...(isLinks ? yield* links(account, terms, cut) : [])
            ]
      const once = [...new Map(found.map((each) => [each.id, each])).values()]
      return once.toSorted((a, b) => (a.id < b.id ? 1 : -1))
    })

    return AccountSearch.of({
      find: span("AccountSearch.find")(function* (account, text) {
        const wanted = matchesMax + 1
        const found = yield* find(account, text, { after: "", wanted })
        return foundKinds.flatMap((kind) => found.filter((each) => each.kind === kind).slice(0, wanted))
      }, sqlDefects),
      page: span("AccountSearch.page")(function* (account, text, { after, kind }) {
        const wanted = matchesPage + 1
        const found = yield* find(account, text, { after, wanted, kind })
        return found.filter((each) => each.kind === kind).slice(0, wanted)
      }, sqlDefects)
    })
  })
)

/** How much is read of what fits, and behind which object. `kind`: the other kinds are not looked through. */
interface Cut {
  readonly kind?: PagedKind
  readonly after: string
  readonly wanted: number
}

type Rows = (
  statement: Statement.Fragment
) => Effect.Effect<ReadonlyArray<Match>, SqlError.SqlError | Schema.SchemaError>

/** Reads of what fits the terms, each with its bound. */
const scansOf = (sql: SqlClient.SqlClient, rows: Rows) => {
  const ofOrder = columnsOf(sql, "order")

  /** Behind the page's cursor. `order`: the newest are read in the order of their index, so it may end early. */
  const rest = (fits: Statement.Fragment, { after, wanted }: Cut, order = "trade_no desc") => sql`
      where ${fits} ${after === "" ? sql`` : sql`and trade_no < ${after}::text`}
      order by ${sql.literal(order)} limit ${wanted}`

  const amongNewest = ({ merchantId, mode }: Account, terms: ReadonlyArray<Term>, cut: Cut) =>
    rows(sql`select ${ofOrder} from (
        select * from orders
        where (merchant_id, mode, trade_no) > ((select ${merchantId}), ${mode}, '')
          and (merchant_id, mode, trade_no) < ((select ${merchantId}), ${mode}, 'U')
        order by merchant_id desc, mode desc, trade_no desc limit ${newestOrdersMax}) as newest
      ${rest(fitsOrder(sql, terms), cut, "merchant_id desc, mode desc, trade_no desc")}`)

  /** Of any age, by the address that one of the terms is. */
  const byAddress = (account: Account, terms: ReadonlyArray<Term>, cut: Cut) => {
    const address = terms.find(({ text }) => text.includes("@"))?.text
    if (address === undefined) return Effect.succeed([])
    const others = terms.filter(({ text }) => text !== address)
    const fits = [isOf(sql, account), isAddress(sql, sql`receipt_email`, address), fitsOrder(sql, others)]
    return rows(sql`select ${ofOrder} from (
          select * from orders
          where ${sql.literal(addressKey)} = (select ${valueKeyOf(sql, account, foldText(address))})
            and receipt_email is not null
          limit (select ${rareMax}::bigint)) as equal
        ${rest(sql.and(fits), cut)}`)
  }

  /** Of any age, by the amounts that terms are. */
  const byAmount = (account: Account, terms: ReadonlyArray<Term>, cut: Cut) =>
    Effect.map(
      Effect.forEach(
        terms.flatMap(({ amount }) => (amount === undefined ? [] : [amount])).slice(0, amountsMax),
        ({ minor }) =>
          rows(sql`select ${ofOrder} from (
            select * from orders where ${sql.literal(amountKey)} = (select ${amountKeyOf(sql, account, minor)})
            limit (select ${rareMax}::bigint)) as equal
          ${rest(sql.and([isOf(sql, account), fitsOrder(sql, terms)]), cut)}`)
      ),
      (found) => found.flat()
    )

  const links = ({ merchantId, mode }: Account, terms: ReadonlyArray<Term>, { after, wanted }: Cut) =>
    rows(sql`select ${columnsOf(sql, "payment_link")} from (
        select * from payment_links where merchant_id = ${merchantId} and mode = ${mode}
        order by link_id desc limit ${newestLinksMax}) as newest
      where ${sql.and(terms.map(({ words }) => hasWords(sql, "coalesce(subject, '')", words)))}
        ${after === "" ? sql`` : sql`and link_id < ${after}::text`}
      order by link_id desc limit ${wanted}`)

  return { amongNewest, byAddress, byAmount, links }
}

const addressKey = valueKey("lower(receipt_email)")

/** The words by which people find an order. Its number is left out where it is ours. */
const orderWords = `coalesce(nullif(out_trade_no, trade_no), '') || ' ' || coalesce(subject, '') || ' ' ||
  coalesce(receipt_email, '') || ' ' || coalesce(receipt->>'number', '') || ' ' || coalesce(card->>'last4', '')`

/** A word of a script without spaces begins anywhere. */
const unspaced = /^[\u2E80-\u9FFF\uAC00-\uD7AF]/
/** A shorter part is in nearly every address. */
const addressPartMin = 2

/** Each term is the amount, the beginnings of words, or a part of the address. */
const fitsOrder = (sql: SqlClient.SqlClient, terms: ReadonlyArray<Term>): Statement.Fragment =>
  terms.length === 0
    ? sql`true`
    : sql.and(
        terms.map(({ amount, text, words }) =>
          sql.or([
            hasWords(sql, orderWords, words),
            ...(amount === undefined ? [] : [hasAmount(sql, amount)]),
            ...(text.length < addressPartMin
              ? []
              : [sql`position(${text}::text in lower(coalesce(receipt_email, ''))) > 0`])
          ])
        )
      )

const hasAmount = (sql: SqlClient.SqlClient, { currency, minor }: SearchedAmount) =>
  sql`(amount = ${minor}::bigint and currency = coalesce(${currency ?? null}::text, currency))`

/** Whether a text has words that begin like these. */
const hasWords = (sql: SqlClient.SqlClient, text: string, words: ReadonlyArray<string>) => {
  const blanks = " ".repeat(partings.length)
  const apart = sql`(' ' || translate(lower(${sql.literal(text)}), ${partings}::text, ${blanks}::text))`
  return sql.and(words.map((word) => sql`position(${unspaced.test(word) ? word : ` ${word}`}::text in ${apart}) > 0`))
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
