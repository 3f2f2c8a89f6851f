/** Calls of the merchant API for commands, by the SDK, with its failures as messages for people. */
import { ApiError, Coffer, CofferError, ConnectionError, TimeoutError } from "../../sdk/src/index.ts"
import { Console, DateTime, Effect, Redacted, Terminal } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { type Account, accountOf, merchantDoor } from "./account.ts"
import { CliFailure, failed } from "./CliFailure.ts"
import { baseUrl, json, key, live, profile, yes } from "./frame.ts"
import { leanFetch } from "./leanFetch.ts"
import manifest from "../package.json" with { type: "json" }

export interface Client {
  readonly account: Account
  readonly coffer: Coffer
  /** One call. `signal` ends it when the command ends. */
  readonly ask: <A>(call: (coffer: Coffer, signal: AbortSignal) => PromiseLike<A>) => Effect.Effect<A, CliFailure>
  /** The failure of a call, for the user of the command. */
  readonly failureOf: (error: unknown) => CliFailure
  readonly isSandbox: boolean
  /** The account's time: for a sandbox that of its test clock. */
  readonly now: Effect.Effect<DateTime.Utc, CliFailure>
}

export interface Connecting {
  /** How often the SDK retries. */
  readonly maxRetries?: number
  /** The User-Agent in the log of calls. */
  readonly as?: string
}

export const connect = Effect.fnUntraced(function* ({ as = "coffer-cli", maxRetries = 2 }: Connecting = {}) {
  const isLive = yield* live
  const flags = { key: yield* key, baseUrl: yield* baseUrl, profile: yield* profile, isLive }
  const account = yield* accountOf(flags, merchantDoor)
  if (isLive && !opensLive(account)) {
    return yield* failed(
      "not_live",
      `The key (from ${account.keyFrom}) is a sandbox key.`,
      "use a live key, or drop --live",
      2
    )
  }
  const coffer = yield* Effect.try({
    try: () =>
      new Coffer({
        apiKey: Redacted.value(account.key),
        baseUrl: account.baseUrl,
        fetch: leanFetch,
        maxRetries,
        userAgent: `${as}/${manifest.version}`
      }),
    catch: (error) =>
      failed(
        "bad_account",
        `The key (from ${account.keyFrom}) or the URL is not valid. ${messageOf(error)}`,
        nextOfAccount,
        2
      )
  })
  const ask: Client["ask"] = (call) =>
    Effect.tryPromise({
      try: (signal) => Promise.resolve(call(coffer, signal)),
      catch: (error) => failureOf(error, account)
    })
  const isSandbox = !opensLive(account)
  const sandboxNow = Effect.map(
    ask(({ testHelpers }) => testHelpers.clock.get()),
    ({ now }) => DateTime.makeUnsafe(now)
  )
  const client: Client = {
    account,
    coffer,
    ask,
    failureOf: (error) => failureOf(error, account),
    isSandbox,
    now: isSandbox ? sandboxNow : DateTime.now
  }
  return client
})

/** The same for a command that changes something. In live mode, where real money moves, it has to be confirmed. */
export const connectToWrite = Effect.fnUntraced(function* (options?: Connecting) {
  const client = yield* connect(options)
  if (!opensLive(client.account)) return client
  if (!(yield* live)) {
    const { keyFrom } = client.account
    return yield* failed(
      "live_write",
      `The key (from ${keyFrom}) is a live key, and live calls move real money.`,
      "add --live if you mean it, or use a sandbox key (svc_test_…)",
      2
    )
  }
  yield* confirmLive
  return client
})

const opensLive = ({ key }: Account): boolean => Redacted.value(key).startsWith("svc_live_")

/** A person types the word; a program says `--yes`. */
export const confirmLive = Effect.gen(function* () {
  if (yield* yes) return
  const { canPrompt } = yield* TerminalCapabilities.TerminalCapabilities
  const refused = failed("unconfirmed_live", "This changes live data.", "add --yes, or type live in a terminal", 2)
  if ((yield* json) || !canPrompt) return yield* refused
  yield* Console.error("coffer: This is live: real money moves. Type live to continue:")
  const terminal = yield* Terminal.Terminal
  const typed = yield* Effect.catchTags(terminal.readLine, { QuitError: () => refused })
  if (typed.trim() !== "live") return yield* refused
})

const nextOfAccount = "set them again: --key or COFFER_KEY, --base-url or COFFER_BASE_URL"
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The platform's code, such as `ECONNREFUSED`, which the SDK's message has. */
const causeOf = ({ message }: Error): string => {
  const [, code] = /\(([A-Z_]{3,40})/.exec(message) ?? []
  return code === undefined ? "" : ` (${code})`
}

/** A failure of the SDK, in the terms of the command. */
const failureOf = (error: unknown, { baseUrl, keyFrom }: Account): CliFailure => {
  if (error instanceof ConnectionError || error instanceof TimeoutError) {
    return new CliFailure({
      code: error.code,
      message: `No response from ${baseUrl}${causeOf(error)}.`,
      next: "start the service (npm start), or set its URL: --base-url or COFFER_BASE_URL",
      exitCode: 1,
      isPassing: true
    })
  }
  if (error instanceof ApiError) {
    return new CliFailure({
      code: error.code,
      message: `The service rejected the request. ${error.message}`,
      next: nextOf(error, keyFrom),
      exitCode: 1,
      isPassing: error.status >= 500 || error.status === 429,
      ...(error.param === undefined ? {} : { param: error.param })
    })
  }
  if (error instanceof CofferError || error instanceof TypeError) {
    return failed("invalid_call", error.message, "correct the arguments: the same command with --help lists them", 2)
  }
  return failed("unexpected", messageOf(error), "run it again, and report it to the operator if it continues")
}

const nextOf = ({ code, param, requestId, status }: ApiError, keyFrom: string): string => {
  if (status === 401) return `use a valid key: this one is from ${keyFrom}`
  if (status === 403) return `use a key with this permission: this one is from ${keyFrom}`
  if (code === "unexpected_answer" || code === "route_not_found") return "check --base-url: it ends with /v1"
  if (status === 404) return "check the number, and that the key belongs to the right environment (sandbox or live)"
  if (status === 429) return "wait a moment, then run the same command again"
  if (param !== undefined) return `correct ${param}: the same command with --help lists the arguments`
  return requestId === undefined
    ? "run the same command again, and tell the operator if it continues"
    : `coffer logs list --request-id ${requestId} shows the call`
}
