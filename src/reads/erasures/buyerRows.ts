/** Which orders and links are a buyer's, or name the buyer, and how many rows of each kind an erasure would change. */
import { isoText } from "@coffer/model/isoText"
import type { Account } from "@coffer/model/Account"
import { paymentLinks } from "@coffer/resources/links"
import { erasedText, makeEraser } from "@coffer/rules/erasure"
import { mayHoldAddress, type WholeAddress, wholeAddress } from "@coffer/rules/wholeAddress"
import { type DateTime, Effect, Option, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { isAddress } from "../../platform/postgres/addresses.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { storableJson } from "../../platform/postgres/storable.ts"
import { jsonText, parseJson } from "../../platform/runtime/codecs.ts"
import { each, type KindName, makeBuyerWords, shownRows } from "./buyerWords.ts"
import type { Counts } from "./ErasureStore.ts"
import { searchedIn } from "./searchedIn.ts"

/** Orders that a dry run counts; above it the answer says that there are more. */
export const countedMax = 10_000

export interface BuyersOrders {
  readonly account: Account | undefined
  readonly email: string
  /** Orders that were made later stay. */
  readonly until: DateTime.Utc
  readonly after: string
  readonly limit: number
}

const Numbered = Schema.Array(Schema.Struct({ id: Schema.String }))
const decode = Schema.decodeUnknownEffect(Numbered)
const idsOf = (rows: typeof Numbered.Type) => rows.map(({ id }) => id)

/** Which orders are meant. */
const conditions = (sql: SqlClient.SqlClient) => {
  const whose = (account: Account | undefined) =>
    account === undefined ? sql`true` : sql`merchant_id = ${account.merchantId} and mode = ${account.mode}`
  /** By the clock of the sandbox, which may have been moved. */
  const takenBy = (until: DateTime.Utc) => sql`o.created_at <= ${isoText(until)}::text::timestamptz
    + case when o.mode = 'sandbox' then coalesce((select c.offset_ms from sandbox_clocks c
        where c.merchant_id = o.merchant_id), 0) else 0 end * interval '1 millisecond'`
  const own = ({ account, email, until }: Omit<BuyersOrders, "after" | "limit">) =>
    sql`${whose(account)} and ${isAddress(sql, sql`o.receipt_email`, email)} and ${takenBy(until)}`
  const whoseOrder = (account: Account | undefined) =>
    account === undefined ? sql`true` : sql`o.merchant_id = ${account.merchantId} and o.mode = ${account.mode}`
  return { own, takenBy, whose, whoseOrder }
}

export const makeBuyerRows = (sql: SqlClient.SqlClient) => {
  const { own, takenBy, whose, whoseOrder } = conditions(sql)
  const words = makeBuyerWords(sql)
  return {
    order: (account: Account | undefined, ref: string) =>
      sqlDefects(
        Effect.map(
          Effect.flatMap(
            account === undefined
              ? sql`select trade_no as id from orders where trade_no = ${ref}`
              : sql`select trade_no as id from orders where ${whose(account)}
                  and (trade_no = ${ref} or out_trade_no = ${ref}) order by trade_no = ${ref} desc limit 1`,
            decode
          ),
          ([row]) => Option.fromNullishOr(row?.id)
        )
      ),

    /** By the index of `receipt_email` (`laterIndexes.ts`). */
    byAddress: (options: BuyersOrders) =>
      Effect.map(
        Effect.flatMap(
          sql`select o.trade_no as id from orders o where ${own(options)} and o.trade_no > ${options.after}
            order by o.trade_no limit ${options.limit}::int4`,
          decode
        ),
        idsOf
      ),

    /** Those of these orders that are found by their address. */
    ownOf: (options: Omit<BuyersOrders, "after" | "limit">, tradeNos: ReadonlyArray<string>) =>
      Effect.map(
        Effect.flatMap(
          sql`select o.trade_no as id from orders o where ${own(options)} and o.trade_no = any(${tradeNos}::text[])`,
          decode
        ),
        idsOf
      ),

    /** Addresses of orders, in lower case, in their order. */
    addresses: (after: string, limit: number) =>
      Effect.map(
        Effect.flatMap(
          sql`select distinct lower(receipt_email) as id from orders
            where receipt_email is not null and lower(receipt_email) > ${after} order by 1 limit ${limit}::int4`,
          decode
        ),
        idsOf
      ),

    /**
     * Orders with the address in any text, their own or of rows that belong to them, by looking at each row. `isShown`:
     * only at rows that there are for the merchant.
     */
    byWords: (name: KindName, { account, after, email, limit, until }: BuyersOrders, isShown = false) =>
      words.find(
        name,
        {
          after,
          limit,
          whose: whose(account),
          among: sql`${whoseOrder(account)} and ${takenBy(until)}
            and ${sql.literal(isShown ? shownRows(name) : "true")}`
        },
        makeEraser({ email, isErased: () => false })
      ),

    eraseLinks: makeEraseLinks(sql),

    /** Texts of the account that belong to no order, or to an order that they do not identify. */
    eraseMentions: (account: Account | undefined, email: string) =>
      Effect.forEach(mentioning, (mention) => eraseMentions(sql, mention, whose(account), wholeAddress(email)), {
        discard: true
      }),

    erasedMails: (ids: ReadonlyArray<string>) =>
      Effect.map(
        Effect.flatMap(sql`select id from mails where id = any(${ids}::text[]) and recipient = ${erasedText}`, decode),
        idsOf
      )
  }
}

/** The last answer of an endpoint, which may tell of any order, and an operator's note on an unknown payment page. */
const mentioning = [
  { table: "endpoint_health", key: "endpoint_id", column: "answer" },
  { table: "stray_sessions", key: "id", column: "closed_note" }
] as const

const eraseMentions = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { column, key, table }: (typeof mentioning)[number],
  whose: Statement.Fragment,
  { isIn, without }: WholeAddress
) {
  const rows = yield* decodeLinks(
    yield* sql`select ${sql(key)} as id, ${sql(column)} as words from ${sql(table)}
      where ${whose} and ${sql(column)} ~ ${mayHoldAddress}`
  )
  const naming = rows.flatMap(({ id, words }) => (words !== null && isIn(words) ? [{ id, words }] : []))
  if (naming.length === 0) return
  yield* sql`update ${sql(table)} t set ${sql(column)} = erased.after
    from unnest(${naming.map(({ id }) => id)}::text[], ${naming.map(({ words }) => words)}::text[],
      ${naming.map(({ words }) => without(words))}::text[]) as erased (id, before, after)
    where ${sql(`t.${key}`)} = erased.id and ${sql(`t.${column}`)} = erased.before`
})

const LinkRow = Schema.Struct({ id: Schema.String, words: Schema.NullOr(Schema.String) })
const decodeLinks = Schema.decodeUnknownEffect(Schema.Array(LinkRow))

/**
 * Links whose own texts have the address. A link that names no other person was made for the buyer and loses its words;
 * in any other only the address is removed.
 */
const makeEraseLinks = (sql: SqlClient.SqlClient) => {
  const { whose } = conditions(sql)
  const { json, mayHold, names } = searchedIn(sql, paymentLinks)
  return Effect.fnUntraced(function* ({ account, after, email, limit }: BuyersOrders) {
    const rows = yield* decodeLinks(
      yield* sql`select link_id as id, case when ${mayHold} then ${json} end as words
        from payment_links where ${whose(account)} and link_id > ${after} order by link_id limit ${limit}::int4
        for update`
    )
    const changed = yield* each(rows, ({ id, words }) => {
      const after = words === null ? undefined : linkWithout(email, Option.getOrNull(parseJson(words)))
      return after === undefined ? [] : [{ link_id: id, ...after }]
    })
    if (changed.length > 0) {
      yield* sql`update payment_links l set version = l.version + 1,
          ${sql.csv(names.map((name) => sql`${sql(name)} = ${sql(`n.${name}`)}`))}
        from jsonb_populate_recordset(null::payment_links, ${storableJson(changed)}::text::jsonb) n
        where l.link_id = n.link_id`
    }
    return { erased: changed.length, last: rows.length < limit ? undefined : rows.at(-1)!.id }
  }, sql.withTransaction)
}

/** Undefined: the link does not have the address. */
const linkWithout = (email: string, link: unknown): object | undefined => {
  const { answer } = makeEraser({ email, isErased: () => false })
  const without = answer(link)
  if (jsonText(without) === jsonText(link)) return undefined
  return (wholeAddress(email).isBesideOthers(jsonText(link)) ? without : answer(without, true)) as object
}

/** How many rows of each kind an erasure would change; orders up to a limit. */
export const makeCount = (sql: SqlClient.SqlClient) => {
  const { own } = conditions(sql)
  const count = Effect.fnUntraced(function* ({
    account,
    email,
    now,
    tradeNo
  }: {
    readonly account: Account | undefined
    readonly email: string | undefined
    readonly now: DateTime.Utc
    readonly tradeNo: string | null
  }) {
    const which = email === undefined ? sql`o.trade_no = ${tradeNo ?? ""}` : own({ account, email, until: now })
    const [row] = yield* sql<Required<Omit<Counts, "payment_links" | "answers" | "logs">>>`with taken as materialized (
        select o.trade_no, o.merchant_id, o.mode from orders o where ${which} limit ${countedMax + 1}::int4),
      r as materialized (select r.refund_no from taken t join refunds r
        on (r.merchant_id, r.mode, r.trade_no) = (t.merchant_id, t.mode, t.trade_no)),
      d as materialized (select d.dispute_no from taken t join disputes d
        on (d.merchant_id, d.mode, d.trade_no) = (t.merchant_id, t.mode, t.trade_no)),
      e as materialized (select e.id, e.merchant_id, e.mode from events e join (select trade_no as no from taken
        union all select refund_no from r union all select dispute_no from d) as objects on e.object_id = objects.no)
      select (select count(*) from taken)::int4 as orders, (select count(*) from r)::int4 as refunds,
        (select count(*) from d)::int4 as disputes,
        (select count(distinct file ->> 'url') from d join dispute_evidence v using (dispute_no),
          jsonb_array_elements(v.files || coalesce(v.submitting -> 'files', '[]')) as file)::int4 as files,
        (select count(*) from taken t join mails m using (trade_no) where m.recipient <> ${erasedText})::int4 as mails,
        (select count(*) from e)::int4 as events,
        (select count(*) from e join deliveries y on (y.merchant_id, y.mode, y.event_id) = (e.merchant_id, e.mode, e.id)
          join delivery_attempts a on a.delivery_id = y.id
          where a.snippet is not null and a.snippet <> ${erasedText})::int4 as attempts`
    const { orders, ...others } = row!
    const counts: Counts = { orders: Math.min(orders, countedMax), ...others }
    return { counts, isCapped: orders > countedMax }
  }, sqlDefects)
  return count
}
