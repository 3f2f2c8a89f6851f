/**
 * Merchants that keep writing through all nodes while something breaks. Each write has an Idempotency-Key, and is sent
 * again under it, to any node, until it is answered for good. So at the end every write is acknowledged, and the books
 * can be compared with what was.
 */
import { Agent, request } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** An answer for good. */
export interface Acknowledged {
  readonly kind: string
  /** The number of the object that was written. */
  readonly no: string
  /** The number that its merchant gave it. */
  readonly own: string
  /** When the first request was sent and when the answer came, milliseconds of `performance.now`. */
  readonly began: number
  readonly at: number
}

interface Answer {
  readonly status: number
  // oxlint-disable-next-line no-explicit-any -- a test reads what it expects
  readonly body: any
}

export interface Node {
  readonly port: number
  /** Whether the test itself has kept it from answering since this time, milliseconds of `performance.now`. */
  readonly wasPaused: (since: number) => boolean
}

/** The client itself gives a request up after this. */
const requestMillis = 15_000
const slowMillis = 8_000
/** A write that is not answered for good within this is stuck. */
const stuckMillis = 120_000

export type Write = (kind: string, path: string, body: object) => Promise<Json>
// oxlint-disable-next-line no-explicit-any -- a test reads what it expects
type Json = any

/** One merchant's worker: does some writes, one after the other. `own` is a number that no other call gets. */
export type Act = (write: Write, own: string) => Promise<void>

/** `rest`: how long a worker rests after each act, milliseconds. */
export const steadyLoad = (nodes: () => ReadonlyArray<Node>, draw: (limit: number) => number, rest = 0) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  const acknowledged: Array<Acknowledged> = []
  const wrong: Array<string> = []
  const workers: Array<Promise<void>> = []
  const slow: Array<string> = []
  const state = { isOver: false, longest: 0, sent: 0, numbers: 0 }

  /** One request to one node; undefined when its connection broke. */
  const attempt = async (path: string, body: object, headers: Record<string, string>) => {
    const node = nodes()[draw(nodes().length)]!
    const begun = performance.now()
    state.sent++
    const answer = await ask(agent, node.port, path, body, headers)
    const millis = performance.now() - begun
    if (node.wasPaused(begun)) return answer
    state.longest = Math.max(state.longest, millis)
    if (millis > slowMillis) {
      const port = `at ${node.port} since ${(begun / 1_000).toFixed(1)} s`
      slow.push(`${(millis / 1_000).toFixed(1)} s for ${path} ${port}: ${answer?.status ?? "no answer"}`)
    }
    return answer
  }

  const writer =
    (key: string): Write =>
    async (kind, path, body) => {
      const own = `${kind}-${++state.numbers}`
      const headers = { "X-Api-Key": key, "Content-Type": "application/json", "Idempotency-Key": own }
      const began = performance.now()
      while (performance.now() - began < stuckMillis) {
        const answer = await attempt(path, body, headers)
        if (answer !== undefined && answer.status < 300) {
          const { data } = answer.body
          const no = data.dispute_no ?? data.refund_no ?? data.link_id ?? data.trade_no
          acknowledged.push({ kind, no, own: data.out_trade_no ?? own, began, at: performance.now() })
          return data
        }
        if (answer !== undefined && !isPassing(answer)) {
          wrong.push(`${kind} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
          return undefined
        }
        await sleep(50 + draw(100))
      }
      wrong.push(`${kind} ${path}: no answer for good in ${stuckMillis / 1_000} s`)
      return undefined
    }

  return {
    acknowledged,
    /** Answers that no merchant should get, and writes that are stuck. */
    wrong,
    sent: () => state.sent,
    /** Requests to nodes that run which took long, for a person who asks why. */
    slow,
    /** The longest that one request to a node that runs took, milliseconds. */
    longest: () => state.longest,
    /** Begins a worker of the merchant with this key. */
    begin: (key: string, act: Act) => {
      const write = writer(key)
      const work = async () => {
        for (; !state.isOver; await sleep(rest)) await act(write, String(++state.numbers))
      }
      workers.push(work())
    },
    /** Every write that was begun is answered then. */
    end: Effect.promise(async () => {
      state.isOver = true
      await Promise.all(workers)
      agent.destroy()
    }),
    /** The longest time from one answer for good to the next since `since`, milliseconds. */
    gapSince: (since: number) => {
      const times = [since, ...acknowledged.map(({ at }) => at).filter((at) => at >= since)]
      return Math.max(0, ...times.slice(1).map((at, index) => at - times[index]!))
    }
  }
}

/** The same request may be sent again. The sandbox's bank has its books in the same database: 502 is its answer. */
const isPassing = ({ body, status }: Answer) =>
  status === 502 || status === 503 || body?.error === "idempotency_in_progress"

const ask = (agent: Agent, port: number, path: string, body: object, headers: Record<string, string>) =>
  new Promise<Answer | undefined>((resolve) => {
    const raw = JSON.stringify(body)
    const asked = request(
      {
        host: "127.0.0.1",
        port,
        path,
        method: "POST",
        agent,
        timeout: requestMillis,
        headers: { ...headers, "Content-Length": Buffer.byteLength(raw) }
      },
      (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("error", () => resolve(undefined))
        response.on("close", () => {
          // An answer that was torn apart is none.
          if (!response.complete) return resolve(undefined)
          const text = Buffer.concat(chunks).toString("utf8")
          resolve({ status: response.statusCode!, body: text.startsWith("{") ? JSON.parse(text) : undefined })
        })
      }
    )
    asked.on("timeout", () => asked.destroy())
    asked.on("error", () => resolve(undefined))
    asked.end(raw)
  })

export type SteadyLoad = ReturnType<typeof steadyLoad>

/** An order, and its payment. */
export const createAndPay: Act = async (write, own) => {
  const order = await write("create", "/v1/orders", { amount: 1_000, out_trade_no: `o${own}` })
  if (order !== undefined) await write("pay", `/v1/test_helpers/orders/${order.trade_no}/pay`, {})
}

/** Every order and payment that was acknowledged is there once, and no other is. */
export const assertAllThere = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { acknowledged, wrong }: SteadyLoad
) {
  assert.deepStrictEqual(wrong, [])
  const of = (wanted: string) => acknowledged.filter(({ kind }) => kind === wanted)
  const orders = yield* sql<{ trade_no: string; out_trade_no: string; status: string }>`
    select trade_no, out_trade_no, status from orders where out_trade_no like 'o%'`
  const numbers = new Map(orders.map(({ out_trade_no, trade_no }) => [out_trade_no, trade_no]))
  for (const { no, own } of of("create")) assert.strictEqual(numbers.get(own), no, `the order ${own}`)
  assert.strictEqual(orders.length, of("create").length, "orders that nobody was told of")
  const credits = yield* sql<{
    no: string
    count: number
  }>`select reference_id as no, count(*)::int4 as count from ledger
    where type = 'payment_credit' group by 1`
  const credited = new Map(credits.map(({ count, no }) => [no, count]))
  for (const { no } of of("pay")) assert.strictEqual(credited.get(no), 1, `payments of ${no}`)
})
