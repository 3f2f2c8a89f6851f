/** Declared tables compared with the real database (docs/decisions/0231). */
import { auditLog } from "@coffer/resources/people"
import { archivedColumns, type Column, forNobody, type Resource, resource, shown } from "@coffer/resources/Resource"
import { type AnyListed, field, listed } from "@coffer/resources/listed"
import { tables } from "@coffer/resources/tables"
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { merchantOf, said } from "../kit/Merchant.ts"
import { endpoints } from "../kit/routes/endpoints.ts"
import { start } from "../kit/Service.ts"

/** Tables of Effect and of the migrator. */
const others = /^(cluster_|coffer_migrations$)/

it.live("each table of the database is declared, with each of its columns and no other", () =>
  Effect.gen(function* () {
    const { sql } = yield* start()
    const found = yield* sql<{ readonly table: string; readonly columns: ReadonlyArray<string> }>`
      select c.table_name as table, array_agg(c.column_name::text)::text[] as columns
      from information_schema.columns c join pg_class p on p.relname = c.table_name
        and p.relnamespace = current_schema()::regnamespace
      where c.table_schema = current_schema() and p.relkind in ('r', 'p') and not p.relispartition group by 1`
    const declared = new Map(tables.map(({ columns, table }) => [table, Object.keys(columns)]))
    const own = found.filter(({ table }) => !others.test(table))
    for (const { columns, table } of own) assert.sameMembers(declared.get(table) ?? [], [...columns], table)
    assert.sameMembers(
      [...declared.keys()],
      own.map(({ table }) => table)
    )
  }).pipe(Effect.scoped)
)

it("a column without its audience, or without whose words it holds, does not compile", () => {
  const declared = resource("shelves", {
    // @ts-expect-error whose words it holds is missing
    label: shown(),
    // @ts-expect-error there is no such meaning
    buyer: forNobody("everybody's"),
    // @ts-expect-error its audience is missing
    note: "words",
    // @ts-expect-error its audience is missing
    place: { words: "none" }
  })
  assert.hasAllKeys(declared.columns, ["label", "buyer", "note", "place"])
})

it("a listed resource with a bare column that merchants see, or a list of what they do not see, does not compile", () => {
  const label = field(Schema.String, shown("words"), ["Label", "标签", "What is written on it."])
  const listing = { object: "shelf", label: { en: "Shelves", zh: "书架" }, list: {}, brief: [], facts: [], filters: {} }
  const columns = { label, note: forNobody("none") } as const
  const declared = [
    // @ts-expect-error its schema and its label are missing
    listed("shelves", { label: shown("words") }, listing),
    // @ts-expect-error no merchant sees the note
    listed("shelves", columns, { ...listing, brief: ["note"] }),
    // @ts-expect-error no merchant sees the note
    listed("shelves", columns, { ...listing, list: { note: "shown" } }),
    // @ts-expect-error its label in Chinese and its description are missing
    listed("shelves", { label: field(Schema.String, shown("words"), ["Label"]) }, listing),
    // @ts-expect-error operators alone see it, so it is no field
    listed("shelves", { label: field(Schema.String, forNobody("words"), ["Label", "标签", "…"]) }, listing)
  ]
  assert.lengthOf(declared, 5)
})

it("labels never say whose a field is, since operators read them, too", () => {
  const isListed = (table: Resource): table is Resource & AnyListed => "listing" in table
  const labels = tables
    .filter(isListed)
    .flatMap(({ fields, listing }) => [listing.label, ...Object.values(fields).map(({ label }) => label)])
  assert.isAbove(labels.length, 80)
  assert.deepStrictEqual(
    labels.filter(({ en, zh }) => /\byour?\b/i.test(en) || /[您你]/.test(zh)),
    []
  )
})

it("the eraser of stored JSON distinguishes a field that has text in one object and none in another", () => {
  const names = (isMeant: (column: Column) => boolean) =>
    tables.flatMap((table) =>
      Object.entries(archivedColumns(table)).flatMap(([name, one]) => (isMeant(one) ? [name] : []))
    )
  const worded = names(({ shape, words }) => (words === "words" || words === "address") && shape !== "objects")
  const plain = new Set(names(({ words }) => words === "none"))
  // A refund's, and not a dispute's (`rules/erasure.ts`).
  assert.deepStrictEqual(
    [...new Set(worded)].filter((name) => plain.has(name)),
    ["reason"]
  )
})

it.live("operators' columns are in no answer to the merchant", () =>
  Effect.gen(function* () {
    const running = yield* start()
    const { api, merchant, sql } = running
    const shop = merchantOf(running)
    const { trade_no } = yield* shop.paid(1_000, { receipt_email: "jane@buyer.example" })
    const { refund_no } = yield* said(shop.refund({ trade_no, amount: 100 }))
    const { dispute_no } = yield* said(shop.dispute(trade_no))
    yield* running.atRest
    const texts = yield* sql<{ readonly name: string }>`select table_name || '.' || column_name as name
      from information_schema.columns where table_schema = current_schema() and udt_name = 'text'`
    const isText = new Set(texts.map(({ name }) => name))
    const marked: Array<string> = []
    for (const { columns, table } of tables) {
      // Its rows are never changed.
      if (table === auditLog.table) continue
      for (const [name, { audience, words }] of Object.entries(columns)) {
        if (audience !== "operators" || words === "none") continue
        if (!isText.has(`${table}.${name}`)) continue
        const rows = yield* sql`update ${sql(table)} set ${sql(name)} = ${marker} returning 1`
        if (rows.length > 0) marked.push(`${table}.${name}`)
      }
    }
    const expected = ["orders.unapplied_error", "refunds.check_error", "disputes.check_error"]
    assert.includeMembers(marked, [...expected, "merchants.note"])
    const numbers: Readonly<Record<string, string>> = { orders: trade_no, refunds: refund_no, disputes: dispute_no }
    const answered = new Set<string>()
    for (const { method, path } of endpoints) {
      if (method !== "GET" || !path.startsWith("/v1/")) continue
      const [, , room = ""] = path.split("/")
      const { status, text } = yield* api.get(path.replace(/:\w+/, numbers[room] ?? "nothing"), merchant.sandboxKey)
      if (status === 200) answered.add(path)
      assert.notInclude(text, marker, path)
    }
    assert.includeMembers([...answered], ["/v1/orders", "/v1/refunds", "/v1/disputes", "/v1/logs"])
  }).pipe(Effect.scoped)
)
const marker = "for operators alone"
