/**
 * Lets through who knows the operator's token (docs/architecture.md, section 7), unless too much of the operator's is
 * in work (silences: U12).
 */
import { OperatorToken } from "@coffer/contract/Caller"
import * as Wire from "@coffer/contract/Errors"
import { Effect, Layer, Redacted } from "effect"
import { Secrets } from "../platform/runtime/Secrets.ts"
import { Admission } from "../http/Admission.ts"
import { CurrentRecord } from "../http/CurrentRequest.ts"
import { kindOf } from "./Quotas.ts"
import { busy, refuseWith } from "../http/replies.ts"

export const layer = Layer.effect(
  OperatorToken,
  Effect.gen(function* () {
    const secrets = yield* Secrets
    const admission = yield* Admission
    return OperatorToken.of({
      bearer: Effect.fnUntraced(function* (httpEffect, { credential }) {
        const record = yield* CurrentRecord
        const isOperator = secrets.isOperator(Redacted.value(credential))
        record.visit = isOperator
          ? admission.enter("operator", "operator", kindOf(record), record.behind)
          : admission.enter("public", record.ip, kindOf(record), record.behind)
        if (record.visit === undefined) return yield* busy
        if (isOperator) return yield* httpEffect
        return yield* refuseWith(
          (request_id) =>
            new Wire.InvalidApiKey({ message: "Send the operator token as Authorization: Bearer.", request_id })
        )
      })
    })
  })
)
