/**
 * The claim of a request with an `Idempotency-Key`, as a row of `idempotency_keys`. A request with outside calls holds
 * it while it runs. The row's version is the fence: a request whose claim was taken over cannot write any more
 * (docs/decisions/0004). A request with a single commit writes the row with that commit (docs/decisions/0004).
 */
import { leaseDuration } from "./judge.ts"
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

/** The id of the row, and our version of it. */
export const IdempotencyClaim = Schema.Struct({
  ...claimFields,
  /** There is no row yet: it is inserted with the answer, and that change fails if the key is taken. */
  isNew: Schema.optionalKey(Schema.Literal(true))
})
export type IdempotencyClaim = typeof IdempotencyClaim.Type

/** A row: the claim, and the state of its request. */
const IdempotencyKey = Schema.Struct({
  ...claimFields,
  state: Schema.Literals(["running", "done", "released"]),
  leaseUntil: Schema.NullOr(Schema.DateTimeUtc),
  /** The run of the program that processes the request; null if the request has ended, or the run is unknown. */
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

/** The row while `run` processes the request, in place of the version `replaces`, if there was one. */
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

/** Without an answer to keep: the key is free for a retry (silences: I1). */
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
