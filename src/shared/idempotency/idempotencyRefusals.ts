/** Errors of idempotency keys as errors on the wire (spec: Errors). */
import * as Wire from "@coffer/contract/Errors"
import { refuseAs, refuseTemporarilyAs } from "../http/refusals.ts"
import type { OtherContent, StillRunning } from "./IdempotencyKeys.ts"

export const idempotencyRefusals = {
  OtherContent: refuseAs(Wire.IdempotencyError, (_: OtherContent) => ({
    message: "This Idempotency-Key was already used with a different body. Use a new key for each operation."
  })),
  StillRunning: refuseTemporarilyAs(Wire.IdempotencyInProgress, (_: StillRunning) => ({
    message: "The first request with this key is still being processed. Send the same after Retry-After."
  }))
}
