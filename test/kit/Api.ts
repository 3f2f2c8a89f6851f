/** A merchant's server as the tests play it: plain HTTP, real sockets, bodies as they come. */
import { setTimeout as sleep } from "node:timers/promises"
import { Agent, fetch } from "@effect/platform-node/Undici"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type NewMerchant as Merchant, newMerchant } from "../../packages/testkit/src/newMerchant.ts"
import { assertDocumented } from "./routes/contract.ts"

export type { Merchant }

const readyMillisMax = 300_000

export interface Reply {
  readonly status: number
  readonly headers: Pick<Headers, "get" | "has">
  readonly text: string
  // A test reads what it expects; what is not there fails its assertion.
  // oxlint-disable-next-line no-explicit-any
  readonly body: any
}

export interface Call {
  readonly key?: string | undefined
  readonly body?: unknown
  /** Sent as it is, instead of `body`. */
  readonly raw?: string | Uint8Array
  readonly headers?: Record<string, string>
}

/**
 * Connections are given up after a second without a request. fetch by itself keeps them as long as the server says, but
 * by a clock of its own that lags while the process is busy: in a test that takes a minute of that the server is first,
 * and a request meets "other side closed".
 */
const dispatcher = new Agent({ keepAliveMaxTimeout: 1_000 })

export class Api {
  readonly url: string
  readonly operatorToken: string

  constructor(url: string, operatorToken: string) {
    this.url = url
    this.operatorToken = operatorToken
  }

  /** One request. The envelope is checked on every JSON answer, whatever the test looks at. */
  call(method: string, path: string, { body, headers, key, raw }: Call = {}): Effect.Effect<Reply> {
    return Effect.promise(async () => {
      const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
      const response = await fetch(this.url + path, {
        method,
        headers: {
          ...(key === undefined ? {} : { "X-Api-Key": key }),
          ...(sent === undefined ? {} : { "Content-Type": "application/json" }),
          ...headers
        },
        ...(sent === undefined ? {} : { body: sent as string }),
        redirect: "manual",
        dispatcher
      })
      const text = await response.text()
      const isJson = response.headers.get("content-type")?.startsWith("application/json") === true
      const reply: Reply = {
        status: response.status,
        headers: response.headers,
        text,
        body: isJson ? JSON.parse(text) : undefined
      }
      if (isJson && /^\/(api\/)?v1|^\/operator\/v1/.test(path)) checkEnvelope(reply)
      if (isJson) assertDocumented(method, path, reply.status, reply.body)
      return reply
    })
  }

  get(path: string, key?: string) {
    return this.call("GET", path, { key })
  }

  post(path: string, key: string | undefined, body?: unknown) {
    return this.call("POST", path, { key, body })
  }

  operator(method: string, path: string, body?: unknown) {
    return this.call(method, `/operator/v1${path}`, {
      body,
      headers: { Authorization: `Bearer ${this.operatorToken}` }
    })
  }

  newMerchant(name = "Test merchant", quotas: "raised" | "default" = "raised"): Effect.Effect<Merchant> {
    const post = (path: string, body: object) =>
      Effect.map(this.operator("POST", path, body), (reply) => {
        assert.isBelow(reply.status, 300, reply.text)
        return reply.body.data
      })
    return newMerchant(post, name, { quotas })
  }

  /**
   * Waits until the service says that it can work. It pauses between tries: a call that fails at once, again and again,
   * would leave no turn to timers.
   */
  get ready(): Effect.Effect<void> {
    return Effect.promise(async () => {
      const end = performance.now() + readyMillisMax
      let last: unknown
      do {
        try {
          const response = await fetch(`${this.url}/readyz`)
          last = `${response.status} ${await response.text()}`
          if (response.status === 200) return
        } catch (error) {
          last = (error as Error).cause ?? error
        }
        await sleep(10)
      } while (performance.now() < end)
      throw new Error(`${this.url} is not ready: ${String(last)}`)
    })
  }
}

/**
 * Every response carries `request_id`, in the body and in the header; `code` equals the status (spec: General rules,
 * 3).
 */
const checkEnvelope = ({ body, headers, status }: Reply) => {
  assert.strictEqual(body.code, status)
  assert.match(body.request_id, /^req_/)
  assert.strictEqual(body.request_id, headers.get("x-request-id"))
  assert.isString(body.message)
  if (status >= 400) assert.isString(body.error)
  else assert.isObject(body.data)
}
