/**
 * The claim that a request with an `Idempotency-Key` holds while it runs. Whoever commits the change that the request
 * asked for commits the answer with it, as one more row of the change set: a crash can then neither lose the answer
 * nor run the change twice. The row's version is the fence: a claim that was taken over writes nothing any more.
 */
import { withoutSignature } from "@coffer/rules/checkoutAddress"
import { leaseDuration } from "@coffer/rules/idempotency/claim"
import { Context, DateTime, Effect, Schema } from "effect"
import { type Change, insert, update } from "../platform/commit/Change.ts"
import { isoText, jsonText } from "../platform/runtime/codecs.ts"

/** What names the row and the version that is ours. Plain data: it travels to the actor that commits. */
export const Claim = Schema.Struct({
  id: Schema.String,
  version: Schema.Int,
  merchantId: Schema.String,
  mode: Schema.String,
  fingerprint: Schema.String,
  createdAt: Schema.DateTimeUtc
})
export type Claim = typeof Claim.Type

/** The request's claim; `handedOver` once somebody commits the answer with the change. */
export interface HeldClaim {
  claim: Claim
  handedOver: boolean
}

export const CurrentClaim = Context.Reference<HeldClaim | undefined>("@coffer/platform/CurrentClaim", {
  defaultValue: () => undefined
})

/** What names the request that is running, also when it is sent again; null without a key. */
export const currentRequest = Effect.map(CurrentClaim, (held) => held?.claim.id ?? null)

/** Takes charge of the answer: whoever asks must commit it with the change. */
export const takeClaim = Effect.map(CurrentClaim, (held) => {
  if (held === undefined) return undefined
  held.handedOver = true
  return held.claim
})

/** What the claim was taken for was not committed: the answer will be another, and somebody else keeps it. */
export const giveClaimBack = Effect.map(CurrentClaim, (held) => {
  if (held !== undefined) held.handedOver = false
})

/** The claim's row while its request runs, in place of the version `replaces`, if there was one. */
export const running = (claim: Claim, now: DateTime.Utc, replaces?: number): Change => {
  const lease_until = isoText(DateTime.addDuration(now, leaseDuration))
  const row = { ...claimRow(claim), state: "running", lease_until, status: null, data: null }
  return replaces === undefined ? insert("idempotency_keys", row) : update("idempotency_keys", row, replaces)
}

/**
 * For a request that commits before it has its answer: the change that goes with that commit, so that a request whose
 * claim was taken over commits nothing, and the claim that is held from then on.
 */
export const renewing = (claim: Claim, now: DateTime.Utc): { readonly change: Change; readonly claim: Claim } => {
  const renewed = { ...claim, version: claim.version + 1 }
  return { change: running(renewed, now, claim.version), claim: renewed }
}

/** What {@link renewing} promised is committed. */
export const renewedClaim = (claim: Claim) =>
  Effect.map(CurrentClaim, (held) => {
    if (held !== undefined) held.claim = claim
  })

/** The answer as a change, without what may not be stored. Nothing when the request has no claim. */
export const answering = (claim: Claim | undefined, status: number, data: object): ReadonlyArray<Change> =>
  claim === undefined ? [] : [ended(claim, { state: "done", status, data: jsonText(withoutSignature(data)) })]

/** No answer to keep: the key is free for another try (silences: I1). */
export const released = (claim: Claim): Change => ended(claim, { state: "released", status: null, data: null })

const ended = (
  claim: Claim,
  end: { readonly state: string; readonly status: number | null; readonly data: string | null }
): Change =>
  update(
    "idempotency_keys",
    { ...claimRow(claim), version: claim.version + 1, lease_until: null, ...end },
    claim.version
  )

const claimRow = (claim: Claim) => ({
  id: claim.id,
  version: claim.version,
  merchant_id: claim.merchantId,
  mode: claim.mode,
  fingerprint: claim.fingerprint,
  created_at: isoText(claim.createdAt)
})
