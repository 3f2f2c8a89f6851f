/**
 * Merchants that send every kind of request through all runners, by the SDK with its own options: what it gives up has
 * failed. Requests that the SDK does not send (a create without a key, a buyer's visit, an operator's payout) are sent
 * again by the same number after the SDK's delays. At the end the books are compared with what was acknowledged.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { Agent, fetch as send } from "@effect/platform-node/Undici"
import { ApiError, Coffer, CofferError, ConnectionError, type Hooks } from "../../../packages/sdk/src/index.ts"
import { retryDelay } from "../../../packages/sdk/src/retry.ts"
import { operatorToken } from "../Service.ts"
import type { Acknowledged } from "./SteadyLoad.ts"

export interface Shop {
  readonly merchantId: string
  readonly key: string
}

/** What came of all requests of a time. */
export interface Tally {
  requests: number
  /** By status, `cut` without one. */
  readonly byStatus: Record<string, number>
  /** By the operation of the SDK, or what the request is. */
  readonly byKind: Record<string, number>
  /** Requests that were sent again, by kind and why. */
  readonly again: Record<string, number>
  /** The longest call with all its attempts, milliseconds. */
  longest: number
  longestKind: string
}

export const newTally = (): Tally => ({
  requests: 0,
  byStatus: {},
  byKind: {},
  again: {},
  longest: 0,
  longestKind: ""
})

const count = (counts: Record<string, number>, name: string) => (counts[name] = (counts[name] ?? 0) + 1)

/** `POST /v1/orders/{…}/expire`: numbers of objects left out. */
const kindOf = (method: string, url: string): string =>
  `${method} ${new URL(url).pathname.replace(/\/[^/]*\d[^/]{8,}/g, "/…")}`

/** As the SDK's. */
const retriesMax = 4

/** A balancer: each request goes to the next runner, and to another one where none listens. */
const balanced = (ports: () => ReadonlyArray<number>) => {
  const agent = new Agent({ connections: 64 })
  let turn = 0
  const through = async (url: string, init: RequestInit): Promise<Response> => {
    for (let tries = 1; ; tries++) {
      const all = ports()
      const to = new URL(url)
      to.port = String(all[turn++ % all.length])
      try {
        return (await send(to, { ...(init as object), dispatcher: agent })) as unknown as Response
      } catch (error) {
        const cause = error instanceof Error ? (error.cause as { readonly code?: string } | undefined) : undefined
        if (cause?.code !== "ECONNREFUSED" || tries >= all.length) throw error
      }
    }
  }
  return { through, close: () => agent.destroy() }
}

export interface Merchant {
  readonly shop: Shop
  readonly coffer: Coffer
  /** Notes an object that was acknowledged. */
  readonly done: (kind: string, no: string, own?: string) => void
  /** Sends it again as the SDK does. */
  readonly raw: (
    method: string,
    path: string,
    body: object | undefined,
    headers?: Record<string, string>
  ) => Promise<{ readonly status: number; readonly text: string }>
  readonly draw: (limit: number) => number
}

export type Act = (merchant: Merchant, own: string) => Promise<void>

/** `ports`: of the runners that have requests now. `rest`: how long a worker rests after each act, milliseconds. */
export const sdkLoad = (ports: () => ReadonlyArray<number>, draw: (limit: number) => number, rest = 0) => {
  const acknowledged: Array<Acknowledged> = []
  const wrong: Array<string> = []
  const workers: Array<Promise<void>> = []
  const balancer = balanced(ports)
  const state = { isOver: false, numbers: 0, tally: newTally(), sent: 0 }

  const attempted = (kind: string, status: number | undefined, isSentAgain: boolean) => {
    const { tally } = state
    state.sent++
    tally.requests++
    const name = String(status ?? "cut")
    count(tally.byStatus, name)
    count(tally.byKind, kind)
    if (isSentAgain) count(tally.again, `${name} ${kind}`)
  }
  const ended = (kind: string, began: number) => {
    const millis = performance.now() - began
    if (millis <= state.tally.longest) return
    state.tally.longest = millis
    state.tally.longestKind = kind
  }

  const began = new Map<string, number>()
  const hooks: Hooks = {
    onRequest: ({ attempt, idempotencyKey, url }) => {
      if (attempt === 1) began.set(idempotencyKey ?? url, performance.now())
    },
    onResponse: ({ idempotencyKey, method, retryInMs, status, url }) => {
      const kind = kindOf(method, url)
      attempted(kind, status, retryInMs !== undefined)
      if (retryInMs === undefined) ended(kind, began.get(idempotencyKey ?? url)!)
    }
  }

  const raw: Merchant["raw"] = async (method, path, body, headers = {}) => {
    const url = `http://127.0.0.1${path}`
    const kind = `${kindOf(method, url)}${body === undefined ? "" : " without a key"}`
    const since = performance.now()
    for (let attempt = 1; ; attempt++) {
      const json = body === undefined ? {} : { "Content-Type": "application/json" }
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const init = { method, headers: { ...json, ...headers }, ...sent, redirect: "manual" } as const
      const answer = await balancer
        .through(url, { ...init, signal: AbortSignal.timeout(20_000) })
        .then(async (response) => ({ status: response.status, text: await response.text() }))
        .catch(() => undefined)
      const failed = { method, path, idempotencyKey: undefined, attempts: attempt }
      const delay = retryDelay(new ConnectionError(failed, undefined, url), attempt, () => draw(1_000) / 1_000, true)!
      const passes = answer === undefined || answer.status >= 500 || answer.status === 429
      const isSentAgain = passes && attempt <= retriesMax
      attempted(kind, answer?.status, isSentAgain)
      if (!isSentAgain) {
        ended(kind, since)
        if (answer === undefined) throw new Error(`${kind}: no answer`)
        if (passes) throw new Error(`${kind}: ${answer.status} ${answer.text}`)
        return answer
      }
      await sleep(delay)
    }
  }

  return {
    acknowledged,
    /** Calls that have failed for good. */
    wrong,
    sent: () => state.sent,
    /** What came of the requests since this was last asked. */
    tally: (): Tally => {
      const { tally } = state
      state.tally = newTally()
      return tally
    },
    /** Begins a worker of this merchant. `act` is asked each time, since it may change. */
    begin: (shop: Shop, act: () => Act) => {
      const coffer = new Coffer({
        apiKey: shop.key,
        baseUrl: "http://127.0.0.1/v1",
        fetch: balancer.through,
        random: () => draw(1_000) / 1_000,
        hooks
      })
      const done = (kind: string, no: string, own = no) => {
        acknowledged.push({ kind, no, own, began: 0, at: performance.now() })
      }
      const merchant: Merchant = { shop, coffer, done, raw, draw }
      const work = async () => {
        for (; !state.isOver; await sleep(rest)) {
          await act()(merchant, String(++state.numbers)).catch((error: unknown) => {
            wrong.push(wordsOf(error))
          })
        }
      }
      workers.push(work())
    },
    end: async () => {
      state.isOver = true
      await Promise.all(workers)
      await balancer.close()
    }
  }
}

export type SdkLoad = ReturnType<typeof sdkLoad>

const wordsOf = (error: unknown): string => {
  if (error instanceof ApiError) return `${error.status} ${error.code}: ${error.message} (${error.attempts} attempts)`
  if (error instanceof CofferError) return `${error.name}: ${error.message}`
  return error instanceof Error ? `${error.message}\n${error.stack}` : String(error)
}

// What they do --------------------------------------------------------------------

const paid = async ({ coffer, done }: Merchant, own: string, notify_url: string) => {
  const order = await coffer.orders.create({ amount: 1_000, out_trade_no: `o${own}`, notify_url })
  done("create", order.trade_no, `o${own}`)
  const settled = await coffer.testHelpers.orders.pay(order.trade_no)
  done("pay", settled.trade_no)
  return settled
}

/** Each kind of request that a merchant, a buyer and an operator send. `notifyUrl`: where events go. */
export const everyAct = (notifyUrl: string): Act => {
  const acts: ReadonlyArray<Act> = [
    async (merchant, own) => {
      const { coffer } = merchant
      const order = await paid(merchant, own, notifyUrl)
      await coffer.orders.update(order.trade_no, { metadata: { note: own } })
      await coffer.orders.get(order.trade_no)
      await coffer.orders.timeline(order.trade_no)
    },
    async (merchant, own) => {
      const { raw, shop, done, coffer } = merchant
      const body = { amount: 1_000, out_trade_no: `o${own}` }
      const made = await raw("POST", "/v1/orders", body, { "X-Api-Key": shop.key })
      if (made.status > 201) throw new Error(`a create without a key: ${made.status} ${made.text}`)
      const tradeNo: string = JSON.parse(made.text).data.trade_no
      done("create", tradeNo, `o${own}`)
      await coffer.orders.expire(tradeNo)
    },
    async (merchant, own) => {
      const { coffer, done } = merchant
      const order = await paid(merchant, own, notifyUrl)
      const refund = await coffer.refunds.create({ trade_no: order.trade_no, amount: 300, out_refund_no: `r${own}` })
      done("refund", refund.refund_no)
      await coffer.refunds.get(refund.refund_no)
    },
    async (merchant, own) => {
      const { coffer, done } = merchant
      const order = await paid(merchant, own, notifyUrl)
      const dispute = await coffer.testHelpers.orders.dispute(order.trade_no, { amount: 300 })
      done("dispute", dispute.dispute_no)
      await coffer.disputes.submitEvidence(dispute.dispute_no, { evidence: { product_description: "a lamp" } })
      await coffer.testHelpers.disputes.resolve(dispute.dispute_no, { outcome: "won" })
    },
    async ({ coffer, done, draw, raw }) => {
      const link = await coffer.paymentLinks.create({ amount: 100, max_uses: 3 })
      done("link", link.link_id)
      for (let buyer = 0; buyer < 2; buyer++) {
        const ip = `198.51.${draw(256)}.${draw(256)}`
        await raw("GET", new URL(link.url).pathname, undefined, { "X-Forwarded-For": ip })
      }
      await coffer.paymentLinks.get(link.link_id)
    },
    async ({ coffer }) => {
      await coffer.orders.list({ limit: 20 })
      await coffer.orders.list({ limit: 5, status: "paid" })
      await coffer.refunds.list({ limit: 20 })
      await coffer.disputes.list({ limit: 20 })
      await coffer.paymentLinks.list({ limit: 20 })
    },
    async ({ coffer }) => {
      const { data } = await coffer.events.list({ limit: 20 })
      if (data.length > 0) await coffer.events.get(data[0]!.event_id)
      await coffer.webhookDeliveries.list({ limit: 20 })
      await coffer.balance.get()
      await coffer.ledger.list({ limit: 20 })
      await coffer.apiLogs.list({ limit: 5 })
      await coffer.reports.frozen()
    },
    async ({ coffer }) => {
      const made = await coffer.webhookEndpoints.create({ url: notifyUrl, enabled_events: ["payment.failed"] })
      await coffer.webhookEndpoints.update(made.id, { description: "of an upgrade" })
      await coffer.webhookEndpoints.list()
      await coffer.webhookEndpoints.delete(made.id)
    },
    async (merchant, own) => {
      const { raw, shop } = merchant
      await paid(merchant, own, notifyUrl)
      const operator = { Authorization: `Bearer ${operatorToken}` }
      const terms = { mode: "sandbox", currency: "USD", amount: 100, reference: `k${own}` }
      const path = `/operator/v1/merchants/${shop.merchantId}/payouts`
      const { status, text } = await raw("POST", path, terms, operator)
      // Others may have taken what there is.
      if (status === 402 || status === 400) return
      if (status > 201) throw new Error(`a payout: ${status} ${text}`)
      const { payout_no } = JSON.parse(text).data
      for (const step of ["approve", "complete"]) {
        const done = await raw("POST", `/operator/v1/payouts/${payout_no}/${step}`, {}, operator)
        if (done.status > 202) throw new Error(`${step} of a payout: ${done.status} ${done.text}`)
      }
    }
  ]
  return (merchant, own) => acts[merchant.draw(acts.length)]!(merchant, own)
}

/** An order that is authorized, and captured in part. */
export const capturing: Act = async ({ coffer, done }, own) => {
  const order = await coffer.orders.create({ amount: 1_000, out_trade_no: `o${own}`, capture: "manual" })
  done("create", order.trade_no, `o${own}`)
  await coffer.testHelpers.orders.authorize(order.trade_no)
  const captured = await coffer.orders.capture(order.trade_no, { amount: 700 })
  done("pay", captured.trade_no)
}
