/**
 * CSV files of lists: the limit of 10,000 rows, and what a file costs (spec: List conventions, CSV files; silences:
 * P8).
 */
import { get as httpGet, type IncomingMessage } from "node:http"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { insertLedger, insertOrders } from "../../kit/rows/Rows.ts"
import { type Running, start } from "../../kit/Service.ts"
import { collectGarbage } from "../../kit/run/heap.ts"

class Service extends Context.Service<Service, Running>()("test/csvLimits") {}

/** 2026-01-01T00:00:00Z */
const since = 1_767_225_600_000

const anyMerchant = Effect.fnUntraced(function* () {
  const { api, baseUrl, sql } = yield* Service
  const { merchantId, sandboxKey: key } = yield* api.newMerchant()
  return { api, sql, key, baseUrl, many: { merchantId, since, step: 1_000 } }
})

/** The file as its lines of cells, none of which has a comma, a quote or a line break in it. */
const linesOf = (text: string) => text.split("\r\n").map((line) => line.split(","))

layer(Layer.effect(Service, start()), { excludeTestServices: true })("CSV files", (it) => {
  describe("the limit of 10,000 rows", () => {
    it.effect("10,000 come whole; of 10,001 the newest 10,000 come, and X-Truncated says so", () =>
      Effect.gen(function* () {
        const { api, key, many, sql } = yield* anyMerchant()
        yield* insertOrders(sql, { ...many, count: 10_001 }, { status: "case n when 1 then 'failed' else 'paid' end" })
        const read = (query: string) => api.get(`/v1/orders?format=csv${query}`, key)
        const all = yield* read("")
        assert.strictEqual(all.headers.get("x-truncated"), "true")
        const numbers = linesOf(all.text)
          .slice(1, -1)
          .map((line) => Math.round(Number(line[3]) * 100))
        assert.deepStrictEqual(
          numbers,
          Array.from({ length: 10_000 }, (_, index) => 10_001 - index)
        )
        const paid = yield* read("&status=paid")
        assert.isNull(paid.headers.get("x-truncated"))
        assert.strictEqual(linesOf(paid.text).length, 10_002)
      })
    )

    it.effect("holds for the ledger, whichever way its rows are found", () =>
      Effect.gen(function* () {
        const { api, key, many, sql } = yield* anyMerchant()
        const currency = "(array['USD','HKD','CNY'])[n % 3 + 1]"
        yield* insertLedger(sql, { ...many, count: 10_001 }, { currency })
        for (const query of ["", "&type=payment_credit"]) {
          const { headers, text } = yield* api.get(`/v1/balance_transactions?format=csv${query}`, key)
          assert.strictEqual(headers.get("x-truncated"), "true")
          const numbers = linesOf(text)
            .slice(1, -1)
            .map((line) => Math.round(Number(line[4]) * -100))
          assert.deepStrictEqual(
            numbers,
            Array.from({ length: 10_000 }, (_, index) => 10_001 - index)
          )
        }
      })
    )
  })

  describe("what it costs", () => {
    it.effect("an export of 10,000 rows takes less than 64 MiB of extra memory", () =>
      Effect.gen(function* () {
        const { baseUrl, key, many, sql } = yield* anyMerchant()
        yield* insertOrders(sql, { ...many, count: 10_000 }, { subject: "repeat('x', 10000)" })
        const before = inUse()
        const response = yield* download(`${baseUrl}/v1/orders?format=csv`, key)
        let bytes = 0
        let most = before
        // The service runs in this process; what is alive while it writes is counted every 16 MiB.
        yield* Effect.callback<void>((resume) => {
          let next = 0
          response.on("data", (chunk: Buffer) => {
            bytes += chunk.length
            if (bytes < next) return
            next += 16 * 1024 * 1024
            most = Math.max(most, inUse())
          })
          response.on("end", () => resume(Effect.void))
        })
        // The file itself is larger than the limit: no place holds all of it.
        assert.isAbove(bytes, 100_000_000)
        assert.isBelow(most - before, 64 * 1024 * 1024)
      })
    )

    it.effect("readers who stall hold no connection of the pool: the service goes on, and their files end whole", () =>
      Effect.gen(function* () {
        const merchants = [yield* anyMerchant(), yield* anyMerchant()]
        // 20 MB each: more than sockets hold.
        for (const { many, sql } of merchants) {
          yield* insertOrders(sql, { ...many, count: 1_000 }, { subject: "repeat('x', 20000)" })
        }
        // Twelve, where the pool has ten.
        const stalled = yield* Effect.forEach(
          merchants.flatMap((merchant) => Array.from({ length: 6 }, () => merchant)),
          ({ baseUrl, key }) => download(`${baseUrl}/v1/orders?format=csv`, key),
          { concurrency: "unbounded" }
        )
        const [{ api, key }] = merchants as [(typeof merchants)[number]]
        for (let index = 0; index < 20; index++) {
          assert.strictEqual((yield* api.post("/v1/orders", key, { amount: 1 })).status, 201)
        }
        assert.isFalse(
          stalled.some((response) => response.complete),
          "none has come whole yet"
        )
        const lines = yield* Effect.forEach(stalled, countLines, { concurrency: "unbounded" })
        assert.deepStrictEqual(
          lines,
          stalled.map(() => 1_001)
        )
      })
    )
  })
})

/** Bytes alive in this process. */
const inUse = () => {
  collectGarbage()
  const { external, heapUsed } = process.memoryUsage()
  return heapUsed + external
}

/** The response once its headers are there; its body is not read yet. */
const download = (url: string, key: string) =>
  Effect.callback<IncomingMessage>((resume) => {
    httpGet(url, { headers: { "X-Api-Key": key }, agent: false }, (response) => resume(Effect.succeed(response)))
  })

const countLines = (response: IncomingMessage) =>
  Effect.callback<number>((resume) => {
    let lines = 0
    response.on("data", (chunk: Buffer) => {
      for (const byte of chunk) if (byte === 10) lines++
    })
    response.on("end", () => resume(Effect.succeed(lines)))
  })
