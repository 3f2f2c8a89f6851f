/** Disputes: evidence is saved as a draft, or submitted to the bank; closing accepts the loss. */
import { Result } from "effect"
import type Stripe from "stripe"
import { decideDispute, fileAppeal, needsResponse, submit } from "../acts/disputes.ts"
import { emit } from "../acts/events.ts"
import { fileEvidence } from "../objects/dispute.ts"
import { noSuch, type Outcome, refuse } from "../wire/failure.ts"
import type { Call, Operations } from "./Call.ts"
import { changedMetadata, find, onlySimulated } from "./common.ts"
import { list } from "./list.ts"

/** Characters of all evidence that is text. */
const textMax = 150_000

export const disputes: Operations<
  "GET /v1/disputes" | "GET /v1/disputes/:id" | "POST /v1/disputes/:id" | "POST /v1/disputes/:id/close"
> = {
  "GET /v1/disputes": {
    simulates: ["charge", "created", "ending_before", "expand", "limit", "payment_intent", "starting_after"],
    run: (call, params) => list(call, "dispute", params, { parent: params.charge ?? params.payment_intent })
  },
  "GET /v1/disputes/:id": { simulates: ["expand"], run: (call) => find(call, "dispute") },
  "POST /v1/disputes/:id": {
    simulates: ["evidence", "expand", "metadata", "submit"],
    run: (call, params) => update(call, params)
  },
  "POST /v1/disputes/:id/close": {
    simulates: ["expand"],
    run: (call) => Result.flatMap(find(call, "dispute"), (dispute) => close(call, dispute))
  }
}

const update = (call: Call, params: Stripe.DisputeUpdateParams): Outcome<object> =>
  Result.gen(function* () {
    const { book, world } = call
    const before = yield* find(call, "dispute")
    const metadata = yield* changedMetadata(before.metadata, params.metadata)
    if (params.evidence === undefined && params.submit === undefined) {
      const changed = book.put("dispute", { ...before, metadata })
      emit(world, book, "charge.dispute.updated", changed, { metadata: before.metadata })
      return changed
    }
    if (before.status === "appeal_needs_response") {
      const appeal = yield* appealOf(call, before, params.evidence ?? {}, params.submit !== false)
      const staged = book.put("dispute", { ...before, metadata, evidence: { ...before.evidence, appeal } })
      return params.submit === false ? staged : fileAppeal(world, book, staged)!
    }
    if (!needsResponse(before))
      return yield* refuse("This dispute is already closed or was submitted before", {
        code: "dispute_already_submitted"
      })
    const evidence = yield* evidenceOf(call, before, params.evidence ?? {})
    const hasEvidence = Object.entries(evidence).some(([key, value]) => key !== "enhanced_evidence" && value !== null)
    const staged = book.put("dispute", {
      ...before,
      metadata,
      evidence,
      evidence_details: { ...before.evidence_details, has_evidence: hasEvidence }
    })
    if (params.submit !== false) return submit(world, book, staged)
    emit(world, book, "charge.dispute.updated", staged, { evidence: before.evidence })
    return staged
  })

/** An appeal accepts only its reason and files. */
const appealOf = (
  call: Call,
  { evidence }: Stripe.Dispute,
  sent: Stripe.DisputeUpdateParams.Evidence,
  isFiled: boolean
): Outcome<Stripe.Dispute.Evidence.Appeal> =>
  Result.gen(function* () {
    const other = Object.keys(sent).find((key) => key !== "appeal")
    if (other !== undefined) {
      return yield* refuse("Only evidence of the appeal is taken now.", { param: `evidence[${other}]` })
    }
    const sentCard = typeof sent.appeal === "object" ? (sent.appeal?.card ?? undefined) : undefined
    const card = { ...evidence.appeal?.card, ...(typeof sentCard === "object" && sentCard) }
    const files = Array.isArray(card.supporting_files) ? card.supporting_files : []
    for (const file of files) yield* checkFile(call, file, "evidence[appeal][card][supporting_files]")
    const reason = card.reason_for_filing ?? ""
    if (isFiled && (reason === "" || files.length === 0)) {
      const field = reason === "" ? "reason_for_filing" : "supporting_files"
      const param = `evidence[appeal][card][${field}]`
      return yield* refuse(`Missing required param: ${param}.`, { code: "parameter_missing", param })
    }
    return { card: { ...(reason !== "" && { reason_for_filing: reason }), supporting_files: files } }
  })

const checkFile = (call: Call, id: string, param: string): Outcome<void> => {
  const file = call.book.get("file", id)
  if (file === undefined) return noSuch("file upload", id, param)
  return file.purpose === "dispute_evidence"
    ? Result.void
    : refuse("The file's purpose must be dispute_evidence.", { param })
}

const evidenceOf = (
  call: Call,
  { evidence }: Stripe.Dispute,
  sent: Stripe.DisputeUpdateParams.Evidence
): Outcome<Stripe.Dispute.Evidence> =>
  Result.gen(function* () {
    yield* onlySimulated(
      sent,
      Object.keys(evidence).filter((key) => key !== "enhanced_evidence"),
      "evidence"
    )
    let length = 0
    for (const [key, value] of Object.entries(sent)) {
      if (typeof value !== "string" || value === "") continue
      if (!fileEvidence.has(key)) length += value.length
      else yield* checkFile(call, value, `evidence[${key}]`)
    }
    if (length > textMax) {
      return yield* refuse(`The combined character count of all evidence can be at most ${textMax}.`, {
        param: "evidence"
      })
    }
    const changes = Object.entries(sent).map(([key, value]) => [key, value === "" ? null : value])
    return { ...evidence, ...(Object.fromEntries(changes) as Partial<Stripe.Dispute.Evidence>) }
  })

const close = ({ book, world }: Call, dispute: Stripe.Dispute): Outcome<object> => {
  if (!needsResponse(dispute)) return refuse("This dispute is already closed", { code: "dispute_already_closed" })
  return Result.succeed(
    decideDispute(world, book, dispute, dispute.status === "needs_response" ? "lost" : "warning_closed")!
  )
}
