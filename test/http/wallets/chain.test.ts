/**
 * GET /v1/ledger/{currency}/chain: a merchant proves its ledger without trusting the service (docs/ledger.md; silences:
 * B13). The rows are touched in the database, past the trigger that refuses it.
 */
import { createHash } from "node:crypto"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Merchant } from "../../kit/Api.ts"
import { brokenIn, type Link, type Movement } from "../../kit/stories/chain.ts"
import { assertRefused, merchantOf } from "../../kit/Merchant.ts"
import { ownersConnection, type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/chain") {}

/** Both lists of a wallet, page by page. */
const ledgerOf = Effect.fnUntraced(function* ({ api }: Running, { sandboxKey }: Merchant, limit = 100) {
  const all = Effect.fnUntraced(function* (path: string) {
    const rows: Array<{ readonly id: string }> = []
    for (;;) {
      const after = rows.length === 0 ? "" : `&starting_after=${rows.at(-1)!.id}`
      const { body, status } = yield* api.get(`${path}limit=${limit}${after}`, sandboxKey)
      assert.strictEqual(status, 200, path)
      rows.push(...body.data.data)
      if (!body.data.has_more) return rows
    }
  })
  const links = (yield* all("/v1/ledger/USD/chain?")) as unknown as ReadonlyArray<Link>
  return {
    links,
    movements: (yield* all("/v1/balance_transactions?currency=USD&")) as unknown as ReadonlyArray<Movement>
  }
})

/** A merchant with three payments and a refund: eight rows. */
const shopWithRows = Effect.fnUntraced(function* (running: Running) {
  const merchant = yield* running.api.newMerchant()
  const shop = merchantOf({ ...running, merchant })
  for (const amount of [1_000, 2_000, 3_000]) {
    const { trade_no } = yield* shop.paid(amount)
    if (amount === 3_000) yield* shop.refund({ trade_no, amount: 500 })
  }
  return { merchant, shop }
})

layer(Layer.effect(Service, start()), { excludeTestServices: true })("the chain of a ledger", (it) => {
  it.effect("verifies page by page, newest first, with the rows that the ledger lists", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const { merchant } = yield* shopWithRows(running)
      const { links, movements } = yield* ledgerOf(running, merchant, 3)
      assert.isAbove(links.length, 6)
      assert.deepStrictEqual(
        links.map(({ id }) => id),
        movements.map(({ id }) => id)
      )
      assert.deepStrictEqual(
        links.map(({ sequence }) => sequence),
        links.map((_, index) => links.length - index)
      )
      assert.isUndefined(brokenIn(links, movements))
      const wallets = yield* running.sql`select head_hash from wallets where merchant_id = ${merchant.merchantId}`
      assert.deepStrictEqual(wallets, [{ head_hash: links[0]!.hash }])
    })
  )

  it.effect("is one for each currency and environment, of its own merchant alone, and empty before the first row", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const { merchant } = yield* shopWithRows(running)
      const other = yield* running.api.newMerchant()
      for (const [key, currency] of [
        [merchant.sandboxKey, "HKD"],
        [other.sandboxKey, "USD"]
      ] as const) {
        const { body, status } = yield* running.api.get(`/v1/ledger/${currency}/chain`, key)
        assert.strictEqual(status, 200)
        const list = { object: "list", resource: "ledger_link", has_more: false, url: `/v1/ledger/${currency}/chain` }
        assert.deepStrictEqual(body.data, { ...list, data: [] })
      }
      const { links } = yield* ledgerOf(running, merchant)
      const cursor = yield* running.api.get(`/v1/ledger/USD/chain?starting_after=${links[0]!.id}`, other.sandboxKey)
      assertRefused(cursor, 400, "invalid_request", "starting_after")
    })
  )

  it.effect("refuses what is no currency, and what no list without a CSV form takes", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const ask = (path: string) => api.get(`/v1/ledger/${path}`, merchant.sandboxKey)
      for (const currency of ["usd", "EUR", "%00", "USDX"]) {
        assertRefused(yield* ask(`${currency}/chain`), 400, "invalid_request", "currency")
      }
      assertRefused(yield* ask("USD/chain?format=csv"), 400, "invalid_request", "format")
      assertRefused(yield* ask("USD/chain?limit=101"), 400, "invalid_request", "limit")
      assertRefused(yield* ask("USD/chain?type=fee_debit"), 400, "invalid_request", "type")
      assertRefused(yield* api.get("/v1/ledger/USD/chain"), 401, "missing_api_key")
    })
  )
})

/** Ways to tamper with the rows, and which row a verifier names for each, counted from the oldest, by which rule. */
const tamperings: ReadonlyArray<readonly [name: string, sql: string, row: number, rule: number]> = [
  ["an amount is changed", "update ledger set amount = amount + 1 where sequence = 3", 3, 1],
  ["a description is changed", "update ledger set description = 'Something else' where sequence = 4", 4, 1],
  ["a time is changed", "update ledger set created_at = created_at + interval '1 ms' where sequence = 1", 1, 1],
  ["a hash is changed", "update ledger set hash = sha256(hash) where sequence = 5", 5, 1],
  ["a row is removed", "delete from ledger where sequence = 2", 3, 2],
  ["the first row is removed", "delete from ledger where sequence = 1", 2, 2],
  ["two rows change places", "update ledger set sequence = 7 - sequence where sequence in (3, 4)", 4, 1]
]

describe("a ledger that was tampered with", () => {
  it.live("is found by a verifier, with the row: changed, removed, moved", () =>
    Effect.gen(function* () {
      const running = yield* start()
      const sql = yield* ownersConnection(running.database)
      const { merchant } = yield* shopWithRows(running)
      const whole = yield* ledgerOf(running, merchant)
      const idOf = (row: number) => whole.links.at(-row)!.id
      yield* sql`alter table ledger disable trigger all`
      yield* sql`create table untouched as select * from ledger`
      for (const [name, statement, row, rule] of tamperings) {
        yield* sql.unsafe(statement)
        const { links, movements } = yield* ledgerOf(running, merchant)
        const found = brokenIn(links, movements)
        // Either of two rows that changed places is named.
        if (name === "two rows change places") assert.include([idOf(3), idOf(4)], found?.id, name)
        else assert.deepStrictEqual(found, { id: idOf(row), rule }, name)
        yield* sql`delete from ledger`
        yield* sql`insert into ledger select * from untouched`
      }
      const { links, movements } = yield* ledgerOf(running, merchant)
      assert.isUndefined(brokenIn(links, movements))
    })
  )

  it.live("and rehashed: a single changed row breaks the next, and all of them break a hash that was kept", () =>
    Effect.gen(function* () {
      const running = yield* start()
      const sql = yield* ownersConnection(running.database)
      const { merchant } = yield* shopWithRows(running)
      const whole = yield* ledgerOf(running, merchant)
      const kept = new Map([[whole.links[0]!.id, whole.links[0]!.hash]])
      yield* sql`alter table ledger disable trigger all`
      yield* sql`update ledger set description = 'Something else' where sequence = 3`
      const count = whole.links.length
      for (let sequence = 3; sequence <= count; sequence++) {
        const { links, movements } = yield* ledgerOf(running, merchant)
        const link = links.find((each) => each.sequence === sequence)!
        const hash = createHash("sha256").update(link.text).digest("hex")
        yield* sql`update ledger set hash = decode(${hash}, 'hex') where id = ${link.id}`
        const next = yield* ledgerOf(running, merchant)
        const after = next.links.find((each) => each.sequence === sequence + 1)
        if (after === undefined) continue
        assert.deepStrictEqual(brokenIn(next.links, movements), { id: after.id, rule: 3 })
        yield* sql`update ledger set previous_hash = decode(${hash}, 'hex') where id = ${after.id}`
      }
      const { links, movements } = yield* ledgerOf(running, merchant)
      assert.isUndefined(brokenIn(links, movements), "whoever kept nothing sees nothing")
      assert.deepStrictEqual(brokenIn(links, movements, kept), { id: whole.links[0]!.id, rule: 6 })
    })
  )
})
