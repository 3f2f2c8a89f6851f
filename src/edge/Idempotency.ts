/**
 * `Idempotency-Key` on every POST and DELETE (silences: I1 to I6). The first request claims the key and runs. Its 2xx
 * answer is stored, usually in the transaction of the change itself. The same request again gets the stored answer.
 */
import { Caller, Idempotency } from "@coffer/contract/Caller"
import * as Wire from "@coffer/contract/Errors"
import { isIdempotencyKey } from "@coffer/rules/idempotency/claim"
import { Cause, Effect, Exit, Layer, Ref } from "effect"
import { HttpServerResponse } from "effect/http"
import { type ClaimState, CurrentClaim, type HeldClaim } from "../idempotency/Answering.ts"
import { Faults } from "../platform/runtime/Faults.ts"
import { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import { meantBy } from "./meant.ts"
import { CurrentRecord } from "../http/CurrentRequest.ts"
import { unavailable } from "../http/refusals.ts"
import { idempotencyRefusals } from "../idempotency/idempotencyRefusals.ts"
import { refuseWith, reply } from "../http/replies.ts"
import { withoutDeadline } from "../platform/runtime/Deadline.ts"
import { elapsedMillis } from "../platform/runtime/realTime.ts"

/** A request that has taken longer gets its answer before that is stored: two commits may have waited already. */
const settleWithinMillis = 5_000

export const layer = Layer.effect(
  Idempotency,
  Effect.gen(function* () {
    const keys = yield* IdempotencyKeys
    const faults = yield* Faults
    const scope = yield* Effect.scope
    const { NotCommitted } = unavailable
    const { OtherContent, StillRunning } = idempotencyRefusals

    /** Stores the answer or frees the key before the caller gets the answer, so that a retry gets the same one. */
    const settle = (held: HeldClaim, begun: number, exit: Exit.Exit<HttpServerResponse.HttpServerResponse, unknown>) =>
      Effect.gen(function* () {
        const { answer } = yield* CurrentRecord
        const claim = yield* Ref.get(held)
        const isKept = Exit.isSuccess(exit) && exit.value.status < 300 && answer !== undefined
        const settling = keys.settle(claim, isKept ? { status: exit.value.status, data: answer.data } : undefined)
        // A request that is late already does not wait for this write.
        const isLate = isBusy(exit) || elapsedMillis() - begun > settleWithinMillis
        yield* isLate ? Effect.forkIn(withoutDeadline(settling), scope) : settling
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
              Effect.onExit((exit) => faults.around("Idempotency.settle", settle(held, begun, exit)))
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
