/** A Coffer with one merchant, used by both interfaces: promises (`index.ts`) and Effect. */
import { randomBytes } from "node:crypto"
import { Clock, Context, Duration, Effect, Exit, Layer, Option, Predicate, Schedule, Scope, Semaphore } from "effect"
import { Sharding } from "effect/cluster"
import { nearestName } from "@coffer/model/nearest"
import { holdsShards } from "../../../src/door/edge/Health.ts"
import { onRealTime } from "../../../src/platform/runtime/realTime.ts"
import { currentTime } from "../../../src/platform/runtime/clock.ts"
import * as standardError from "../../../src/platform/runtime/standardError.ts"
import { SignatureTime } from "../../../src/webhooks/deliveries/postDelivery.ts"
import { freePort } from "./freePort.ts"
import { type NewMerchant, newMerchant } from "./newMerchant.ts"
import type { Hooks, HooksOptions, Merchant, Options, Place } from "./options.ts"
import { receiver } from "./Receiver.ts"
import * as Service from "./Service.ts"
import { sharedPostgres } from "./sharedPostgres.ts"
import { StartFailure } from "./StartFailure.ts"

/** Runs for the length of the surrounding scope, by default with the caller's clock. */
export const make = Effect.fnUntraced(function* (options: Options, clock?: Layer.Layer<never>) {
  // `begins` was taken out.
  yield* checkNames(options, Object.keys(optionNames), " and begins")
  yield* checkSettings(options.settings ?? {})
  const stands = clock !== undefined || Predicate.hasProperty(yield* Clock.Clock, "setTime")
  const operatorToken = options.settings?.["OPERATOR_TOKEN"] ?? randomBytes(24).toString("hex")
  const { clone, folder } = yield* mapFailure(sharedPostgres)
  const database = yield* mapFailure(clone)
  const service = yield* onFreePort(options.port, (port) =>
    Service.run({
      database,
      folder,
      port,
      looks: true,
      // Receivers use the machine's clock, which no test moves.
      beneath: Layer.succeed(SignatureTime, onRealTime(currentTime)),
      env: {
        SECRET_KEY: randomBytes(32).toString("base64"),
        OPERATOR_TOKEN: operatorToken,
        // With a stopped clock, workers look for due rows when a test lets time pass.
        WORKER_POLL: stands ? "365 days" : "1 second",
        ...options.settings
      },
      ...(options.log === true ? { logger: standardError.logger } : {}),
      ...(clock === undefined ? {} : { clock })
    })
  )
  yield* ready(Context.get(service.context, Sharding.Sharding))

  const create = (name: string) =>
    Effect.map(
      newMerchant(operatorOf(service.baseUrl, operatorToken), name, { quotas: "raised", seed: options.seed ?? true }),
      merchantOf
    )
  const merchant = yield* create("Test merchant")
  const place: Place = {
    url: service.baseUrl,
    baseUrl: `${service.baseUrl}/v1`,
    key: merchant.sandboxKey,
    merchant,
    operatorToken
  }
  const turn = yield* Semaphore.make(1)
  return {
    place,
    now: service.now,
    atRest: service.settle,
    /** Serialized: two concurrent calls would count the same hours. */
    pass: Effect.fnUntraced(function* (span: Duration.Input) {
      const duration = yield* spanOf(span)
      if (!stands) return yield* Effect.die(new Error(withoutTestClock))
      yield* turn.withPermit(service.pass(duration))
    }),
    leap: (span: Duration.Input) => turn.withPermit(service.leap(span)),
    newMerchant: create,
    /** For the length of the surrounding scope. */
    receiveWebhooks: (hooks: HooksOptions = {}) =>
      Effect.andThen(Effect.orDie(checkNames(hooks, Object.keys(hooksOptionNames))), receive(place, hooks))
  }
})

const withoutTestClock =
  "pass moves Effect's TestClock, and this Coffer goes by real time. Use it.effect, or provide TestClock.layer()."

/** The testkit's own. */
const taken: Readonly<Record<string, string>> = {
  PORT: "Use the option port.",
  COFFER_HOME: "It is a folder that goes when Coffer is stopped.",
  DATABASE_URL: "Its Postgres is the testkit's own.",
  MIGRATION_DATABASE_URL: "Its Postgres is the testkit's own."
}

const optionNames: Readonly<Record<keyof Options, true>> = { port: true, seed: true, settings: true, log: true }

const hooksOptionNames: Readonly<Record<keyof HooksOptions, true>> = { merchant: true, types: true }

/** A misspelt option would silently have no effect. */
const checkNames = (options: object, known: ReadonlyArray<string>, more = "") => {
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown === undefined) return Effect.void
  const nearest = nearestName(unknown, known)
  const hint = nearest === undefined ? `the options are ${known.join(", ")}${more}` : `did you mean ${nearest}?`
  return failed(`${unknown}: unknown option; ${hint}`)
}

const checkSettings = (settings: Readonly<Record<string, unknown>>) =>
  Effect.forEach(Object.entries(settings), ([name, value]) => {
    if (taken[name] !== undefined) return failed(`settings.${name} cannot be set. ${taken[name]}`)
    return typeof value === "string" ? Effect.void : failed(`settings.${name}: expected a string`)
  })

const failed = (message: string) => Effect.fail(new StartFailure({ message }))

const mapFailure = Effect.mapError(({ message }: Service.BuildFailure) => new StartFailure({ message }))

const isInUse = ({ cause }: Service.BuildFailure) => Predicate.hasProperty(cause, "code") && cause.code === "EADDRINUSE"

/** Another process may take a free port first. Then another port is tried. */
const onFreePort = <A>(
  chosen: number | undefined,
  run: (port: number) => Effect.Effect<A, Service.BuildFailure, Scope.Scope>
) =>
  Effect.gen(function* () {
    const scope = yield* Scope.fork(yield* Effect.scope)
    const port = chosen ?? (yield* freePort)
    return yield* run(port).pipe(
      Scope.provide(scope),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
    )
  }).pipe(
    Effect.retry({ while: (failure) => chosen === undefined && isInUse(failure), times: 5 }),
    Effect.mapError((failure) =>
      isInUse(failure)
        ? new StartFailure({ message: `Port ${chosen} is in use. Stop what uses it, or leave out the option port.` })
        : new StartFailure({ message: failure.message })
    )
  )

/** Waits for its shards, since requests would wait for them. */
const ready = (sharding: Sharding.Sharding["Service"]) =>
  Effect.sync(() => holdsShards(sharding)).pipe(
    Effect.repeat({ until: (holds) => holds, schedule: Schedule.spaced("5 millis") }),
    Effect.timeoutOrElse({
      duration: "1 minute",
      orElse: () => failed("Coffer has not become ready within a minute. The option log: true shows what it says.")
    }),
    onRealTime
  )

const merchantOf = ({ liveKey, merchantId, sandboxKey }: NewMerchant): Merchant => ({
  id: merchantId,
  sandboxKey,
  liveKey
})

/** A valid duration. Any other dies, as a bug of the caller. */
const spanOf = (span: Duration.Input) => {
  const read =
    typeof span === "number"
      ? span
      : Option.getOrElse(Option.map(Duration.fromInput(span), Duration.toMillis), () => NaN)
  return Number.isFinite(read) && read >= 0
    ? Effect.succeed(Duration.millis(read))
    : Effect.die(
        new RangeError(`pass: expected a span such as "24 hours", or milliseconds, 0 or more. It was ${String(span)}.`)
      )
}

// ── Calls ──

const operatorOf = (url: string, token: string) => (path: string, body: object) =>
  post(`${url}/operator/v1${path}`, { Authorization: `Bearer ${token}` }, body)

const post = (url: string, headers: Record<string, string>, body: object) =>
  Effect.promise(async () => {
    const answer = await fetch(url, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify(body)
    })
    const { data, message } = (await answer.json()) as { readonly data?: unknown; readonly message: string }
    if (!answer.ok) throw new Error(`POST ${url} was answered ${answer.status}: ${message}`)
    return data
  })

const receive = Effect.fnUntraced(function* ({ baseUrl, merchant: first }: Place, options: HooksOptions) {
  const { merchant = first, types } = options
  const { all, answer, url } = yield* receiver
  const created = yield* post(
    `${baseUrl}/webhook_endpoints`,
    { "X-Api-Key": merchant.sandboxKey },
    { url, ...(types === undefined ? {} : { enabled_events: types }) }
  )
  const { id, secret } = created as { readonly id: string; readonly secret: string }
  const hooks: Hooks = { endpointId: id, url, secret, received: all, answer }
  return hooks
})
