/**
 * The claim of a request with an `Idempotency-Key`, as a row of `idempotency_keys`. A request that calls outside holds
 * it while it runs. The row's version is the fence: a request whose claim was taken over writes nothing any more
 * (docs/decisions/0004). A request of one change writes the row with that change (docs/decisions/0004).
 */
import { leaseDuration } from "@coffer/rules/idempotency/claim"
import { DateTime, Schema } from "effect"
import { AlreadyExists, type Change, insert, update } from "../../platform/commit/Change.ts"
import { table } from "../../platform/commit/Table.ts"

const claimFields = {
  id: Schema.String,
  version: Schema.Int,
  merchantId: Schema.String,
  mode: Schema.String,
  fingerprint: Schema.String,
  createdAt: Schema.DateTimeUtc
}

/** The row and the version of it that is ours. */
export const IdempotencyClaim = Schema.Struct({
  ...claimFields,
  /** No row is there yet: it is written with the answer, and fails that change when the key is taken. */
  isNew: Schema.optionalKey(Schema.Literal(true))
})
export type IdempotencyClaim = typeof IdempotencyClaim.Type

/** A row: the claim, and where its request stands. */
const IdempotencyKey = Schema.Struct({
  ...claimFields,
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
  isKeyGiven: true,
  fixed: ["merchantId", "mode"]
})

/** The row while `run` is at work on the request, in place of the version `replaces`, if there was one. */
export const runChange = (
  claim: IdempotencyClaim,
  now: DateTime.Utc,
  run: number | null,
  replaces?: number
): Change => {
  const leaseUntil = DateTime.addDuration(now, leaseDuration)
  const key: IdempotencyKey = { ...claim, state: "running", leaseUntil, run, status: null, data: null }
  return replaces === undefined ? insert(idempotencyKeys, key) : update(idempotencyKeys, replaces, key)
}

/** No answer to keep: the key is free for another try (silences: I1). */
export const releaseChange = (claim: IdempotencyClaim): Change =>
  endChange(claim, { state: "released", status: null, data: null })

export const endChange = (
  claim: IdempotencyClaim,
  { data, state, status }: Pick<IdempotencyKey, "state" | "status" | "data">
): Change => {
  const { createdAt, fingerprint, id, merchantId, mode, version } = claim
  const kept = { id, version: version + 1, merchantId, mode, fingerprint, createdAt }
  const key: IdempotencyKey = { ...kept, state, leaseUntil: null, run: null, status, data }
  return claim.isNew === true ? insert(idempotencyKeys, key) : update(idempotencyKeys, version, key)
}

/** Whether a change has failed because the key of its request is taken. */
export const isKeyTaken = (failure: unknown): boolean =>
  failure instanceof AlreadyExists && failure.table === idempotencyKeys.name
