/**
 * Sends calls with retries: each attempt has a time limit, and the whole call has one. All attempts of a write have the
 * same Idempotency-Key, so the service does it once.
 */
import { type Answer, Call } from "./Call.ts"
import { type Query, queryString } from "./encode.ts"
import { ApiError, CofferError, ConnectionError, type Failed, type Raw, refusedWith, TimeoutError } from "./errors.ts"
import { follow, type FollowOptions } from "./follow.ts"
import { checkKnown } from "./known.ts"
import { type Hooks, tell } from "./hooks.ts"
import { type Cursor, type List, type ListData, listOf } from "./List.ts"
import {
  apiKeyOf,
  baseUrlOf,
  type CallOptions,
  type Clock,
  type CofferOptions,
  defaultLimits,
  checkOptions,
  type Fetch,
  checkCallOptions,
  idempotencyKeyOf,
  type Limits,
  limitsOf,
  platformClock,
  userAgentOf,
  type Upload,
  type WriteOptions
} from "./options.ts"
import { retryDelay } from "./retry.ts"

interface Request {
  readonly method: string
  readonly path: string
  readonly query?: Query
  readonly body?: unknown
  readonly upload?: Upload
  /** A write, which takes an Idempotency-Key. */
  readonly isKeyed?: boolean
  /** The answer is a file instead of JSON. */
  readonly isText?: boolean
  /** The same, and the file is binary. */
  readonly isBinary?: boolean
}

/** The request of a call, the same for each attempt. */
interface Prepared {
  readonly method: string
  readonly path: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | FormData | undefined
  readonly idempotencyKey: string | undefined
  readonly isText: boolean
  readonly isBinary: boolean
  readonly signal: AbortSignal | undefined
  readonly limits: Limits
}

export class Transport {
  readonly baseUrl: string
  readonly #apiKey: string
  readonly #limits: Limits
  readonly #hooks: Hooks
  readonly #userAgent: string
  readonly #fetch: Fetch
  readonly #random: () => number
  readonly #clock: Clock

  constructor(options: CofferOptions) {
    checkOptions(options)
    this.#apiKey = apiKeyOf(options.apiKey)
    this.baseUrl = baseUrlOf(options.baseUrl)
    this.#limits = limitsOf(defaultLimits, options)
    this.#hooks = options.hooks ?? {}
    this.#userAgent = userAgentOf(options.userAgent)
    this.#fetch = options.fetch ?? ((url, init) => fetch(url, init))
    this.#random = options.random ?? Math.random
    this.#clock = options.clock ?? platformClock
  }

  call<T>(request: Request, options: WriteOptions): Call<T> {
    return new Call(this.#run<T>(this.#prepared(request, options)))
  }

  text(path: string, query: Query, options: CallOptions): Call<string> {
    return this.call({ method: "GET", path, query, isText: true }, options)
  }

  list<Item>(path: string, id: keyof Item & string, query: Query, options: CallOptions): List<Item> {
    const fetch = (cursor: Cursor | undefined) =>
      this.call<ListData<Item>>({ method: "GET", path, query: { ...query, ...cursor } }, options)
    return listOf(fetch, (item) => String(item[id]), "ending_before" in query && query.ending_before !== undefined)
  }

  follow<Item>(
    path: string,
    id: keyof Item & string,
    { after, ...query }: Query & { readonly after?: string | null | undefined },
    options: FollowOptions
  ): AsyncGenerator<Item, void, undefined> {
    checkKnown(options, ["signal", "timeoutMs", "onLost", "onFound"])
    const { signal, timeoutMs } = options
    const list = (page: Query) => this.list<Item>(path, id, { ...query, ...page }, { signal, timeoutMs, maxRetries: 0 })
    const idOf = (item: Item) => String(item[id])
    return follow({ list, idOf, clock: this.#clock, random: this.#random }, after, options)
  }

  #prepared(request: Request, options: WriteOptions): Prepared {
    const { body, isBinary = false, isKeyed = false, isText = false, method, path, query = {}, upload } = request
    checkCallOptions(options, isKeyed)
    const idempotencyKey = isKeyed ? idempotencyKeyOf(options.idempotencyKey) : undefined
    return {
      method,
      path,
      url: `${this.baseUrl}${path}${queryString(query)}`,
      headers: {
        "User-Agent": this.#userAgent,
        ...(body === undefined ? {} : { "Content-Type": "application/json", "Coffer-Strict": "true" }),
        ...(idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey })
      },
      body: upload === undefined ? (body === undefined ? undefined : JSON.stringify(body)) : formOf(upload),
      idempotencyKey,
      isText,
      isBinary,
      signal: options.signal,
      limits: longerBy(waitIn(query), limitsOf(this.#limits, options))
    }
  }

  async #run<T>(call: Prepared): Promise<Answer<T>> {
    const { limits, signal } = call
    const ends = this.#clock.now() + limits.deadlineMs
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted()
      const began = this.#clock.now()
      const info = infoOf(call, attempt)
      tell(this.#hooks.onRequest, info)
      const ended = await this.#attempt<T>(call, attempt, Math.min(limits.timeoutMs, ends - began))
      const at = this.#clock.now()
      const delay =
        ended instanceof CofferError ? retryDelay(ended, attempt, this.#random, isRepeatable(call)) : undefined
      const retryInMs = attempt <= limits.maxRetries && delay !== undefined && at + delay < ends ? delay : undefined
      tell(this.#hooks.onResponse, {
        ...info,
        ...endOf(ended),
        durationMs: at - began,
        ...(retryInMs === undefined ? {} : { retryInMs })
      })
      if (!(ended instanceof CofferError)) return ended
      if (retryInMs === undefined) throw ended
      await this.#clock.sleep(retryInMs, signal)
      // A pause may last longer than planned: no time is left, and the last attempt's error is returned.
      if (this.#clock.now() >= ends) throw ended
    }
  }

  /** One attempt. It only fails with the reason of the caller's signal; every other error is returned. */
  async #attempt<T>(call: Prepared, attempt: number, millis: number): Promise<Answer<T> | CofferError> {
    const failed: Failed = {
      method: call.method,
      path: call.path,
      idempotencyKey: call.idempotencyKey,
      attempts: attempt
    }
    const controller = new AbortController()
    let isLate = false
    const cancel = this.#clock.timer(millis, () => {
      isLate = true
      controller.abort()
    })
    const stop = () => controller.abort()
    call.signal?.addEventListener("abort", stop, { once: true })
    try {
      // Not every custom fetch honours its signal.
      const stopped = new Promise<never>((_, reject) => controller.signal.addEventListener("abort", reject))
      const raw = await Promise.race([this.#exchange(call, controller.signal), stopped])
      return answerOf<T>(call, failed, raw)
    } catch (cause) {
      call.signal?.throwIfAborted()
      return isLate ? new TimeoutError(failed, millis) : new ConnectionError(failed, cause, this.baseUrl)
    } finally {
      cancel()
      call.signal?.removeEventListener("abort", stop)
    }
  }

  async #exchange({ body, headers, isBinary, isText, method, url }: Prepared, signal: AbortSignal): Promise<Raw> {
    const fetch = this.#fetch
    const response = await fetch(url, {
      method,
      headers: { ...headers, "X-Api-Key": this.#apiKey },
      ...(body === undefined ? {} : { body }),
      // A redirect would send the key to another server.
      redirect: "manual",
      signal
    })
    if (isText && response.ok) {
      // `text()` strips the byte order mark, by which spreadsheets recognize UTF-8.
      return { response, text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(await response.arrayBuffer()) }
    }
    if (!isBinary || !response.ok) return { response, text: await response.text() }
    return { response, text: "", bytes: new Uint8Array(await response.arrayBuffer()) }
  }
}

/** Milliseconds that the service may wait before it answers, by the query's `wait`. */
const waitIn = (query: Query): number => ("wait" in query ? Number(query.wait) * 1_000 || 0 : 0)

const longerBy = (millis: number, { deadlineMs, maxRetries, timeoutMs }: Limits): Limits => ({
  maxRetries,
  timeoutMs: timeoutMs + millis,
  deadlineMs: deadlineMs + millis
})

/** A read, or a write that its key makes idempotent. */
const isRepeatable = ({ idempotencyKey, method }: Prepared): boolean => method === "GET" || idempotencyKey !== undefined

const formOf = (upload: Upload): FormData => {
  const form = new FormData()
  const isBytes = ArrayBuffer.isView(upload) || Object.prototype.toString.call(upload) === "[object ArrayBuffer]"
  const blob = isBytes ? new Blob([upload as ArrayBuffer]) : (upload as Blob)
  form.append("file", blob, "name" in blob ? String(blob.name) : "file")
  return form
}

const infoOf = ({ idempotencyKey, method, url }: Prepared, attempt: number) => ({
  method,
  url,
  attempt,
  ...(idempotencyKey === undefined ? {} : { idempotencyKey })
})

const endOf = (ended: Answer<unknown> | CofferError) => {
  const { requestId, status } = ended instanceof CofferError && !(ended instanceof ApiError) ? {} : ended
  return {
    ...(status === undefined ? {} : { status }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(ended instanceof CofferError ? { error: ended } : {})
  }
}

const answerOf = <T>(call: Prepared, failed: Failed, raw: Raw): Answer<T> | ApiError => {
  const { bytes, response, text } = raw
  const envelope = parsed(text)
  const isDone = response.status >= 200 && response.status < 300
  const data = call.isBinary ? bytes : call.isText ? text : (envelope as { readonly data?: unknown } | undefined)?.data
  if (!isDone || data === undefined) return refusedWith(isDone ? undefined : envelope, failed, raw)
  return {
    ...raw,
    data: data as T,
    status: response.status,
    requestId: response.headers.get("x-request-id") ?? undefined,
    idempotencyKey: call.idempotencyKey,
    isTruncated: response.headers.get("x-truncated") === "true",
    isReplayed: response.headers.get("idempotent-replayed") === "true",
    attempts: failed.attempts
  }
}

/** Undefined unless it is a JSON object. */
const parsed = (text: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
