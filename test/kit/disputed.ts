/** A merchant with a paid order, what the buyer's bank makes of it, and what a test asks about it. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Reply } from "./Api.ts"
import { assertLedgerWhole } from "./ledger.ts"
import type { Running } from "./Service.ts"

export interface Options {
  readonly amount?: number
  readonly method?: string
  readonly notifyUrl?: string
  readonly currency?: string
}

/** The acquiring fee of the default schedule. */
export const feeOf = (amount: number) => Math.floor((amount * 290 + 5_000) / 10_000) + 30

/** One order of a merchant of its own, paid by card unless told otherwise. */
export const shop = Effect.fnUntraced(function* ({ api, atRest, sql }: Running, options: Options = {}) {
  const { merchantId, sandboxKey: key } = yield* api.newMerchant()
  const { amount = 1000, currency = "USD" } = options
  const created = yield* api.post("/v1/orders", key, {
    amount,
    currency,
    out_trade_no: "1",
    ...(options.notifyUrl === undefined ? {} : { notify_url: options.notifyUrl })
  })
  const tradeNo: string = created.body.data.trade_no
  const paid = yield* api.post("/v1/test_helpers/orders/1/pay", key, { payment_method: options.method ?? "card" })
  assert.strictEqual(paid.body.data.status, "paid")
  return {
    api,
    sql,
    key,
    merchantId,
    tradeNo,
    open: (body: object = {}) => api.post("/v1/test_helpers/orders/1/dispute", key, body),
    refund: (body: object = {}) => api.post("/v1/refunds", key, { trade_no: tradeNo, ...body }),
    reachable: (reachable: boolean) => api.post("/v1/test_helpers/channel", key, { reachable }),
    balance: Effect.map(api.get(`/v1/balance?currency=${currency}`, key), ({ body }) => body.data),
    /** The ledger's rows after the payment's two, oldest first. */
    rows: Effect.map(api.get("/v1/balance_transactions?limit=100", key), ({ body }) =>
      body.data.data
        .toReversed()
        .slice(2)
        // oxlint-disable-next-line no-explicit-any -- what a test reads
        .map((row: any) => [row.type, row.amount, row.balance_before, row.balance_after])
    ),
    /** Types of the events since the payment, oldest first, once the workers have nothing to do. */
    events: Effect.andThen(
      atRest,
      Effect.map(
        sql`select type from events where trade_no = ${tradeNo} and type <> 'payment.succeeded' order by id`,
        (rows) => rows.map(({ type }) => type as string)
      )
    ),
    whole: assertLedgerWhole(sql)
  }
})

/** {@link shop} with an open dispute. */
export const disputed = Effect.fnUntraced(function* (running: Running, body: object = {}, options: Options = {}) {
  const at = yield* shop(running, options)
  const opened = yield* at.open(body)
  assert.strictEqual(opened.status, 201, opened.text)
  const no: string = opened.body.data.dispute_no
  const path = `/v1/disputes/${no}`
  return {
    ...at,
    no,
    path,
    opened: opened.body.data,
    read: Effect.map(at.api.get(path, at.key), ({ body: { data } }) => data),
    evidence: Effect.map(at.api.get(`${path}/evidence`, at.key), ({ body: { data } }) => data),
    respond: (evidence: object, headers: Record<string, string> = {}) =>
      at.api.call("POST", `${path}/evidence`, { key: at.key, body: evidence, headers }),
    accept: (headers: Record<string, string> = {}) => at.api.call("POST", `${path}/accept`, { key: at.key, headers }),
    resolve: (outcome: string) => at.api.post(`/v1/test_helpers/disputes/${no}/resolve`, at.key, { outcome })
  }
})

export const isRefused = (reply: Reply, status: number, error: string, param?: string) =>
  assert.deepStrictEqual([reply.status, reply.body.error, reply.body.param], [status, error, param], reply.text)
