/** Calls of the operator API for a command, with their failures as messages for people. */
import { DateTime, Duration, Effect, Option, Redacted, Schedule, Schema } from "effect"
import { type Account, accountOf, operatorDoor } from "./account.ts"
import { CliFailure, failed } from "./CliFailure.ts"
import { operatorToken, operatorUrl } from "./frame.ts"
import { jsonText } from "./json.ts"
import { leanFetch } from "./leanFetch.ts"
import { pageMax } from "./printList.ts"
import manifest from "../package.json" with { type: "json" }

type Query = Readonly<Record<string, string | number>>

export interface Operator {
  /** A read, which is retried without an answer. */
  readonly get: (path: string, query?: Query) => Effect.Effect<unknown, CliFailure>
  /**
   * One attempt. After a temporary failure (`isPassing`) the outcome is unknown; a rate-limited call is retried, since
   * it was not carried out.
   */
  readonly post: (path: string, body?: object) => Effect.Effect<unknown, CliFailure>
  /** The current time: for a merchant's sandbox that of its test clock, for all merchants real time. */
  readonly nowOf: (merchant: string | undefined, mode: string | undefined) => Effect.Effect<DateTime.Utc, CliFailure>
}

export const connectOperator = Effect.gen(function* () {
  const account = yield* accountOf({ key: yield* operatorToken, baseUrl: yield* operatorUrl }, operatorDoor)
  const call = callAs(account)
  const get: Operator["get"] = (path, query = {}) =>
    Effect.retry(call("GET", path, query), { while: ({ isPassing }) => isPassing, times: 4, schedule: again })
  const operator: Operator = {
    get,
    post: (path, body) =>
      Effect.retry(call("POST", path, {}, body), {
        while: ({ code }) => code === "rate_limited",
        times: 20,
        schedule: calmly
      }),
    nowOf: Effect.fnUntraced(function* (merchant, mode) {
      const now = yield* DateTime.now
      if (merchant === undefined || mode !== "sandbox") return now
      const { sandbox } = (yield* get(`/merchants/${encodeURIComponent(merchant)}`)) as Moved
      return DateTime.add(now, { milliseconds: sandbox.clock_ahead_ms })
    })
  }
  return operator
})

/** A merchant as the API answers it. */
interface Moved {
  readonly sandbox: { readonly clock_ahead_ms: number }
}

const again = Schedule.exponential("500 millis")
/** The service counts by the minute. */
const calmly = Schedule.spaced("5 seconds")
/** The service answers within five. */
const patience = Duration.seconds(30)

const callAs =
  (account: Account) =>
  (method: "GET" | "POST", path: string, query: Query, body?: object): Effect.Effect<unknown, CliFailure> =>
    Effect.gen(function* () {
      const url = `${account.baseUrl}${path}?${new URLSearchParams(Object.entries(query).map(([k, v]) => [k, `${v}`]))}`
      const headers = {
        Authorization: `Bearer ${Redacted.value(account.key)}`,
        "User-Agent": `coffer-cli/${manifest.version}`,
        "Coffer-Strict": "true",
        ...(body === undefined ? {} : { "Content-Type": "application/json" })
      }
      const sent = body === undefined ? {} : { body: jsonText(body) }
      const { ok, status, text } = yield* Effect.tryPromise({
        try: (signal) =>
          leanFetch(url, { method, headers, ...sent, signal, redirect: "error" }).then((response) =>
            response.text().then((text) => ({ ok: response.ok, status: response.status, text }))
          ),
        catch: () => unanswered(account)
      }).pipe(Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(unanswered(account)) }))
      if (ok) {
        const { data } = yield* Effect.catchTags(decodeAnswer(text), { SchemaError: () => Effect.fail(foreign) })
        return data
      }
      const refusal = Option.getOrElse(yield* Effect.option(decodeRefusal(text)), () => ({
        error: "unexpected_answer",
        message: `The service returned ${status}.`
      }))
      return yield* refusedAs(status, refusal, account)
    })

const decodeAnswer = Schema.decodeEffect(Schema.fromJsonString(Schema.Struct({ data: Schema.Unknown })))
const decodeRefusal = Schema.decodeEffect(
  Schema.fromJsonString(Schema.Struct({ error: Schema.String, message: Schema.String }))
)

const unanswered = ({ baseUrl }: Account) =>
  new CliFailure({
    code: "connection_failed",
    message: `No response from ${baseUrl}.`,
    next: "start the service (npm start), or set its URL: --operator-url or COFFER_OPERATOR_URL",
    exitCode: 1,
    isPassing: true
  })

const foreign = failed(
  "unexpected_answer",
  "The response did not come from the operator API.",
  "check --operator-url: it ends with /operator/v1"
)

const refusedAs = (
  status: number,
  { error, message }: { readonly error: string; readonly message: string },
  { keyFrom }: Account
) =>
  new CliFailure({
    code: error,
    message: `The service rejected the request. ${message}`,
    next: nextOf(status, error, keyFrom),
    exitCode: 1,
    isPassing: status >= 500 || status === 429
  })

const nextOf = (status: number, code: string, keyFrom: string): string => {
  if (status === 401) return `use a valid token: this one is from ${keyFrom}`
  if (status === 403) return `use a token with this permission: this one is from ${keyFrom}`
  if (code === "unexpected_answer" || code === "route_not_found") return foreign.next
  if (status === 404) return "check the merchant's number, which the console shows"
  return status >= 500 || status === 429
    ? "wait a moment, then run the same command again"
    : "correct the arguments: the same command with --help lists them"
}

interface ListOf<Item> {
  readonly data: ReadonlyArray<Item>
  readonly has_more: boolean
}

/** The objects of a list, newest first: returns the next ones, at most a page; none after the last. */
export const pager = <Item>({ get }: Operator, path: string, query: Query, idOf: (item: Item) => string) => {
  let after: Query | undefined = {}
  return Effect.fnUntraced(function* (countMax: number) {
    if (after === undefined) return []
    const limit = Math.min(countMax, pageMax)
    const { data, has_more } = (yield* get(path, { ...query, ...after, limit })) as ListOf<Item>
    after = has_more ? { starting_after: idOf(data.at(-1)!) } : undefined
    return data
  })
}
