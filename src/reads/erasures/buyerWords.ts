/**
 * Tables that belong to an order: an erasure looks for a buyer's address row by row, in the columns that are declared
 * to have words, and removes exactly the address. The rest of such a row belongs to another buyer, or to the merchant.
 */
import { disputeEvidence, disputes, refunds } from "@coffer/resources/returns"
import { mails, orders } from "@coffer/resources/orders"
import type { Resource } from "@coffer/resources/Resource"
import { deliveries, deliveryAttempts, events } from "@coffer/resources/webhooks"
import type { Eraser } from "@coffer/rules/erasure"
import { Array, Effect, Option, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { bodyOf, pack } from "../../webhooks/events/eventBodies.ts"
import { storableJson } from "../../platform/postgres/storable.ts"
import { jsonText, parseJson } from "../../platform/runtime/codecs.ts"
import { inSlices } from "../../platform/runtime/slices.ts"
import { searchedIn } from "./searchedIn.ts"

interface Kind {
  readonly resource: Resource
  /** The columns of the table's key. */
  readonly keys: readonly [string, ...ReadonlyArray<string>]
  /** Rows are scanned in the order of the first key column, or of the key of this table, to which it refers. */
  readonly walk?: readonly [Resource, key: string]
  /** From a row `t` to its order `o`. */
  readonly toOrder: string
}

const event = "join events e on (e.merchant_id, e.mode, e.id) = (d.merchant_id, d.mode, d.event_id)"
const byTradeNo = "join orders o on o.trade_no = t.trade_no"

const kinds = {
  orders: { resource: orders, keys: ["trade_no"], toOrder: byTradeNo },
  refunds: { resource: refunds, keys: ["refund_no"], toOrder: byTradeNo },
  disputes: { resource: disputes, keys: ["dispute_no"], toOrder: byTradeNo },
  dispute_evidence: {
    resource: disputeEvidence,
    keys: ["dispute_no"],
    toOrder: "join disputes d on d.dispute_no = t.dispute_no join orders o on o.trade_no = d.trade_no"
  },
  mails: { resource: mails, keys: ["id"], toOrder: byTradeNo },
  deliveries: {
    resource: deliveries,
    keys: ["id"],
    toOrder: `join deliveries d on d.id = t.id ${event} join orders o on o.trade_no = e.trade_no`
  },
  delivery_attempts: {
    resource: deliveryAttempts,
    keys: ["delivery_id", "attempt"],
    walk: [deliveries, "id"],
    toOrder: `join deliveries d on d.id = t.delivery_id ${event} join orders o on o.trade_no = e.trade_no`
  },
  events: { resource: events, keys: ["id"], toOrder: byTradeNo }
} satisfies Record<string, Kind>
export type KindName = keyof typeof kinds
/** Tables of what belongs to orders, as they are looked through: receipts that went elsewhere are the likeliest. */
export const belonging: ReadonlyArray<KindName> = [
  "mails",
  "refunds",
  "disputes",
  "dispute_evidence",
  "deliveries",
  "delivery_attempts",
  "events"
]

/** Which rows `t` there are for the merchant, who was told that a refund which the bank did not take was not made. */
export const shownRows = (name: KindName): string => (name === "refunds" ? "t.status <> 'void'" : "true")

/** A row of a table, which belongs to an order. */
export interface Row {
  readonly id: string
  readonly trade_no: string
}

const Words = Schema.Struct({
  trade_no: Schema.String,
  receipt_email: Schema.NullOr(Schema.String),
  words: Schema.NullOr(Schema.String),
  packed: Schema.NullOr(Schema.Uint8Array)
})
const decodeWords = Schema.decodeUnknownEffect(Schema.Array(Words))
const decodeKeys = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ key: Schema.String })))
const StoredRow = Schema.Struct({ id: Schema.String, keys: Schema.String, words: Schema.String })
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(StoredRow))

export interface WalkOf {
  readonly after: string
  readonly limit: number
  /** A condition on rows of the account. Tables without account columns belong to a row that has them. */
  readonly whose: Statement.Fragment
  /** A condition on an order `o` and its row `t`. */
  readonly among: Statement.Fragment
}

/** Whether the row differs without the address. */
const isOther = (before: unknown, after: unknown) => jsonText(before) !== jsonText(after)
const valueOf = (text: string | null) => (text === null ? null : Option.getOrNull(parseJson(text)))

export const makeBuyerWords = (sql: SqlClient.SqlClient) => {
  const shape = (name: KindName): Kind => kinds[name]
  const objectOf = (columns: ReadonlyArray<string>) =>
    sql`jsonb_build_object(${sql.csv(
      columns.flatMap((column) => [sql.literal(`'${column}'`), sql`${sql(`t.${column}`)}`])
    )})::text`
  const wordsOf = (name: KindName) => searchedIn(sql, shape(name).resource, "t.")

  /** Orders of which a row of this kind holds the address. `last`: the row looked at last; undefined at the end. */
  const find = Effect.fnUntraced(function* (name: KindName, { after, among, limit, whose }: WalkOf, eraser: Eraser) {
    const { keys, resource, toOrder, walk = [resource, keys[0]] } = shape(name)
    const [{ columns, table }, key] = walk
    const looked = yield* decodeKeys(
      yield* sql`select ${sql(key)} as key from ${sql(table)} where ${"merchant_id" in columns ? whose : sql`true`}
          and ${sql(key)} > ${after} order by 1 limit ${limit}::int4`
    )
    const last = looked.length < limit ? undefined : looked.at(-1)!.key
    const isEvent = name === "events"
    const { json, mayHold } = wordsOf(name)
    const found = yield* forParts(
      looked.map((row) => row.key),
      Effect.fnUntraced(function* (some) {
        const rows = yield* decodeWords(
          yield* sql`select o.trade_no, o.receipt_email, ${isEvent ? sql`t.body` : json} as words,
              ${isEvent ? sql`t.packed` : sql`null::bytea`} as packed
            from ${sql(name)} t ${sql.literal(toOrder)}
            where ${sql(`t.${keys[0]}`)} = any(${some}::text[]) and ${among} and ${isEvent ? sql`true` : mayHold}`
        )
        return yield* each(rows, ({ packed, receipt_email, trade_no, words }) => {
          const before = valueOf(isEvent ? bodyOf({ body: words, packed }) : words)
          return isOther(before, eraser.answer(before, false, knownBy(receipt_email))) ? [trade_no] : []
        })
      })
    )
    return { tradeNos: [...new Set(found)], last }
  })

  /** Takes the address out of these rows; how many had it. `knownAs`: the address of a row's order. */
  const rewrite = Effect.fnUntraced(function* (
    name: KindName,
    rows: ReadonlyArray<Row>,
    eraser: Eraser,
    knownAs: (tradeNo: string) => string | null,
    isDry: boolean
  ) {
    if (rows.length === 0) return 0
    const { keys, resource } = shape(name)
    const { json, mayHold, names } = wordsOf(name)
    const tradeNoOf = new Map(rows.map(({ id, trade_no }) => [id, trade_no]))
    const changed = yield* forParts(
      [...tradeNoOf.keys()],
      Effect.fnUntraced(function* (some) {
        const found = yield* decodeRows(
          yield* sql`select ${sql(`t.${keys[0]}`)} as id, ${json} as words, ${objectOf(keys)} as keys
            from ${sql(name)} t where ${sql(`t.${keys[0]}`)} = any(${some}::text[]) and ${mayHold}
            ${isDry ? sql`` : sql`for update of t`}`
        )
        return yield* each(found, (row) => {
          const before = valueOf(row.words)
          const after = eraser.answer(before, false, knownBy(knownAs(tradeNoOf.get(row.id)!)))
          return isOther(before, after) ? [{ ...(valueOf(row.keys) as object), ...(after as object) }] : []
        })
      })
    )
    if (changed.length === 0 || isDry) return changed.length
    yield* sql`update ${sql(name)} t set ${sql.csv([
      // An owner that remembers the row decides again.
      ...("version" in resource.columns ? [sql`version = t.version + 1`] : []),
      ...names.map((column) => sql`${sql(column)} = ${sql(`n.${column}`)}`),
      // A mail that is due is not sent any more.
      ...(name === "mails"
        ? [
            sql`due_at = case when n.recipient = t.recipient then t.due_at end`,
            sql`status = case when t.status = 'due' and n.recipient <> t.recipient then 'failed' else t.status end`
          ]
        : [])
    ])} from jsonb_populate_recordset(null::${sql(name)}, ${storableJson(changed)}::text::jsonb) n
      where ${sql.and(keys.map((column) => sql`${sql(`t.${column}`)} = ${sql(`n.${column}`)}`))}`
    return changed.length
  })

  return { find, rewrite, rewriteEvents: makeRewriteEvents(sql) }
}

/** Rows that are read at once. A row may have 120 kB. */
const partMax = 250

const forParts = <A, E, R>(
  keys: ReadonlyArray<string>,
  work: (some: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<A>, E, R>
) => Effect.map(Effect.forEach(Array.chunksOf(keys, partMax), work), (parts) => parts.flat())

/** Row by row, in slices: a search in large rows does not block the event loop. */
export const each = <A, B>(rows: ReadonlyArray<A>, work: (row: A) => ReadonlyArray<B>) =>
  Effect.map(
    inSlices(rows, ([row]) => work(row!), 1),
    (done) => done.flat()
  )

const knownBy = (email: string | null): ReadonlyArray<string> => (email === null ? [] : [email])

/** The same for events, whose bodies have been read. */
const makeRewriteEvents = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (
    events: ReadonlyArray<Row & { readonly body: string | null; readonly packed: Uint8Array | null }>,
    answerOf: (body: unknown, tradeNo: string) => unknown,
    isDry: boolean
  ) {
    const changed = yield* each(events, (event) => {
      const before = valueOf(bodyOf(event))
      const after = answerOf(before, event.trade_no)
      return isOther(before, after) ? [{ id: event.id, packed: pack(jsonText(after)) }] : []
    })
    if (changed.length > 0 && !isDry) {
      yield* sql`update events e set body = null, packed = decode(erased.packed, 'hex')
        from unnest(${changed.map(({ id }) => id)}::text[], ${changed.map((event) => event.packed)}::text[])
          as erased (id, packed)
        where e.id = erased.id`
    }
    return changed.length
  })
