/**
 * `Idempotency-Key` on every POST and DELETE (silences: I1 to I6, I9). The first request claims the key and runs, or
 * commits its claim with its single change. Its 2xx answer is stored, usually in the transaction of the change. A
 * repeated request gets the stored answer. Model: models/claim.pml.
 */
import { Caller, Idempotency } from "@coffer/contract/Caller"
import * as Wire from "@coffer/contract/Errors"
import { isIdempotencyKey } from "./judge.ts"
import { Cause, Context, Duration, Effect, Exit, identity, Layer, Option, Schema, type Scope } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { CurrentClaim, type HeldClaim } from "./Answering.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import { type IdempotencyClaim, isKeyTaken } from "./IdempotencyClaim.ts"
import {
  type Answer,
  IdempotencyKeys,
  type Keyed,
  type Met,
  parsedBody,
  StillRunning as NotEnded
} from "./IdempotencyKeys.ts"
import { memoize } from "@coffer/model/memoize"
import { CurrentRecord, type RequestRecord } from "../http/CurrentRequest.ts"
import { unavailable } from "../http/refusals.ts"
import { idempotencyRefusals } from "./idempotencyRefusals.ts"
import { refuseWith, reply } from "../http/replies.ts"
import { withoutDeadline } from "../../platform/runtime/Deadline.ts"
import { elapsedMillis } from "../../platform/runtime/realTime.ts"

/** A request that has taken longer is answered before the answer is stored: two commits may have waited already. */
const finishWithinMillis = 5_000

/**
 * Operations with a single commit of the Transactor, and no visible effect before it: no outside call, no other write.
 * Their key's row goes into that commit (docs/decisions/0004). All others claim the key before.
 */
const singleCommitRoutes: ReadonlySet<string> = new Set([
  "POST /v1/orders",
  "POST /v1/orders/:ref",
  "POST /v1/orders/:ref/send_receipt",
  "POST /v1/refunds/:ref",
  "POST /v1/payment_links",
  "POST /v1/payment_links/:link_id",
  "POST /v1/webhook_endpoints",
  "POST /v1/webhook_endpoints/:endpoint_id",
  "DELETE /v1/webhook_endpoints/:endpoint_id",
  "POST /v1/webhook_endpoints/:endpoint_id/rotate_secret",
  "POST /v1/webhook_signing_secret/rotate",
  "POST /v1/webhook_endpoints/:endpoint_id/end_previous_secrets",
  "POST /v1/webhook_signing_secret/end_previous",
  "POST /v1/webhook_deliveries/:delivery_id/resend"
])
export const isSingleCommit = (route: string): boolean => singleCommitRoutes.has(route)

const { OtherContent, StillRunning } = idempotencyRefusals

type Response = HttpServerResponse.HttpServerResponse
type Handled<E, R> = Effect.Effect<Response, E, R>

export const layer = Layer.effect(
  Idempotency,
  Effect.gen(function* () {
    const services: Services = { keys: yield* IdempotencyKeys, faults: yield* Faults, scope: yield* Effect.scope }
    const claimedBefore = makeClaimedBefore(services)
    const claimedAlong = makeClaimedAlong(services, claimedBefore)

    return Idempotency.of((httpEffect, { endpoint }) =>
      Effect.withFiber((fiber) => {
        const record = fiber.getRef(CurrentRecord)
        const { method, path, sent, text } = record
        const key = sent["idempotency-key"]
        if (key === undefined || (method !== "POST" && method !== "DELETE")) return httpEffect
        if (!isIdempotencyKey(key)) return badKey
        const begun = elapsedMillis()
        const { merchantId, mode } = Context.getUnsafe(fiber.context, Caller)
        const claimed = isSingleCommit(`${endpoint.method} ${endpoint.path}`) ? claimedAlong : claimedBefore
        return Effect.flatMap(text, (body) => {
          const json = parsedBody(body)
          record.json = json
          const request = { merchantId, mode, method, path, key, body, json, meant: dropAbsentNulls(endpoint) }
          return claimed(request, begun, httpEffect)
        })
      })
    )
  })
)

interface Services {
  readonly keys: IdempotencyKeys["Service"]
  readonly faults: Faults["Service"]
  readonly scope: Scope.Scope
}

const badKey = refuseWith(
  (request_id) =>
    new Wire.InvalidRequest({
      message: "Idempotency-Key: must be 1 to 255 printable ASCII characters, such as a UUID.",
      param: "Idempotency-Key",
      request_id
    })
)

// Claimed before -------------------------------------------------------------------
// The claim's row is written before the request runs, so that no other runner runs it meanwhile.

const makeClaimedBefore = ({ faults, keys, scope }: Services) => {
  const { NotCommitted } = unavailable

  /** Stores the answer or frees the key before the caller gets the answer, so that a retry gets the same one. */
  const finish = (held: HeldClaim, begun: number, exit: Exit.Exit<Response, unknown>) =>
    Effect.gen(function* () {
      const finishing = keys.finish({ ...held }, answerToKeep(exit, yield* CurrentRecord))
      // A request that is late already does not wait for this write.
      const isLate = isBusy(exit) || hasTakenLong(begun)
      yield* isLate ? Effect.forkIn(withoutDeadline(finishing), scope) : finishing
    })

  return <E, R>(request: Keyed, begun: number, handled: Handled<E, R>) =>
    // Uninterruptible, so that a client that hangs up leaves no claim behind: a claim that is written is ended.
    Effect.uninterruptibleMask(
      Effect.fnUntraced(function* (restore) {
        const claimed = yield* keys.claim(request).pipe(Effect.catchTags({ NotCommitted, OtherContent, StillRunning }))
        if (claimed._tag === "Replay") return yield* replay(claimed)
        const held: HeldClaim = { claim: claimed.claim, isAnswered: false }
        return yield* restore(faults.around("Idempotency.run", handled)).pipe(
          Effect.provideService(CurrentClaim, held),
          Effect.onExit((exit) => faults.around("Idempotency.finish", finish(held, begun, exit)))
        )
      })
    )
}

// Claimed along --------------------------------------------------------------------
// The request's single commit inserts the claim's row, with the answer. Any other outcome is returned only after a look
// at the row: the request may be a repeat, which gets the first answer.

const makeClaimedAlong = (services: Services, claimedBefore: ReturnType<typeof makeClaimedBefore>) => {
  const { faults, keys } = services
  const isKept = makeIsKept(services)

  return <E, R>(request: Keyed, begun: number, handled: Handled<E, R>) => {
    const alongWith = (claim: IdempotencyClaim, record: RequestRecord) => {
      const before = { headers: record.headers, reason: record.reason }
      const held: HeldClaim = { claim, isAnswered: false }
      const look = keys.look(claim, request).pipe(Effect.catchTags({ OtherContent, StillRunning }))
      const asMet = <E2, R2>(met: Option.Option<Met>, otherwise: Handled<E2, R2>) => {
        if (Option.isNone(met)) return otherwise
        if (met.value._tag === "Free") return claimedBefore(request, begun, handled)
        keys.remember(claim.id)
        return replay(met.value)
      }

      const decide = Effect.fnUntraced(function* (exit: Exit.Exit<Response, E>) {
        const answer = answerToKeep(exit, record)
        if (answer !== undefined && (yield* isKept(claim, answer, begun))) return yield* exit
        // The headers and the reason belong to an answer that must not be sent.
        const own = { headers: record.headers, reason: record.reason }
        Object.assign(record, before)
        const met = yield* look
        if (answer !== undefined || isAboutKey(exit)) return yield* asMet(met, StillRunning(gone))
        if (Option.isNone(met)) Object.assign(record, own)
        return yield* asMet(met, exit)
      })

      const ended = (exit: Exit.Exit<Response, E>) => {
        if (held.isAnswered) keys.remember(claim.id)
        return held.isAnswered || isUnknown(exit) ? exit : decide(exit)
      }

      const running = Effect.provideService(faults.around("Idempotency.run", handled), CurrentClaim, held)
      const run = Effect.flatMap(Effect.exit(running), (exit) => faults.around("Idempotency.finish", ended(exit)))
      return keys.isRemembered(claim.id) ? Effect.flatMap(look, (met) => asMet(met, run)) : run
    }
    return Effect.withFiber((fiber) =>
      Effect.flatMap(keys.begin(request), (claim) => alongWith(claim, fiber.getRef(CurrentRecord)))
    )
  }
}

/** Stores an answer that no commit has stored. A request that is late already does not wait for this write. */
const makeIsKept =
  ({ keys, scope }: Services) =>
  (claim: IdempotencyClaim, answer: Answer, begun: number): Effect.Effect<boolean> => {
    const keeping = keys.keep(claim, answer)
    return hasTakenLong(begun) ? Effect.as(Effect.forkIn(withoutDeadline(keeping), scope), true) : keeping
  }

/** The key was taken, and its row has expired. */
const gone = new NotEnded({ lasts: Duration.zero })

/** The caller has to retry, or has left. */
const isUnknown = (exit: Exit.Exit<unknown, unknown>): boolean =>
  isBusy(exit) || (Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause))

const isAboutKey = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && isKeyTaken(Cause.squash(exit.cause))

// The end of both ------------------------------------------------------------------

const replay = ({ data, status }: Answer) =>
  Effect.map(reply(data, status), (again) => HttpServerResponse.setHeader(again, "idempotent-replayed", "true"))

/** Only a 2xx answer is kept (silences: I1). */
const answerToKeep = (exit: Exit.Exit<Response, unknown>, { answer }: RequestRecord): Answer | undefined =>
  Exit.isSuccess(exit) && exit.value.status < 300 && answer !== undefined
    ? { status: exit.value.status, data: answer.data }
    : undefined

const hasTakenLong = (begun: number): boolean => elapsedMillis() - begun > finishWithinMillis

const isBusy = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) && Cause.squash(exit.cause) instanceof Wire.Unavailable

// The meaning of a body ------------------------------------------------------------
// A null that says no more than an absent field is left out, so that both are the same request (silences: G18).

/** More than there are endpoints. */
const endpointsMax = 1_000

/**
 * Decodes the body: a null that the decoded body lacks means "absent", and is dropped from the fingerprint. A body that
 * the endpoint refuses stays as it is.
 */
const dropAbsentNulls = memoize(endpointsMax, identity<HttpApiEndpoint.Top>, ({ payload }) => {
  const [content] = payload.values()
  if (content === undefined) return identity<unknown>
  const decode = Schema.decodeUnknownEffect(
    Schema.Union(content.schemas) as Schema.Top as Schema.Codec<unknown, unknown>
  )
  return (json: unknown): unknown =>
    hasNull(json)
      ? Option.match(decodeNow(decode(json)), { onNone: () => json, onSome: (decoded) => without(json, decoded) })
      : json
})

const decodeNow = (decoded: Effect.Effect<unknown, Schema.SchemaError>) => Effect.runSync(Effect.option(decoded))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const hasNull = (value: unknown): boolean => value === null || (isObject(value) && Object.values(value).some(hasNull))

const without = (json: unknown, decoded: unknown): unknown => {
  if (!isObject(json) || !isObject(decoded)) return json
  if (Array.isArray(json))
    return json.map((each, index) => without(each, (decoded as unknown as Array<unknown>)[index]))
  const kept = Object.entries(json).filter(([name, value]) => value !== null || Object.hasOwn(decoded, name))
  return Object.fromEntries(kept.map(([name, value]) => [name, without(value, decoded[name])]))
}
