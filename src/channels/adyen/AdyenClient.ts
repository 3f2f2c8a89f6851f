/**
 * Calls to Adyen with a merchant's key (docs/decisions/0279). While an account's calls get no answer, the next fail at
 * once. With NO_OUTBOUND Adyen is not called.
 */
import { Mode } from "@coffer/model/Ids"
import { Context, Effect, Exit, Layer, Metric, Option } from "effect"
import { CircuitBreaker } from "effect/persistence"
import { Merchants } from "../../access/merchants/Merchants.ts"
import { parseJson } from "../../platform/runtime/codecs.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { ChannelUnreachable } from "../../shared/channel/payments.ts"
import { type AdyenAccount, adyenAccountIn, type OneAccount, openKeys } from "./account.ts"
import { addressOf, adyenSettings, type Service } from "./settings.ts"
import { type AdyenFailure, AdyenSilent, type Call, makeSend } from "./wire.ts"

/** Which call, and of which service. `path`: behind the service's address. */
export interface Request extends Pick<Call, "method" | "body" | "idempotencyKey"> {
  readonly service: Service
  readonly path: string
}

/** The keys of an account that is not stored yet. */
export interface TriedKeys {
  readonly mode: Mode
  readonly apiKey: string
  readonly prefix: string | null
}

export class AdyenClient extends Context.Service<
  AdyenClient,
  {
    /** One call with the key of this merchant and environment. Without an account there, Adyen is not reachable. */
    readonly call: <A>(
      account: OneAccount,
      answer: (body: unknown) => Option.Option<A>,
      ask: (own: AdyenAccount) => Request
    ) => Effect.Effect<A, AdyenFailure>
    /** A file of the reports; none if there is no such file. */
    readonly report: (account: OneAccount, name: string) => Effect.Effect<Option.Option<string>, AdyenFailure>
    /** The same for keys that are tried. */
    readonly tried: (keys: TriedKeys, request: Request) => Effect.Effect<string, AdyenFailure>
    /** The account of a merchant that exists, if it has one in this environment. */
    readonly accountOf: (account: OneAccount) => Effect.Effect<AdyenAccount | null>
  }
>()("@coffer/adyen/AdyenClient") {}

/** How long a call may take. Tests of lost answers set less. */
export const AnswerMillis = Context.Reference("@coffer/adyen/AnswerMillis", { defaultValue: () => 7_000 })

/** After so many unanswered calls in a row the account's next calls fail at once, for so long. */
const unansweredMax = 5
const downFor = "10 seconds"

const outcomes = ["answered", "refused", "unreached", "silent"] as const
const calls = Metric.counter("coffer_adyen_calls_total", {
  description: "Calls to Adyen's API, by mode and outcome; unreached: certainly without effect",
  incremental: true
})
const count = (mode: Mode, outcome: (typeof outcomes)[number], by = 1) =>
  Metric.update(Metric.withAttributes(calls, { mode, outcome }), by)

const failureIn = <A>(exit: Exit.Exit<A, AdyenFailure>): AdyenFailure | undefined =>
  Exit.isSuccess(exit) ? undefined : Option.getOrUndefined(Exit.findErrorOption(exit))

const outcomeOf = <A>(exit: Exit.Exit<A, AdyenFailure>): (typeof outcomes)[number] => {
  if (Exit.isSuccess(exit)) return "answered"
  const tag = failureIn(exit)?._tag
  return tag === "AdyenRefused" ? "refused" : tag === "ChannelUnreachable" ? "unreached" : "silent"
}

/** A refused key or a limit says nothing about whether Adyen answers. */
const classify = <A>(exit: Exit.Exit<A, AdyenFailure>): CircuitBreaker.Outcome => {
  const failure = failureIn(exit)
  if (failure?._tag === "ChannelUnreachable" && failure.because !== undefined) return CircuitBreaker.ignored
  const outcome = outcomeOf(exit)
  return outcome === "answered" || outcome === "refused" ? CircuitBreaker.success : CircuitBreaker.failure()
}

/** The decoded answer; an answer that is not what it should be leaves the outcome unknown. */
export const answerOf =
  <A>(decode: (body: unknown) => Option.Option<A>) =>
  (text: string): Effect.Effect<A, AdyenSilent> =>
    Option.match(Option.flatMap(parseJson(text), decode), {
      onNone: () => Effect.fail(new AdyenSilent()),
      onSome: (answer) => Effect.succeed(answer)
    })

export const layer = Layer.effect(
  AdyenClient,
  Effect.gen(function* () {
    const merchants = yield* Merchants
    const secrets = yield* Secrets
    const faults = yield* Faults
    const settings = yield* Settings
    const own = settings.of(adyenSettings)
    const { close, send } = makeSend(yield* AnswerMillis)
    yield* Effect.addFinalizer(() => close)
    const breaker = yield* CircuitBreaker.make({
      tripPolicy: CircuitBreaker.consecutive(unansweredMax),
      openDuration: downFor
    })
    for (const mode of Mode.literals) yield* Effect.forEach(outcomes, (outcome) => count(mode, outcome, 0))

    const accountOf = ({ merchantId, mode }: OneAccount) =>
      Effect.match(merchants.find(merchantId), {
        onFailure: () => null,
        onSuccess: ({ modes }) => adyenAccountIn(modes[mode].channel_accounts)
      })

    const tried = ({ apiKey, mode, prefix }: TriedKeys, { path, service, ...asked }: Request) =>
      settings.noOutbound
        ? Effect.fail(new ChannelUnreachable({ because: "closed" }))
        : Effect.onExit(send({ ...asked, apiKey, url: addressOf(own, service, { mode, prefix }) + path }), (exit) =>
            Effect.andThen(count(mode, outcomeOf(exit)), tell(exit))
          )

    const ask = Effect.fnUntraced(function* (account: OneAccount, make: (own: AdyenAccount) => Request) {
      const stored = yield* accountOf(account)
      if (stored === null) return yield* new ChannelUnreachable()
      const { apiKey } = openKeys(secrets, account, stored)
      const request = make(stored)
      const sent = tried({ mode: account.mode, apiKey, prefix: stored.prefix }, request)
      const guarded = Effect.catch(
        breaker.execute(sent, { key: `${account.merchantId}/${account.mode}`, classify }),
        (error) => Effect.fail("_tag" in error && isFailure(error) ? error : new ChannelUnreachable())
      )
      return yield* faults.around("AdyenClient.call", guarded, () => `${request.method} ${request.path}`)
    })

    return AdyenClient.of({
      call: (account, decode, make) => Effect.flatMap(ask(account, make), answerOf(decode)),
      report: (account, name) =>
        Effect.catchIf(
          Effect.map(
            ask(account, (stored) => ({
              service: "reports",
              method: "GET",
              path: `/${encodeURIComponent(stored.account)}/${encodeURIComponent(name)}`
            })),
            Option.some
          ),
          (failure: AdyenFailure) => failure._tag === "AdyenRefused" && failure.status === 404,
          () => Effect.succeedNone
        ),
      tried,
      accountOf
    })
  })
).pipe(Layer.provide(CircuitBreaker.layerStoreMemory()))

const failures: ReadonlySet<string> = new Set<AdyenFailure["_tag"]>([
  "ChannelUnreachable",
  "AdyenSilent",
  "AdyenRefused"
])
const isFailure = (error: { readonly _tag: string }): error is AdyenFailure => failures.has(error._tag)

const tell = (exit: Exit.Exit<unknown, AdyenFailure>): Effect.Effect<void> => {
  const failure = failureIn(exit)
  switch (failure?._tag) {
    case undefined:
      return Effect.void
    case "AdyenSilent":
      return Effect.logWarning("Adyen did not answer a call")
    case "AdyenRefused":
      // A report that is not there yet.
      if (failure.status === 404) return Effect.void
      return Effect.annotateLogs(Effect.logInfo("Adyen refused a call"), { code: failure.code })
    case "ChannelUnreachable":
      return failure.because === "key"
        ? Effect.logError("Adyen does not accept the key of a merchant")
        : Effect.logWarning("Adyen was not reached")
  }
}

/** For a read: without an answer nothing was done, and a refusal says no more (the key may be of another account). */
export const readOnly = <A>(question: Effect.Effect<A, AdyenFailure>): Effect.Effect<A, ChannelUnreachable> =>
  Effect.catchTags(question, {
    AdyenSilent: () => Effect.fail(new ChannelUnreachable()),
    AdyenRefused: ({ message }) => Effect.fail(new ChannelUnreachable({ because: "refused", channelWords: message }))
  })
