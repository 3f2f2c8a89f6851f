/**
 * Commits the answer to a request with the change that answers it: the answer is one more row of the change, so that a
 * crash can neither lose the answer nor run the change twice. The room says that a change answers the request, the
 * handler with which code.
 */
import { withoutSignatures } from "@coffer/rules/signedAddresses"
import { Context, type DateTime, Effect, Schema } from "effect"
import type { ChangeSet } from "../../platform/commit/Change.ts"
import { jsonText } from "../../platform/runtime/codecs.ts"
import { endChange, IdempotencyClaim, runChange } from "./IdempotencyClaim.ts"

/** The code of an answer, by the object's `status` where that makes a difference. */
export const AnswerCodes = Schema.Struct({
  usual: Schema.Int,
  byStatus: Schema.Record(Schema.String, Schema.Int)
})
export type AnswerCodes = typeof AnswerCodes.Type

export const answerCodes = (usual: number, byStatus: Readonly<Record<string, number>> = {}): AnswerCodes => ({
  usual,
  byStatus
})

export const codeOf = ({ byStatus, usual }: AnswerCodes, data: object): number =>
  ("status" in data && typeof data.status === "string" ? byStatus[data.status] : undefined) ?? usual

/** What is needed to store the answer. Plain data: it is sent to the owner that commits the change. */
export const Answering = Schema.Struct({ claim: IdempotencyClaim, codes: AnswerCodes })
export type Answering = typeof Answering.Type

/**
 * The lane of a new object whose answer inserts the claim's row, too: a request and its repeat make objects with two
 * numbers, and must not be written at the same moment. Undefined if the claim has its row already.
 */
export const laneOf = (answer: Answering | undefined): string | undefined =>
  answer?.claim.isNew === true ? answer.claim.id : undefined

export interface ClaimState {
  readonly claim: IdempotencyClaim
  /** The answer was committed with the change. */
  readonly isAnswered: boolean
}

/** The claim of the request that is running. One object per request, whose changes set its fields. */
export interface HeldClaim extends ClaimState {
  claim: IdempotencyClaim
  isAnswered: boolean
  /** The code with which a change answers the request; 200 unless its handler says otherwise. */
  codes?: AnswerCodes
}

/** Undefined where the request has no key. */
export const CurrentClaim = Context.Reference<HeldClaim | undefined>("@coffer/idempotency/CurrentClaim", {
  defaultValue: () => undefined
})

const usual = answerCodes(200)

/** A handler sets the code with which a change answers its request. */
export const answeredWith = <A, E, R>(codes: AnswerCodes, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const held = fiber.getRef(CurrentClaim)
    if (held !== undefined) held.codes = codes
    return effect
  })

export const currentClaim = Effect.map(CurrentClaim, (held) => held?.claim)

/** The day for which the current request's answer is kept begins now. */
export const keepClaimFrom = (createdAt: DateTime.Utc) =>
  Effect.map(CurrentClaim, (held) => {
    if (held !== undefined) held.claim = { ...held.claim, createdAt }
  })

/** The id of the running request, the same when it is sent again; null without a key. */
export const currentRequest = Effect.map(currentClaim, (claim) => claim?.id ?? null)

/** Runs the change that answers the request: `change` commits the answer along, or fails. */
export const withAnswer = <A, E, R>(
  change: (answer: Answering | undefined) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const held = fiber.getRef(CurrentClaim)
    if (held === undefined) return change(undefined)
    return Effect.map(change({ claim: held.claim, codes: held.codes ?? usual }), (changed) => {
      held.isAnswered = true
      return changed
    })
  })

/** A renewed claim: its request is answered by a later change. */
export const Renewal = Schema.Struct({
  /** The claim from now on. */
  claim: IdempotencyClaim,
  at: Schema.DateTimeUtc,
  /** The run of the program that processes the request. */
  run: Schema.NullOr(Schema.Int)
})
export type Renewal = typeof Renewal.Type

/** Empty if the request has no key. */
export const renewalOf = (renewal: Renewal | undefined): ChangeSet =>
  renewal === undefined ? [] : [runChange(renewal.claim, renewal.at, renewal.run, renewal.claim.version - 1)]

/**
 * Runs a change of a request that is answered by a later one: `change` commits the renewed claim along, or fails. So a
 * request whose claim was taken over commits nothing. Model: models/claim.pml.
 */
export const withRenewal = <A, E, R>(
  at: DateTime.Utc,
  run: number | null,
  change: (renewal: Renewal | undefined) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(CurrentClaim, (held) => {
    if (held === undefined) return change(undefined)
    const renewed = { ...held.claim, version: held.claim.version + 1 }
    return Effect.map(change({ claim: renewed, at, run }), (changed) => {
      held.claim = renewed
      return changed
    })
  })

/** The answer as a change, without what may not be stored. A request without a key has none, and no view is made. */
export const answerOf = (answer: Answering | undefined, view: () => object): ChangeSet => {
  if (answer === undefined) return []
  const data = view()
  return [storeAnswer(answer.claim, codeOf(answer.codes, data), data)]
}

/**
 * The same for an answer that shows a secret: it is encrypted, and only a repeat of the same request gets it again.
 * `encrypt` is that of `Secrets`.
 */
export const sealedAnswerOf = (
  answer: Answering | undefined,
  data: object,
  encrypt: (plain: string, boundTo: string) => string
): ChangeSet => {
  if (answer === undefined) return []
  const { claim, codes } = answer
  const sealed = encrypt(jsonText(data), sealedFor(claim.id))
  return [endChange(claim, { state: "done", status: codeOf(codes, data), data: sealed })]
}

/** The JSON of a stored answer. */
export const openedAnswer = (
  claimId: string,
  data: string,
  decrypt: (sealed: string, boundTo: string) => string
): string => (data.startsWith("{") ? data : decrypt(data, sealedFor(claimId)))

export const sealedFor = (claimId: string) => `idempotency_keys/${claimId}`

export const storeAnswer = (claim: IdempotencyClaim, status: number, data: object) =>
  endChange(claim, { state: "done", status, data: jsonText(withoutSignatures(data)) })
