/** Calls of the merchant API for a command: by the SDK, with its failures in words for a person. */
import { ApiError, Coffer, CofferError, ConnectionError, TimeoutError } from "../../sdk/src/index.ts"
import { DateTime, Effect, Redacted } from "effect"
import { type Account, accountOf, merchantDoor } from "./account.ts"
import { CliFailure, failed } from "./CliFailure.ts"
import { baseUrl, key } from "./frame.ts"

export interface Client {
  readonly account: Account
  readonly coffer: Coffer
  /** One call. `signal` ends it when the command ends. */
  readonly ask: <A>(call: (coffer: Coffer, signal: AbortSignal) => PromiseLike<A>) => Effect.Effect<A, CliFailure>
  readonly isSandbox: boolean
  /** The time of the account. For a sandbox its clock is asked. */
  readonly now: Effect.Effect<DateTime.Utc, CliFailure>
}

/** `maxRetries`: how many tries the SDK makes after the first, by itself. */
export const connect = Effect.fnUntraced(function* (maxRetries = 2) {
  const account = yield* accountOf({ key: yield* key, baseUrl: yield* baseUrl }, merchantDoor)
  const coffer = yield* Effect.try({
    try: () => new Coffer({ apiKey: Redacted.value(account.key), baseUrl: account.baseUrl, maxRetries }),
    catch: (error) =>
      failed(
        "bad_account",
        `The key (from ${account.keyFrom}) or the address cannot be right. ${messageOf(error)}`,
        nextOfAccount,
        2
      )
  })
  const ask: Client["ask"] = (call) =>
    Effect.tryPromise({
      try: (signal) => Promise.resolve(call(coffer, signal)),
      catch: (error) => failureOf(error, account)
    })
  const isSandbox = Redacted.value(account.key).startsWith("svc_test_")
  const sandboxNow = Effect.map(
    ask(({ testHelpers }) => testHelpers.clock.get()),
    ({ now }) => DateTime.makeUnsafe(now)
  )
  const client: Client = { account, coffer, ask, isSandbox, now: isSandbox ? sandboxNow : DateTime.now }
  return client
})

const nextOfAccount = "give them again: --key or COFFER_KEY, --base-url or COFFER_BASE_URL"
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** A failure of the SDK, in the terms of the person who typed the command. */
const failureOf = (error: unknown, { baseUrl, keyFrom }: Account): CliFailure => {
  if (error instanceof ConnectionError || error instanceof TimeoutError) {
    return new CliFailure({
      code: error.code,
      message: `Nothing answers at ${baseUrl}.`,
      next: "start the service (npm start), or say where it is: --base-url, or COFFER_BASE_URL",
      exitCode: 1,
      isPassing: true
    })
  }
  if (error instanceof ApiError) {
    return new CliFailure({
      code: error.code,
      message: `The service refused it. ${error.message}`,
      next: nextOf(error, keyFrom),
      exitCode: 1,
      isPassing: error.status >= 500 || error.status === 429,
      ...(error.param === undefined ? {} : { param: error.param })
    })
  }
  if (error instanceof CofferError || error instanceof TypeError) {
    return failed("invalid_call", error.message, "mend it; --help shows what the command takes", 2)
  }
  return failed("unexpected", messageOf(error), "try again; report it if it stays")
}

const nextOf = ({ code, param, requestId, status }: ApiError, keyFrom: string): string => {
  if (status === 401) return `give a key that is valid: this one came from ${keyFrom}`
  if (status === 403) return `use a key that may do this: this one came from ${keyFrom}`
  if (code === "unexpected_answer" || code === "route_not_found") return "check --base-url: it ends with /v1"
  if (status === 404) return "check the number, and that the key is of the environment (sandbox or live) that has it"
  if (status === 429) return "wait a moment and try again"
  if (param !== undefined) return `mend ${param}; --help shows what the command takes`
  return requestId === undefined ? "try again" : `coffer logs list --request-id ${requestId} shows the call`
}
