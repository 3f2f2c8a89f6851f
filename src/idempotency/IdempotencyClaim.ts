/**
 * The claim that a request with an `Idempotency-Key` holds while it runs, as a row of `idempotency_keys`. The row's
 * version is the fence: a request whose claim was taken over writes nothing any more (docs/decisions/0004).
 */
import { leaseDuration } from "@coffer/rules/idempotency/claim"
import { DateTime, Schema } from "effect"
import { type Change, insert, update } from "../platform/commit/Change.ts"
import { isoText } from "../platform/runtime/codecs.ts"

/** What names the row and the version that is ours. */
export const IdempotencyClaim = Schema.Struct({
  id: Schema.String,
  version: Schema.Int,
  merchantId: Schema.String,
  mode: Schema.String,
  fingerprint: Schema.String,
  createdAt: Schema.DateTimeUtc
})
export type IdempotencyClaim = typeof IdempotencyClaim.Type

/** The row while the request runs, in place of the version `replaces`, if there was one. */
export const running = (claim: IdempotencyClaim, now: DateTime.Utc, replaces?: number): Change => {
  const lease_until = isoText(DateTime.addDuration(now, leaseDuration))
  const row = { ...rowOf(claim), state: "running", lease_until, status: null, data: null }
  return replaces === undefined ? insert("idempotency_keys", row) : update("idempotency_keys", row, replaces)
}

/** No answer to keep: the key is free for another try (silences: I1). */
export const released = (claim: IdempotencyClaim): Change =>
  ended(claim, { state: "released", status: null, data: null })

export const ended = (
  claim: IdempotencyClaim,
  end: { readonly state: string; readonly status: number | null; readonly data: string | null }
): Change =>
  update("idempotency_keys", { ...rowOf(claim), version: claim.version + 1, lease_until: null, ...end }, claim.version)

const rowOf = (claim: IdempotencyClaim) => ({
  id: claim.id,
  version: claim.version,
  merchant_id: claim.merchantId,
  mode: claim.mode,
  fingerprint: claim.fingerprint,
  created_at: isoText(claim.createdAt)
})
