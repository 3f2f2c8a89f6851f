/**
 * The specification as a table: a row is a rule in a sentence, what is sent, and what comes back. One file for each of
 * its sections stands beside this one; what needs time, races or a second process has a test of its own elsewhere
 * (test/http, test/cluster). All rows of a section share one running service.
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Logs } from "../../src/shared/logs/Logs.ts"
import type { Merchant, Reply } from "../kit/Api.ts"
import {
  insertDisputes,
  insertEvents,
  insertLedger,
  insertLinks,
  insertOrders,
  insertPastDeliveries,
  insertRefunds
} from "../kit/rows/Rows.ts"
import { type Running, start } from "../kit/Service.ts"

export interface World extends Running {
  /** The platform's number of an order that the merchant calls `paid`, and that is. */
  readonly paid: string
  readonly other: Merchant
  /** Has 101 of each, one a second, the first at {@link since}. */
  readonly rich: Merchant
}

/** 2026-01-01T00:00:00Z, Unix milliseconds. */
export const since = 1_767_225_600_000

class Shared extends Context.Service<Shared, World>()("test/spec/World") {}

const world = Layer.effect(
  Shared,
  Effect.gen(function* () {
    const running = yield* start()
    const { api, merchant, sql } = running
    const created = yield* api.post("/v1/orders", merchant.sandboxKey, {
      amount: 1000,
      out_trade_no: "paid",
      metadata: { a: "1" }
    })
    yield* api.post("/v1/test_helpers/orders/paid/pay", merchant.sandboxKey, {})
    const rich = yield* api.newMerchant()
    const many = { merchantId: rich.merchantId, count: 101, since, step: 1_000 }
    yield* insertOrders(sql, many, { subject: "'=1+1'" })
    yield* insertLedger(sql, many)
    yield* insertEvents(sql, many)
    yield* insertPastDeliveries(sql, many)
    yield* insertRefunds(sql, many)
    yield* insertDisputes(sql, many)
    yield* insertLinks(sql, many)
    return { ...running, paid: created.body.data.trade_no as string, other: yield* api.newMerchant(), rich }
  })
)

export interface Expected {
  readonly status: number
  readonly error?: string
  readonly param?: string
  readonly also?: (reply: Reply) => void
}

export type Row = readonly [rule: string, send: (world: World) => Effect.Effect<Reply>, expected: Expected]

export const specified = (section: string, rows: ReadonlyArray<Row>) =>
  layer(world, { excludeTestServices: true })(section, (it) => {
    for (const [rule, send, { also, error, param, status }] of rows) {
      it.effect(rule, () =>
        Effect.gen(function* () {
          const reply = yield* send(yield* Shared)
          assert.strictEqual(reply.status, status, reply.text)
          assert.strictEqual(reply.body?.error, error)
          assert.strictEqual(reply.body?.param, param)
          also?.(reply)
        })
      )
    }
  })

// ── What is sent ──

export const get = (path: string) => (at: World) => at.api.get(path, at.merchant.sandboxKey)
export const post = (path: string, body?: unknown) => (at: World) => at.api.post(path, at.merchant.sandboxKey, body)
export const order = (fields: object) => post("/v1/orders", { amount: 100, ...fields })

/** One after the other; the last one's answer counts. */
export const inTurn =
  (...requests: ReadonlyArray<(at: World) => Effect.Effect<Reply>>) =>
  (at: World): Effect.Effect<Reply> =>
    Effect.map(
      Effect.forEach(requests, (send) => send(at)),
      (replies) => replies.at(-1)!
    )

/** The merchant that nothing else here depends on, with other settings. */
export const settings = (patch: object) => (at: World) =>
  at.api.operator("POST", `/merchants/${at.other.merchantId}`, patch)

/** API logs are written on the side: waits until they are. */
export const logged = (at: World) => Effect.flatMap(Logs, ({ flushed }) => flushed).pipe(Effect.provide(at.context))

// ── What comes back ──

export const ok = (also?: Expected["also"]): Expected => ({ status: 200, ...(also === undefined ? {} : { also }) })
export const created = (also?: Expected["also"]): Expected => ({ status: 201, ...(also === undefined ? {} : { also }) })
export const refused = (status: number, error: string): Expected => ({ status, error })
export const invalid = (param: string): Expected => ({ status: 400, error: "invalid_request", param })

/** The objects of a page. */
export const page = ({ body }: Reply): ReadonlyArray<{ readonly [field: string]: unknown }> => body.data.data
