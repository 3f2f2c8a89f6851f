/**
 * Rules that hold for every list: pages, cursors, ranges and parameters (spec: List conventions; silences: G9, P1 to
 * P5).
 */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Api, Merchant, Reply } from "../../kit/Api.ts"
import { insertEvents, insertLedger, insertOrders, type Many } from "../../kit/rows/Rows.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/lists") {}

type Insert = (sql: Running["sql"], many: Many) => Effect.Effect<void, unknown>

const lists: ReadonlyArray<{
  readonly path: string
  readonly resource: string
  readonly cursor: string
  readonly insert: Insert
  readonly csv: boolean
}> = [
  { path: "/v1/orders", resource: "order", cursor: "trade_no", insert: insertOrders, csv: true },
  {
    path: "/v1/balance_transactions",
    resource: "balance_transaction",
    cursor: "id",
    insert: insertLedger,
    csv: true
  },
  { path: "/v1/events", resource: "event", cursor: "id", insert: insertEvents, csv: false }
]

/** 2026-01-01T00:00:00Z */
const since = 1_767_225_600_000

const get = (path: string, query: string, key: string) =>
  Effect.flatMap(Service, ({ api }) => api.get(`${path}${query === "" ? "" : `?${query}`}`, key))

const isRefused = (reply: Reply, param: string, what: unknown = "") => {
  assert.strictEqual(reply.status, 400, `${String(what)}: ${reply.text}`)
  assert.strictEqual(reply.body.error, "invalid_request")
  assert.strictEqual(reply.body.param, param)
}

const dataOf = (reply: Reply): ReadonlyArray<Record<string, unknown>> => {
  assert.strictEqual(reply.status, 200, reply.text)
  return reply.body.data.data
}

layer(Layer.effect(Service, start()), { excludeTestServices: true })("lists", (it) => {
  describe.each(lists)("$path", ({ csv, cursor, insert, path, resource }) => {
    /** A merchant with as many objects, one a second; `ids` are newest first. */
    const owning = Effect.fnUntraced(function* (count: number) {
      const { api, sql } = yield* Service
      const merchant = yield* api.newMerchant()
      yield* insert(sql, { merchantId: merchant.merchantId, count, since, step: 1_000 })
      const table = tableOf[resource]!
      const rows = yield* sql.unsafe<{ id: string }>(
        `select ${cursor} as id from ${table} where merchant_id = $1 order by created_at desc`,
        [merchant.merchantId]
      )
      const key = merchant.sandboxKey
      return { api, merchant, key, ids: rows.map(({ id }) => id), list: (query = "") => get(path, query, key) }
    })

    const idsOf = (reply: Reply) => dataOf(reply).map((object) => object[cursor])

    it.effect("an empty list is a list without objects", () =>
      Effect.gen(function* () {
        const { list } = yield* owning(0)
        const { body } = yield* list()
        assert.deepStrictEqual(body.data, { object: "list", resource, has_more: false, url: path, data: [] })
      })
    )

    it.effect(
      "the 20 newest come, newest first, unless a limit is given; only has_more says that there are others",
      () =>
        Effect.gen(function* () {
          const { api, ids, key, list } = yield* owning(21)
          const reply = yield* list()
          assert.deepStrictEqual(idsOf(reply), ids.slice(0, 20))
          assert.isTrue(reply.body.data.has_more)
          assert.strictEqual(reply.body.data.url, path)
          assert.deepStrictEqual(Object.keys(reply.body.data), ["object", "resource", "has_more", "url", "data"])
          for (const object of dataOf(reply)) assert.strictEqual(object["object"], resource)
          for (const limit of [1, 20, 21, 100]) {
            const page = yield* list(`limit=${limit}`)
            assert.deepStrictEqual(idsOf(page), ids.slice(0, limit))
            assert.strictEqual(page.body.data.has_more, limit < 21, `a page of ${limit}`)
          }
          const other = yield* api.get(`/api${path}?limit=1`, key)
          assert.strictEqual(other.body.data.url, path, "one form of the address is returned")
        })
    )

    it.effect("a limit is an integer from 1 to 100", () =>
      Effect.gen(function* () {
        const { list } = yield* owning(1)
        for (const limit of [
          "0",
          "101",
          "-1",
          "1.5",
          "1e1",
          "20.0",
          "%2B5",
          "5%20",
          "%EF%BC%91",
          "abc",
          "",
          "1%20",
          "0x10",
          "NaN",
          "1&limit=2",
          "9".repeat(30)
        ]) {
          isRefused(yield* list(`limit=${limit}`), "limit", limit)
        }
      })
    )

    it.effect("starting_after gives what is older than the object, page by page, to the end", () =>
      Effect.gen(function* () {
        const { ids, list } = yield* owning(7)
        let query = "limit=3"
        const pages: Array<readonly [ids: ReadonlyArray<unknown>, more: boolean]> = []
        for (;;) {
          const { body } = yield* list(query)
          const page = body.data.data.map((object: Record<string, string>) => object[cursor])
          pages.push([page, body.data.has_more])
          if (!body.data.has_more) break
          query = `limit=3&starting_after=${page.at(-1)}`
        }
        assert.deepStrictEqual(pages, [
          [ids.slice(0, 3), true],
          [ids.slice(3, 6), true],
          [ids.slice(6), false]
        ])
        const end = yield* list(`starting_after=${ids.at(-1)}`)
        assert.deepStrictEqual([idsOf(end), end.body.data.has_more], [[], false])
      })
    )

    it.effect("ending_before gives the page just newer than the object, newest first; has_more looks that way", () =>
      Effect.gen(function* () {
        const { ids, list } = yield* owning(7)
        for (const [before, page, more] of [
          [6, ids.slice(3, 6), true],
          [3, ids.slice(0, 3), false],
          [2, ids.slice(0, 2), false],
          [0, [], false]
        ] as const) {
          const reply = yield* list(`limit=3&ending_before=${ids[before]}`)
          assert.deepStrictEqual([idsOf(reply), reply.body.data.has_more], [page, more], `before number ${before}`)
        }
      })
    )

    it.effect("a page has one cursor at most", () =>
      Effect.gen(function* () {
        const { ids, list } = yield* owning(3)
        isRefused(yield* list(`starting_after=${ids[0]}&ending_before=${ids[2]}`), "ending_before")
        isRefused(yield* list(`starting_after=${ids[0]}&starting_after=${ids[1]}`), "starting_after")
      })
    )

    it.effect("a cursor is the id of an object of this kind, merchant and environment, and else it is refused", () =>
      Effect.gen(function* () {
        const { api, sql } = yield* Service
        const { ids, list, merchant } = yield* owning(1)
        const stranger = yield* owning(1)
        yield* insert(sql, { merchantId: merchant.merchantId, mode: "live", count: 1, since, step: 1 })
        const [live] = yield* sql.unsafe<{ id: string }>(
          `select ${cursor} as id from ${tableOf[resource]} where merchant_id = $1 and mode = 'live'`,
          [merchant.merchantId]
        )
        const others = yield* Effect.forEach(
          lists.filter((one) => one.resource !== resource),
          (one) =>
            Effect.andThen(
              one.insert(sql, { merchantId: merchant.merchantId, count: 1, since, step: 1 }),
              Effect.map(api.get(one.path, merchant.sandboxKey), ({ body }) => body.data.data[0][one.cursor] as string)
            )
        )
        const wrong = ["", "nothing", "%00", "%ED%A0%80", "'", `${ids[0]}x`, ids[0]!.toLowerCase(), "a".repeat(3_000)]
        for (const id of [...wrong, stranger.ids[0], live!.id, ...others]) {
          isRefused(yield* list(`starting_after=${id}`), "starting_after", id)
          isRefused(yield* list(`ending_before=${id}`), "ending_before", id)
        }
        assert.deepStrictEqual(idsOf(yield* list()), ids, "nor are such objects in the list")
      })
    )

    it.effect("the created range has both its ends in it, as ISO 8601 or as seconds", () =>
      Effect.gen(function* () {
        const { ids, list } = yield* owning(10)
        const second = since / 1000
        const iso = (offset: number) => new Date(since + offset).toISOString()
        // The newest is number 0, created 9 s after the first; number n is from second 9 - n.
        for (const [query, from, to] of [
          [`created[gte]=${second + 4}`, 0, 6],
          [`created[lte]=${second + 4}`, 5, 10],
          [`created[gte]=${second + 2}&created[lte]=${second + 4}`, 5, 8],
          [`created[gte]=${second + 4}&created[lte]=${second + 4}`, 5, 6],
          [`created[gte]=${second + 5}&created[lte]=${second + 4}`, 0, 0],
          [`created[gte]=${iso(4_000)}`, 0, 6],
          [`created[gte]=${iso(4_001)}`, 0, 5],
          [`created[lte]=${iso(3_999)}`, 6, 10],
          [`created%5Blte%5D=${encodeURIComponent("2026-01-01T08:00:04+08:00")}`, 5, 10],
          ["created[lte]=2026-01-01T08:00:04+08:00", 5, 10],
          ["created[gte]=0&created[lte]=253402300799", 0, 10]
        ] as const) {
          assert.deepStrictEqual(idsOf(yield* list(query)), ids.slice(from, to), query)
        }
        const page = yield* list(`created[lte]=${second + 8}&starting_after=${ids[2]}&limit=2`)
        assert.deepStrictEqual([idsOf(page), page.body.data.has_more], [ids.slice(3, 5), true])
      })
    )

    it.effect("a second of Unix time is the whole second at both ends, and an ISO 8601 time is a moment", () =>
      Effect.gen(function* () {
        const { api, sql } = yield* Service
        const { merchantId, sandboxKey } = yield* api.newMerchant()
        // Four in each second: at 0, 333, 666 and 999 ms.
        for (const offset of [0, 333, 666, 999]) {
          yield* insert(sql, { merchantId, count: 3, since: since + offset, step: 1_000 })
        }
        const ids = idsOf(yield* get(path, "", sandboxKey))
        assert.lengthOf(ids, 12)
        const second = since / 1000
        const iso = (offset: number) => new Date(since + offset).toISOString()
        for (const [query, from, to] of [
          [`created[lte]=${second}`, 8, 12],
          [`created[gte]=${second + 1}`, 0, 8],
          [`created[gte]=${second + 1}&created[lte]=${second + 1}`, 4, 8],
          [`created[gte]=${second}&created[lte]=${second + 1}`, 4, 12],
          [`created[lte]=${second - 1}`, 12, 12],
          [`created[lte]=${encodeURIComponent(iso(1_000))}`, 7, 12],
          [`created[lte]=${encodeURIComponent(iso(1_998))}`, 5, 12],
          ["created[lte]=253402300799", 0, 12]
        ] as const) {
          assert.deepStrictEqual(idsOf(yield* get(path, query, sandboxKey)), ids.slice(from, to), query)
          if (!csv) continue
          const file = yield* get(path, `format=csv&${query}`, sandboxKey)
          assert.lengthOf(file.text.trim().split("\r\n"), 1 + to - from, query)
        }
      })
    )

    it.effect("anything else as a time is refused", () =>
      Effect.gen(function* () {
        const { list } = yield* owning(0)
        for (const param of ["created[gte]", "created[lte]"]) {
          for (const time of ["", "soon", "-1", "1.5", "1e9", "1767225600000", "2026-01-01", "2026-02-30T00:00:00Z"]) {
            isRefused(yield* list(`${param}=${time}`), param, time)
          }
          isRefused(yield* list(`${param}=0&${param}=1`), param, "twice")
        }
      })
    )

    it.effect(`format is ${csv ? "csv or nothing" : "refused, for there is no CSV form"}`, () =>
      Effect.gen(function* () {
        const { list } = yield* owning(1)
        for (const format of ["json", "CSV", "", "xlsx", "csv&format=csv", ...(csv ? [] : ["csv"])]) {
          isRefused(yield* list(`format=${format}`), "format", format)
        }
        if (csv) assert.match((yield* list("format=csv")).headers.get("content-type")!, /^text\/csv/)
      })
    )

    it.effect("a parameter that no list knows is refused by its name, whatever the name", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { sandboxKey } = yield* api.newMerchant()
        for (const name of [
          "mode",
          "merchant_id",
          "page",
          "__proto__",
          "constructor",
          "created",
          "created[gt]",
          "\0"
        ]) {
          const { body, status } = yield* api.get(`${path}?${encodeURIComponent(name)}=1`, sandboxKey)
          assert.deepStrictEqual([status, body.error, body.param], [400, "invalid_request", name])
        }
      })
    )

    it.effect("needs a key", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        assert.strictEqual((yield* api.get(path)).body.error, "missing_api_key")
        assert.strictEqual((yield* api.get(path, "svc_test_wrong")).body.error, "invalid_api_key")
      })
    )

    it.effect("each environment has its own", () =>
      Effect.gen(function* () {
        const { sql } = yield* Service
        const { api, ids, list, merchant } = yield* owning(2)
        yield* approve(api, merchant)
        yield* insert(sql, { merchantId: merchant.merchantId, mode: "live", count: 3, since, step: 1_000 })
        assert.deepStrictEqual(idsOf(yield* list()), ids)
        assert.strictEqual(dataOf(yield* get(path, "", merchant.liveKey)).length, 3)
        isRefused(yield* get(path, `starting_after=${ids[0]}`, merchant.liveKey), "starting_after")
      })
    )
  })
})

const tableOf: Record<string, string> = { order: "orders", balance_transaction: "ledger", event: "events" }

const approve = (api: Api, { merchantId }: Merchant) =>
  api.operator("POST", `/merchants/${merchantId}`, { approved: true })
