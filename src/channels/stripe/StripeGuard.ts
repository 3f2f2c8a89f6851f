/**
 * The failures of calls to Stripe, and the guard of all calls: metrics, the account's rate limit, and circuit breakers:
 * for an account whose own calls fail, and for a whole mode while calls of several merchants fail. One merchant never
 * blocks the others, and sandboxes never block live. A failure of the operator's proxy says nothing about Stripe or an
 * account, and has a breaker of its own.
 */
import https from "node:https"
import type { Account } from "@coffer/model/Account"
import { Mode } from "@coffer/model/Ids"
import { beginningOf } from "@coffer/model/Text"
import { Context, Duration, Effect, Exit, Metric, Option, Redacted, Result, Schema } from "effect"
import { CircuitBreaker } from "effect/persistence"
import type { Stripe } from "stripe"
import { ChannelUnreachable } from "../../shared/channel/payments.ts"
import { CurrentDeadline } from "../../platform/runtime/Deadline.ts"
import { type Budget, type Crowded, Pace } from "./Pace.ts"

// Stripe's own client is loaded with the first call: it is a seventh of all modules, and most installations begin
// without an account at Stripe.
let loaded: typeof Stripe | undefined

export const loadStripe: Effect.Effect<typeof Stripe> = Effect.suspend(() =>
  loaded !== undefined
    ? Effect.succeed(loaded)
    : Effect.promise(() => import("stripe").then(({ Stripe: library }) => (loaded = library)))
)

// The operator's proxy (`STRIPE_PROXY`, silences: S34) ------------------------------
// Node's own agent opens a tunnel by CONNECT and speaks TLS with Stripe through it. Tunnels are kept for the next call,
// as connections without a proxy are.

/** The limits for connecting to the proxy, and for opening a tunnel. */
const tunnelMillis = 5_000

/** The proxy opened no connection, so nothing was sent. `message` holds no secret. */
export class NoTunnel extends Error {}

/** `proxy` as the settings have checked it: `http://user:pass@host:port`. */
export const makeTunnelAgent = (proxy: Redacted.Redacted): https.Agent =>
  new TunnelAgent({ keepAlive: true, proxyEnv: { HTTPS_PROXY: Redacted.value(proxy) } })

type Made = (error: Error | null, socket?: any) => void

class TunnelAgent extends https.Agent {
  override createConnection(options: https.RequestOptions, made?: Made) {
    // The connection needs a limit of its own: otherwise a proxy that never answers would hang. Once it is made, the
    // limits of the call hold.
    const limited = { ...options, timeout: tunnelMillis }
    return super.createConnection(limited, (error: Error | null, socket?: any) =>
      made?.(error == null ? error : new NoTunnel(tunnelProblem(error)), socket)
    )
  }
}

const tunnelProblem = (error: NodeJS.ErrnoException & { readonly statusCode?: number }): string => {
  if (error.statusCode !== undefined) return `it answered CONNECT with ${error.statusCode}`
  // The message of another failure of a tunnel is a sentence of Node's without addresses.
  return error.code === "ERR_PROXY_TUNNEL" ? error.message : (error.code ?? error.name)
}

// Failures, by their effect ------------------------------------------
// `ChannelUnreachable`: the call certainly did nothing. `StripeSilent`: its outcome is unknown. `StripeRefused`: Stripe
// refused, and did nothing.

export class StripeSilent extends Schema.TaggedError<StripeSilent>()("StripeSilent", {
  /** Stripe answered with a failure of its own, which it may repeat for this idempotency key for a day. */
  wasAnswered: Schema.Boolean
}) {}

export class StripeRefused extends Schema.TaggedError<StripeRefused>()("StripeRefused", {
  code: Schema.String,
  message: Schema.String
}) {}

/**
 * Temporary refusals: the operator's balance at Stripe is too low, or the key currently belongs to an account without
 * the object.
 */
const passing: ReadonlySet<string> = new Set(["balance_insufficient", "insufficient_funds", "resource_missing"])

/** Whether the refusal is final. */
export const isForGood = ({ code }: StripeRefused): boolean => !passing.has(code)

/** Stripe's message for people, cut to our limit. */
export const reasonOf = ({ message }: Pick<StripeRefused, "message">): string => beginningOf(message, reasonMax)
const reasonMax = 500

/** A temporary refusal, or a refused read: nothing was done, and the call may be retried. */
export const refuseForNow = (refused: StripeRefused): ChannelUnreachable =>
  new ChannelUnreachable({ because: "refused", channelWords: reasonOf(refused) })

export type StripeFailure = ChannelUnreachable | StripeSilent | StripeRefused

/** The outcome of a call in metrics. `refused`: Stripe answers with a refusal. `proxy`: see `STRIPE_PROXY`. */
export type Verdict = "refused" | "credentials" | "rate_limited" | "crowded" | "unreached" | "silent" | "proxy"

export interface Judged {
  readonly verdict: Verdict
  readonly failure: StripeFailure
  /** How the operator's proxy failed. */
  readonly detail?: string
  /** With `rate_limited`. */
  readonly limit?: RateLimit
}

/** The limit of Stripe that a call has hit. `isOfAll`: it applies to other calls of the account as well. */
export interface RateLimit {
  readonly reason: string
  readonly isOfAll: boolean
  readonly retryAfterMillis: number | undefined
}

/** The connection was never opened. */
const neverConnected: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ENETUNREACH"])

export const judge = (error: unknown): Judged => {
  const errors = loaded?.errors
  if (errors === undefined || !(error instanceof errors.StripeError)) return silent(false)
  const { code = "", detail, message, statusCode } = error
  if (error instanceof errors.StripeConnectionError) {
    if (detail instanceof NoTunnel) return ofProxy(detail.message)
    const cause = typeof detail === "object" && "code" in detail ? String(detail.code) : ""
    return neverConnected.has(cause) ? { verdict: "unreached", failure: new ChannelUnreachable() } : silent(false)
  }
  // An earlier call had this key and other parameters (another PUBLIC_URL or version). Its outcome is unknown.
  if (error instanceof errors.StripeIdempotencyError) return { ...silent(true), verdict: "refused" }
  if (statusCode === undefined || statusCode >= 500) return silent(true)
  if (statusCode === 401 || statusCode === 403)
    return { verdict: "credentials", failure: new ChannelUnreachable({ because: "key" }) }
  if (statusCode === 429) {
    return {
      verdict: "rate_limited",
      failure: new ChannelUnreachable({ because: "crowded" }),
      limit: rateLimitOf(error)
    }
  }
  // A call with the same idempotency key is still being carried out.
  if (statusCode === 409) return { ...silent(false), verdict: "refused" }
  return { verdict: "refused", failure: new StripeRefused({ code, message }) }
}

/** The operator's proxy opened no connection to Stripe, so nothing was sent. */
export const ofProxy = (detail: string): Judged => ({ verdict: "proxy", failure: new ChannelUnreachable(), detail })

const silent = (wasAnswered: boolean): Judged => ({ verdict: "silent", failure: new StripeSilent({ wasAnswered }) })

/** Stripe names the limit, and seldom its duration. `lock_timeout`: another call has locked the object. */
const rateLimitOf = ({ code = "", headers = {} }: Stripe.errors.StripeError): RateLimit => {
  const reason = headers["stripe-rate-limited-reason"] ?? code
  const seconds = Number(headers["retry-after"] ?? Number.NaN)
  return {
    reason: reason.slice(0, reasonMax),
    isOfAll: !/^(endpoint-|resource-specific|lock_timeout)/.test(reason),
    retryAfterMillis: seconds > 0 ? Math.min(seconds, retryAfterMax) * 1_000 : undefined
  }
}
const retryAfterMax = 60

/**
 * `calls`: after this many unanswered calls in a row, the next calls of an account fail at once. `merchants`: all calls
 * of a mode do after unanswered calls of this many merchants, without an answer to any since the first. `answerMillis`:
 * how long a call may take; the client retries a cut connection once. `pauseMillis`: the backoff of a rate-limited
 * call, doubled each time. Tests of many failures set other values.
 */
export const Patience = Context.Reference("@coffer/stripe/Patience", {
  defaultValue: () => ({ calls: 5, merchants: 3, answerMillis: 7_000, pauseMillis: 500 })
})
const downFor = "10 seconds"
/** How often a rate-limited call is retried. A worker's row is leased again later anyway. */
const againMax = { request: 5, worker: 2 }

const calls = Metric.counter("coffer_stripe_calls_total", {
  description:
    "Calls to Stripe's API, by mode and outcome; circuit_open: not made, because Stripe or the proxy was down",
  incremental: true
})
const down = Metric.gauge("coffer_stripe_down", {
  description: "1 while calls to Stripe fail at once, because the last ones had no answer"
})
const proxyDown = Metric.gauge("coffer_stripe_proxy_down", {
  description: "1 while STRIPE_PROXY opens no connection to Stripe"
})
const failed = ["refused", "credentials", "rate_limited", "crowded", "unreached", "silent", "proxy"] as const
const outcomes = ["answered", ...failed, "circuit_open"] as const
const count = (mode: Mode, outcome: (typeof outcomes)[number], by = 1) =>
  Metric.update(Metric.withAttributes(calls, { mode, outcome }), by)
const setDown = (mode: Mode, value: 0 | 1) => Metric.update(Metric.withAttributes(down, { mode }), value)

const isDown = (mode: Mode) =>
  Effect.andThen(
    Effect.andThen(setDown(mode, 1), count(mode, "circuit_open")),
    Effect.fail<Judged>({ verdict: "unreached", failure: new ChannelUnreachable() })
  )

export const breakers = CircuitBreaker.layerStoreMemory()

const breakerAfter = (failures: number) =>
  CircuitBreaker.make({ tripPolicy: CircuitBreaker.consecutive(failures), openDuration: downFor })

export const makeStripeGuard = Effect.gen(function* () {
  const patience = yield* Patience
  const pace = yield* Pace
  const ofAccount = yield* breakerAfter(patience.calls)
  const ofAll = yield* breakerAfter(patience.merchants)
  const throughProxy = yield* breakerAfter(patience.calls)
  for (const mode of Mode.literals) {
    yield* Effect.forEach(outcomes, (outcome) => count(mode, outcome, 0))
    yield* setDown(mode, 0)
  }
  yield* Metric.update(proxyDown, 0)

  /** By mode: merchants with an unanswered call since the last answer to any merchant. Each counts once. */
  const failingIn = { live: new Set<string>(), sandbox: new Set<string>() }
  const ofEach =
    ({ merchantId, mode }: Account) =>
    <A>(exit: Exit.Exit<A, Judged>): CircuitBreaker.Outcome => {
      const failing = failingIn[mode]
      const outcome = outcomeOf(exit)
      if (outcome._tag === "Success") failing.clear()
      if (outcome._tag !== "Failure") return outcome
      if (failing.has(merchantId)) return CircuitBreaker.ignored
      failing.add(merchantId)
      return outcome
    }

  const inTurn = (budget: Budget, until: number, isAgain: boolean) =>
    Effect.catchTags(pace.enter(budget, until, isAgain), { Crowded: (crowded) => Effect.fail(judgeCrowded(crowded)) })

  /** One call, unless a breaker is open. */
  const once = <A>(ask: () => Promise<A>, account: Account): Effect.Effect<A, Judged> => {
    const { mode } = account
    const call = Effect.tryPromise({ try: ask, catch: judge }).pipe(
      Effect.tap(count(mode, "answered")),
      Effect.tapError((judged) => Effect.andThen(count(mode, judged.verdict), tell(judged))),
      Effect.onExit((exit) => (outcomeOf(exit)._tag === "Success" ? setDown(mode, 0) : Effect.void)),
      Effect.onExit((exit) => {
        const way = wayOf(exit)._tag
        return way === "Ignored" ? Effect.void : Metric.update(proxyDown, way === "Failure" ? 1 : 0)
      })
    )
    const sent = Effect.catch(throughProxy.execute(call, { key: proxyKey, classify: wayOf }), (error) =>
      "verdict" in error
        ? Effect.fail(error)
        : Effect.andThen(count(mode, "circuit_open"), Effect.fail(ofProxy("it failed before")))
    )
    const guarded = ofAccount.execute(sent, { key: keyOf(account), classify: outcomeOf })
    return Effect.catch(ofAll.execute(guarded, { key: mode, classify: classifyWith(ofEach(account)) }), (error) =>
      "verdict" in error ? Effect.fail(error) : isDown(mode)
    )
  }

  /** Whether the call would fail at once. Then it takes no turn. */
  const isShut = (account: Account) =>
    Effect.map(
      Effect.all([ofAll.state(account.mode), ofAccount.state(keyOf(account)), throughProxy.state(proxyKey)]),
      (states) => states.some(isClosedToCalls)
    ).pipe(Effect.orElseSucceed(() => false))

  /**
   * Made in its turn, and retried if it was rate-limited. No breaker is held in the queue: a half-open breaker lets one
   * call through and blocks the others.
   */
  return Effect.fnUntraced(
    function* <A>(ask: () => Promise<A>, account: Account, budget: Budget): Effect.fn.Return<A, Judged> {
      const until = yield* pace.until(budget)
      const timesMax = Number.isFinite((yield* CurrentDeadline).left()) ? againMax.request : againMax.worker
      for (let times = 0; ; times++) {
        if (!(yield* isShut(account))) {
          yield* Effect.tapError(inTurn(budget, until, times > 0), ({ verdict }) => count(account.mode, verdict))
        }
        const outcome = yield* Effect.result(once(ask, account))
        if (Result.isSuccess(outcome)) return outcome.success
        const { limit } = outcome.failure
        if (limit === undefined) return yield* Effect.fail(outcome.failure)
        const pause = limit.retryAfterMillis ?? patience.pauseMillis * 2 ** times
        if (limit.isOfAll) pace.close(budget, pause)
        if (times === timesMax || pace.millis() + pause >= until) {
          const failure = new ChannelUnreachable({ because: "crowded", retryAfterMillis: pause })
          return yield* Effect.fail<Judged>({ ...outcome.failure, failure })
        }
        if (!limit.isOfAll) yield* pace.wait(pause)
      }
    },
    <A>(made: Effect.Effect<A, Judged>, _: () => Promise<A>, { merchantId, mode }: Account) =>
      Effect.annotateLogs(
        Effect.mapError(made, ({ failure }): StripeFailure => failure),
        { merchant_id: merchantId, mode }
      )
  )
})

const proxyKey = "proxy"
const keyOf = ({ merchantId, mode }: Account) => `${merchantId}/${mode}`

const isClosedToCalls = (state: CircuitBreaker.State): boolean =>
  state._tag === "HalfOpen" ? state.probing : state._tag === "Open" && Duration.toMillis(state.retryAfter) > 0

/** A refusal is an answer. A wrong key or a rate limit says nothing about whether Stripe answers. */
const outcomeOf = <A>(exit: Exit.Exit<A, Judged>): CircuitBreaker.Outcome => {
  if (Exit.isSuccess(exit)) return CircuitBreaker.success
  const error = Option.getOrUndefined(Exit.findErrorOption(exit))
  switch (error?.verdict) {
    case "refused":
    case "credentials":
      return CircuitBreaker.success
    case "silent":
    case "unreached":
      return CircuitBreaker.failure()
    case "rate_limited":
    case "proxy":
    case "crowded":
    case undefined:
      return CircuitBreaker.ignored
  }
}

/** Whether a call reached Stripe. Without a proxy each does. */
const wayOf = <A>(exit: Exit.Exit<A, Judged>): CircuitBreaker.Outcome => {
  if (Exit.isSuccess(exit)) return CircuitBreaker.success
  const error = Option.getOrUndefined(Exit.findErrorOption(exit))
  if (error === undefined) return CircuitBreaker.ignored
  return error.verdict === "proxy" ? CircuitBreaker.failure() : CircuitBreaker.success
}

/** A call that the account's own breaker rejected says nothing about Stripe. */
const classifyWith =
  (judged: <A>(exit: Exit.Exit<A, Judged>) => CircuitBreaker.Outcome) =>
  <A>(exit: Exit.Exit<A, Judged | CircuitBreaker.CircuitBreakerError>): CircuitBreaker.Outcome => {
    if (Exit.isSuccess(exit)) return judged(Exit.succeed(exit.value))
    const error = Option.getOrUndefined(Exit.findErrorOption(exit))
    return error !== undefined && "verdict" in error ? judged(Exit.fail(error)) : CircuitBreaker.ignored
  }

/** Logs how the operator's proxy failed. */
export const tellProxy = ({ detail, verdict }: Judged): Effect.Effect<void> =>
  verdict === "proxy" ? Effect.logError(`STRIPE_PROXY opens no connection to Stripe: ${detail}`) : Effect.void

const judgeCrowded = ({ retryAfterMillis }: Crowded): Judged => ({
  verdict: "crowded",
  failure: new ChannelUnreachable({ because: "crowded", retryAfterMillis })
})

const tell = (judged: Judged): Effect.Effect<void> => {
  const { failure, limit, verdict } = judged
  switch (verdict) {
    case "proxy":
      return tellProxy(judged)
    case "credentials":
      return Effect.logError("Stripe does not accept the key of a merchant")
    case "refused":
      return Effect.logInfo("Stripe refused a call").pipe(
        Effect.annotateLogs(failure._tag === "StripeRefused" ? { code: failure.code } : {})
      )
    case "rate_limited":
      return Effect.annotateLogs(Effect.logWarning("Stripe reports too many calls"), { reason: limit?.reason })
    // Many at once, which the metric counts.
    case "crowded":
      return Effect.void
    case "unreached":
    case "silent":
      return Effect.logWarning(`Stripe did not answer a call: ${verdict}`)
  }
}
