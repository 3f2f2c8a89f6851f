/** Lets through who knows the operator's token (docs/architecture.md, section 7). */
import { OperatorToken } from "@coffer/contract/Caller"
import * as Wire from "@coffer/contract/Errors"
import { Effect, Layer, Redacted } from "effect"
import { Secrets } from "../platform/runtime/Secrets.ts"
import { refuseWith } from "../http/replies.ts"

export const layer = Layer.effect(
  OperatorToken,
  Effect.gen(function* () {
    const secrets = yield* Secrets
    return OperatorToken.of({
      bearer: (httpEffect, { credential }) =>
        secrets.isOperator(Redacted.value(credential))
          ? httpEffect
          : refuseWith(
              (request_id) =>
                new Wire.InvalidApiKey({ message: "Send the operator token as Authorization: Bearer.", request_id })
            )
    })
  })
)
