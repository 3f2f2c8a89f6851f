/**
 * `Idempotency-Key` on every POST and DELETE (silences: I1 to I6). The first request claims the key and runs. Its 2xx
 * answer is stored, usually in the transaction of the change itself. The same request again gets the stored answer.
 */
import { Caller, Idempotency } from "@coffer/contract/Caller"
import * as Wire from "@coffer/contract/Errors"
import { isIdempotencyKey } from "@coffer/rules/idempotency/claim"
import { Cause, Effect, Exit, identity, Layer, Option, Ref, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { type ClaimState, CurrentClaim, type HeldClaim } from "../idempotency/Answering.ts"
import { Faults } from "../platform/runtime/Faults.ts"
import { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import { memoize } from "../platform/runtime/memoize.ts"
import { CurrentRecord } from "../http/CurrentRequest.ts"
import { unavailable } from "../http/refusals.ts"
import { idempotencyRefusals } from "../idempotency/idempotencyRefusals.ts"
import { refuseWith, reply } from "../http/replies.ts"
import { withoutDeadline } from "../platform/runtime/Deadline.ts"
import { elapsedMillis } from "../platform/runtime/realTime.ts"

/** A request that has taken longer gets its answer before that is stored: two commits may have waited already. */
const finishWithinMillis = 5_000

export const layer = Layer.effect(
  Idempotency,
  Effect.gen(function* () {
    const keys = yield* IdempotencyKeys
    const faults = yield* Faults
    const scope = yield* Effect.scope
    const { NotCommitted } = unavailable
    const { OtherContent, StillRunning } = idempotencyRefusals

    /** Stores the answer or frees the key before the caller gets the answer, so that a retry gets the same one. */
    const finish = (held: HeldClaim, begun: number, exit: Exit.Exit<HttpServerResponse.HttpServerResponse, unknown>) =>
      Effect.gen(function* () {
        const { answer } = yield* CurrentRecord
        const claim = yield* Ref.get(held)
        const isKept = Exit.isSuccess(exit) && exit.value.status < 300 && answer !== undefined
        const finishing = keys.finish(claim, isKept ? { status: exit.value.status, data: answer.data } : undefined)
        // A request that is late already does not wait for this write.
        const isLate = isBusy(exit) || elapsedMillis() - begun > finishWithinMillis
        yield* isLate ? Effect.forkIn(withoutDeadline(finishing), scope) : finishing
      })

    return Idempotency.of(
      Effect.fnUntraced(function* (httpEffect, { endpoint }) {
        const begun = elapsedMillis()
        const { method, path, sent, text } = yield* CurrentRecord
        const key = sent["idempotency-key"]
        if (key === undefined || (method !== "POST" && method !== "DELETE")) return yield* httpEffect
        if (!isIdempotencyKey(key)) return yield* badKey
        const { merchantId, mode } = yield* Caller
        const body = yield* text
        // Uninterruptible, so that a client that hangs up leaves no claim behind: a claim that is written is settled.
        return yield* Effect.uninterruptibleMask(
          Effect.fnUntraced(function* (restore) {
            const claimed = yield* keys
              .claim({ merchantId, mode, method, path, key, body, meant: meantBy(endpoint) })
              .pipe(Effect.catchTags({ NotCommitted, OtherContent, StillRunning }))
            if (claimed._tag === "Replay") {
              const again = yield* reply(claimed.data, claimed.status)
              return HttpServerResponse.setHeader(again, "idempotent-replayed", "true")
            }
            const held = yield* Ref.make<ClaimState>({ claim: claimed.claim, isAnswered: false })
            return yield* restore(faults.around("Idempotency.run", httpEffect)).pipe(
              Effect.provideService(CurrentClaim, held),
              Effect.onExit((exit) => faults.around("Idempotency.finish", finish(held, begun, exit)))
            )
          })
        )
      })
    )
  })
)

const isBusy = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) && Cause.squash(exit.cause) instanceof Wire.Unavailable

const badKey = refuseWith(
  (request_id) =>
    new Wire.InvalidRequest({
      message: "Idempotency-Key: Expected 1 to 255 printable ASCII characters.",
      param: "Idempotency-Key",
      request_id
    })
)

// The meaning of a body ------------------------------------------------------------
// A null that says no more than an absent field is left out, so that both are the same request (silences: G18).

/** More than there are. */
const endpointsMax = 1_000

/** The body as the endpoint reads it says which nulls are left. One that the endpoint refuses stays as it is. */
export const meantBy = memoize(endpointsMax, identity<HttpApiEndpoint.Top>, ({ payload }) => {
  const [content] = payload.values()
  if (content === undefined) return identity<unknown>
  const decode = Schema.decodeUnknownEffect(
    Schema.Union(content.schemas) as Schema.Top as Schema.Codec<unknown, unknown>
  )
  return (json: unknown): unknown =>
    hasNull(json)
      ? Option.match(decodedNow(decode(json)), { onNone: () => json, onSome: (decoded) => without(json, decoded) })
      : json
})

const decodedNow = (decoded: Effect.Effect<unknown, Schema.SchemaError>) => Effect.runSync(Effect.option(decoded))

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
