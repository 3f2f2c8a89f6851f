/**
 * The claim that a request with an `Idempotency-Key` holds while it runs, as a row of `idempotency_keys`. The row's
 * version is the fence: a request whose claim was taken over writes nothing any more (docs/decisions/0004).
 */
import { leaseDuration } from "@coffer/rules/idempotency/claim"
import { DateTime, Schema } from "effect"
import { type Change, insert, update } from "../platform/commit/Change.ts"
import { table } from "../platform/commit/Table.ts"

/** The row and the version of it that is ours. */
export const IdempotencyClaim = Schema.Struct({
  id: Schema.String,
  version: Schema.Int,
  merchantId: Schema.String,
  mode: Schema.String,
  fingerprint: Schema.String,
  createdAt: Schema.DateTimeUtc
})
export type IdempotencyClaim = typeof IdempotencyClaim.Type

/** A row: the claim, and where its request stands. */
const IdempotencyKey = Schema.Struct({
  ...IdempotencyClaim.fields,
  state: Schema.Literals(["running", "done", "released"]),
  leaseUntil: Schema.NullOr(Schema.DateTimeUtc),
  /** The run of the program that is at work on the request; null when it has ended, or it is unknown which it is. */
  run: Schema.NullOr(Schema.Int),
  status: Schema.NullOr(Schema.Int),
  data: Schema.NullOr(Schema.String)
})
export type IdempotencyKey = typeof IdempotencyKey.Type

export const idempotencyKeys = table("idempotency_keys", {
  place: 120,
  of: IdempotencyKey,
  key: "id",
  version: "version",
  fixed: ["merchantId", "mode"]
})

/** The row while `run` is at work on the request, in place of the version `replaces`, if there was one. */
export const running = (claim: IdempotencyClaim, now: DateTime.Utc, run: number | null, replaces?: number): Change => {
  const leaseUntil = DateTime.addDuration(now, leaseDuration)
  const key: IdempotencyKey = { ...claim, state: "running", leaseUntil, run, status: null, data: null }
  return replaces === undefined ? insert(idempotencyKeys, key) : update(idempotencyKeys, replaces, key)
}

/** No answer to keep: the key is free for another try (silences: I1). */
export const released = (claim: IdempotencyClaim): Change =>
  ended(claim, { state: "released", status: null, data: null })

export const ended = (claim: IdempotencyClaim, end: Pick<IdempotencyKey, "state" | "status" | "data">): Change =>
  update(idempotencyKeys, claim.version, { ...claim, version: claim.version + 1, leaseUntil: null, run: null, ...end })
