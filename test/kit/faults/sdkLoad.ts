/**
 * Merchants that send every kind of request through all runners, by the SDK with its own options: what it gives up has
 * failed. Requests that the SDK does not send (a create without a key, a buyer's visit, an operator's payout) are sent
 * again by the same number after the SDK's delays. At the end the books are compared with what was acknowledged.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { Agent, fetch as send } from "@effect/platform-node/Undici"
import {
  ApiError,
  Coffer,
  CofferError,
  ConnectionError,
  type Fetch,
  type Hooks
} from "../../../packages/sdk/src/index.ts"
import { retryDelay } from "../../../packages/sdk/src/retry.ts"
import type { Acknowledged } from "./SteadyLoad.ts"

export interface Shop {
  readonly merchantId: string
  readonly key: string
  /** Where the events of its orders go. */
  readonly notifyUrl: string
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

/** Counts requests, and the time of each call. */
const counting = () => {
  const state = { tally: newTally(), sent: 0 }
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
  return { state, attempted, ended, hooks }
}

type Counting = ReturnType<typeof counting>

/** What the SDK does not send. */
const rawOf = (through: Fetch, random: () => number, { attempted, ended }: Counting): Merchant["raw"] => {
  const ask = async (url: string, method: string, body: object | undefined, headers: Record<string, string>) => {
    const json = body === undefined ? {} : { "Content-Type": "application/json" }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const init = { method, headers: { ...json, ...headers }, ...sent, redirect: "manual" } as const
    const response = await through(url, { ...init, signal: AbortSignal.timeout(20_000) })
    return { status: response.status, text: await response.text() }
  }
  return async (method, path, body, headers = {}) => {
    const url = `http://127.0.0.1${path}`
    const kind = `${kindOf(method, url)}${body === undefined ? "" : " without a key"}`
    const since = performance.now()
    for (let attempt = 1; ; attempt++) {
      const answer = await ask(url, method, body, headers).catch(() => undefined)
      const passes = answer === undefined || answer.status >= 500 || answer.status === 429
      const isSentAgain = passes && attempt <= retriesMax
      attempted(kind, answer?.status, isSentAgain)
      if (!isSentAgain) {
        ended(kind, since)
        if (answer === undefined || passes) throw new Error(`${kind}: ${answer?.status} ${answer?.text}`)
        return answer
      }
      const lost = new ConnectionError({ method, path, attempts: attempt }, undefined, url)
      await sleep(retryDelay(lost, attempt, random, true)!)
    }
  }
}

/** `ports`: of the runners that get requests now. `rest`: how long a worker rests after each act, milliseconds. */
export const sdkLoad = (ports: () => ReadonlyArray<number>, draw: (limit: number) => number, rest = 0) => {
  const acknowledged: Array<Acknowledged> = []
  const wrong: Array<string> = []
  const workers: Array<Promise<void>> = []
  const balancer = balanced(ports)
  const counted = counting()
  const random = () => draw(1_000) / 1_000
  const raw = rawOf(balancer.through, random, counted)
  const state = { isOver: false, numbers: 0 }

  return {
    acknowledged,
    /** Calls that have failed for good. */
    wrong,
    sent: () => counted.state.sent,
    /** What came of the requests since this was last asked. */
    tally: (): Tally => {
      const { tally } = counted.state
      counted.state.tally = newTally()
      return tally
    },
    /** Begins a worker of this merchant. `act` is asked each time, since it may change. */
    begin: (shop: Shop, act: () => Act) => {
      const coffer = new Coffer({
        apiKey: shop.key,
        baseUrl: "http://127.0.0.1/v1",
        fetch: balancer.through,
        random,
        hooks: counted.hooks
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
