/** The options of a client and of a call, with defaults and validation. */
import type { Hooks } from "./hooks.ts"
import { checkKnown } from "./known.ts"
import { version } from "./version.ts"

export interface CofferOptions {
  /** `svc_test_…` for the sandbox, `svc_live_…` for live. Use it on servers only. */
  readonly apiKey: string
  /** The service's URL with the version: `https://pay.example/v1`. */
  readonly baseUrl: string
  /** The time limit of one attempt, including the response body; default: 20,000. */
  readonly timeoutMs?: number | undefined
  /** The time limit of a call with all attempts and delays; default: 60,000. */
  readonly deadlineMs?: number | undefined
  /** How many retries a call may make, 0 to 20; default: 4. */
  readonly maxRetries?: number | undefined
  /** The program's name in the User-Agent, before the SDK's: `my-shop/2.1`. */
  readonly userAgent?: string | undefined
  /** Called for every attempt. Errors that they throw are ignored. */
  readonly hooks?: Hooks | undefined
  /** Sends a request; default: the platform's `fetch`. */
  readonly fetch?: Fetch | undefined
  /** A number from 0 to 1, for the jitter of retries; default: `Math.random`. */
  readonly random?: (() => number) | undefined
  /** Time and timers; default: the platform's. For tests. */
  readonly clock?: Clock | undefined
}

const optionNames: Readonly<Record<keyof CofferOptions, true>> = {
  apiKey: true,
  baseUrl: true,
  timeoutMs: true,
  deadlineMs: true,
  maxRetries: true,
  userAgent: true,
  hooks: true,
  fetch: true,
  random: true,
  clock: true
}

const callOptionNames: Readonly<Record<keyof CallOptions, true>> = {
  signal: true,
  timeoutMs: true,
  deadlineMs: true,
  maxRetries: true
}

/** Throws a `TypeError` for an option that the call does not take, such as a key of a read. */
export const checkCallOptions = (options: CallOptions, isKeyed: boolean): void =>
  checkKnown(options, [...Object.keys(callOptionNames), ...(isKeyed ? ["idempotencyKey"] : [])])

/** Throws a `TypeError` for an option that no client has. */
export const checkOptions = (options: CofferOptions): void => checkKnown(options, Object.keys(optionNames))

/** The options of one call. Omitted ones are the client's. */
export interface CallOptions {
  /** Aborts the call, which then fails with the signal's reason. The outcome of a write is then unknown. */
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  readonly deadlineMs?: number | undefined
  readonly maxRetries?: number | undefined
}

export interface WriteOptions extends CallOptions {
  /**
   * 1 to 255 printable ASCII characters, which the service remembers for 24 hours; default: a random key for each call.
   */
  readonly idempotencyKey?: string | undefined
}

/** A file. The service detects its type from its content. */
export type Upload = Blob | ArrayBuffer | Uint8Array

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface Clock {
  /** Milliseconds since any time: only differences are used. */
  readonly now: () => number
  /** Resolves after that many milliseconds, or fails with the signal's reason. */
  readonly sleep: (millis: number, signal?: AbortSignal) => Promise<void>
  /** Runs `then` after that many milliseconds. Returns a function that cancels it. */
  readonly timer: (millis: number, then: () => void) => () => void
}

export interface Limits {
  readonly timeoutMs: number
  readonly deadlineMs: number
  readonly maxRetries: number
}

export const defaultLimits: Limits = { timeoutMs: 20_000, deadlineMs: 60_000, maxRetries: 4 }

/** The maximum delay of timers. */
const millisMax = 2 ** 31 - 1
const retriesMax = 20

/** Merges `given` over `base`, with validation. */
export const limitsOf = (base: Limits, own: CallOptions): Limits => ({
  timeoutMs: millisOf("timeoutMs", own.timeoutMs ?? base.timeoutMs),
  deadlineMs: millisOf("deadlineMs", own.deadlineMs ?? base.deadlineMs),
  maxRetries: retriesOf(own.maxRetries ?? base.maxRetries)
})

const millisOf = (name: string, millis: number): number => {
  if (millis > 0 && millis <= millisMax) return millis
  throw new TypeError(`${name}: expected milliseconds, more than 0 and at most ${millisMax}`)
}

const retriesOf = (retries: number): number => {
  if (Number.isInteger(retries) && retries >= 0 && retries <= retriesMax) return retries
  throw new TypeError(`maxRetries: expected a whole number from 0 to ${retriesMax}`)
}

/** Messages never contain the key. */
export const apiKeyOf = (apiKey: unknown): string => {
  if (typeof apiKey !== "string" || apiKey === "")
    throw new TypeError("apiKey: expected a key, svc_test_… or svc_live_…")
  if (!/^svc_(test|live)_[\x21-\x7e]+$/.test(apiKey)) {
    const why = /\s/.test(apiKey) ? "; it has a space or a line break in it" : ""
    throw new TypeError(`apiKey: expected a key that begins with svc_test_ or svc_live_${why}`)
  }
  return apiKey
}

/** Without a trailing slash. */
export const baseUrlOf = (baseUrl: unknown): string => {
  const expected = "baseUrl: expected the address of the service with its version, like https://pay.example/v1"
  if (typeof baseUrl !== "string" || !URL.canParse(baseUrl)) throw new TypeError(expected)
  const { hash, origin, password, pathname, protocol, search, username } = new URL(baseUrl)
  if (username !== "" || password !== "") throw new TypeError("baseUrl: expected no user and no password in it")
  const path = pathname.replace(/\/+$/, "")
  if (!/^https?:$/.test(protocol) || !path.endsWith("/v1") || search !== "" || hash !== "")
    throw new TypeError(expected)
  return origin + path
}

export const userAgentOf = (own: string | undefined): string => {
  const sdk = `coffer-sdk/${version}`
  if (own === undefined) return sdk
  if (/^[\x21-\x7e][\x20-\x7e]{0,199}$/.test(own)) return `${own} ${sdk}`
  throw new TypeError("userAgent: expected 1 to 200 printable ASCII characters")
}

export const idempotencyKeyOf = (key: string | undefined): string => {
  if (key === undefined) return crypto.randomUUID()
  if (/^[\x20-\x7e]{1,255}$/.test(key)) return key
  throw new TypeError("idempotencyKey: expected 1 to 255 printable ASCII characters")
}

export const platformClock: Clock = {
  now: () => performance.now(),
  sleep: (millis, signal) =>
    new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer)
        reject(signal!.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop)
        resolve()
      }, millis)
      if (signal?.aborted === true) stop()
      else signal?.addEventListener("abort", stop, { once: true })
    }),
  timer: (millis, then) => {
    const timer = setTimeout(then, millis)
    return () => clearTimeout(timer)
  }
}
