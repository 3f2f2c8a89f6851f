/**
 * Disputes at Stripe: sends evidence with its files, concedes, and reads the status. A repeated call reads first, so it
 * takes effect once. Below: the mapping of Stripe's disputes to ours, of a merchant's evidence to Stripe's, and
 * disputes in another currency than their payment's.
 */
import type { Account } from "@coffer/model/Account"
import type { Evidence, EvidenceFile } from "@coffer/model/Evidence"
import { type Currency, Minor } from "@coffer/model/Money"
import type { Stage } from "@coffer/rules/dispute/Dispute"
import type { ChannelDispute } from "@coffer/rules/order/Order"
import { Effect, Option, Stream, Context, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Stripe } from "stripe"
import { ChannelUnreachable } from "../../shared/channel/payments.ts"
import type { DisputeDesk, DisputeName, StepAnswer, DisputeWord } from "../../shared/channel/disputes.ts"
import { Files } from "../../money/files/Files.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { span } from "../../platform/runtime/span.ts"
import { timeOf } from "./payment.ts"
import { StripeClient } from "./StripeClient.ts"
import { reasonOf, refuseForNow, type StripeRefused, type StripeSilent } from "./StripeGuard.ts"

export const makeStripeDisputes = Effect.gen(function* () {
  const client = yield* StripeClient
  const files = yield* Files

  const look = (dispute: DisputeName) =>
    Effect.catchTags(
      client.read(dispute, (stripe) => stripe.disputes.retrieve(dispute.processorDisputeId)),
      { StripeRefused: (refused) => Effect.fail(refuseForNow(refused)) }
    )

  /** One file under our own name: a repeated upload gets the existing file. */
  const upload = Effect.fnUntraced(function* (dispute: DisputeName, { url }: EvidenceFile) {
    const name = url.slice(url.lastIndexOf("/") + 1)
    const content = yield* files.open(name)
    if (Option.isNone(content)) return yield* Effect.die(`the file ${name} of a dispute is not in the storage`)
    const data = Buffer.concat(yield* Stream.runCollect(content.value))
    const kind = name.endsWith(".pdf") ? "application/pdf" : name.endsWith(".png") ? "image/png" : "image/jpeg"
    const sent = yield* client.call(dispute, (stripe) =>
      stripe.files.create(
        { purpose: "dispute_evidence", file: { data, name, type: kind } },
        { idempotencyKey: `coffer/file/${dispute.disputeNo}/${name}` }
      )
    )
    return sent.id
  })

  const submit = span("StripeDisputes.submit")(function* (dispute: DisputeName, evidence: Evidence, answer: string) {
    const before = yield* look(dispute)
    if (isAnswered(before, answer)) return answerTaken(dispute, before)
    if (!takesAnswer(dispute, before)) return answerRefused(dispute, before)
    const uploaded: Record<string, string> = {}
    for (const [place, file] of assignPlaces(evidence.files)) uploaded[place] = yield* upload(dispute, file)
    const sent = yield* client.call(dispute, (stripe) =>
      stripe.disputes.update(dispute.processorDisputeId, {
        evidence: { ...evidence.text, ...uploaded },
        metadata: { [answerKey]: answer },
        submit: true
      })
    )
    return answerTaken(dispute, sent)
  })

  const accept = span("StripeDisputes.accept")(function* (dispute: DisputeName) {
    const before = yield* look(dispute)
    if (!takesAnswer(dispute, before)) return answerRefused(dispute, before)
    const closed = yield* client.call(dispute, (stripe) => stripe.disputes.close(dispute.processorDisputeId))
    return answerTaken(dispute, closed)
  })

  /** Adds the dispute's current status to a refusal by Stripe. Another caller may have sent the same answer. */
  const explained = (dispute: DisputeName, step: Step, answer?: string) =>
    Effect.catchTags(step, {
      StripeRefused: (why) =>
        Effect.map(look(dispute), (now): StepAnswer =>
          answer !== undefined && isAnswered(now, answer)
            ? answerTaken(dispute, now)
            : { ...answerRefused(dispute, now), reason: reasonOf(why) }
        )
    })

  /** A step without an answer is retried, and reads first. Without an answer again, the outcome is unknown. */
  const concluded = (
    dispute: DisputeName,
    step: Step,
    answer?: string
  ): Effect.Effect<StepAnswer, ChannelUnreachable> =>
    Effect.catchTags(explained(dispute, step, answer), {
      StripeSilent: () =>
        Effect.catchTags(explained(dispute, step, answer), {
          StripeSilent: () => unknown,
          ChannelUnreachable: () => unknown
        })
    })

  return {
    submit: (dispute, evidence, answer) => concluded(dispute, submit(dispute, evidence, answer), answer),
    isTest: ({ mode }) => mode === "sandbox",
    accept: (dispute) => concluded(dispute, accept(dispute)),
    status: (dispute) => Effect.map(look(dispute), (now) => wordOf(now, dispute.currency))
  } satisfies DisputeDesk
})

type Step = Effect.Effect<StepAnswer, ChannelUnreachable | StripeSilent | StripeRefused>

const unknown = Effect.succeed<StepAnswer>({ _tag: "Unknown" })

const answerTaken = ({ currency }: DisputeName, now: Stripe.Dispute) =>
  ({ _tag: "Taken", word: wordOf(now, currency) }) satisfies StepAnswer

const answerRefused = ({ currency }: DisputeName, now: Stripe.Dispute) =>
  ({ _tag: "Refused", word: wordOf(now, currency) }) satisfies StepAnswer

/** In the metadata of a dispute at Stripe: the id of our last answer. */
const answerKey = "coffer_answer"

/**
 * Whether Stripe has this answer. Their count says nothing: an inquiry that becomes a chargeback is answered twice.
 * Earlier versions wrote no id, and sent one answer.
 */
const isAnswered = (now: Stripe.Dispute, answer: string): boolean =>
  now.metadata[answerKey] === undefined
    ? now.evidence_details.submission_count > 0 && !needsResponse(now)
    : now.metadata[answerKey] === answer

/** An answer to an inquiry, or a concession, must not be sent to the chargeback that it has become. */
const takesAnswer = ({ stage }: DisputeName, now: Stripe.Dispute): boolean =>
  needsResponse(now) && !(stage === "inquiry" && stageOf(now) !== "inquiry")

/** `currency`: that of the payment. */
export const wordOf = (dispute: Stripe.Dispute, currency: Currency): DisputeWord => {
  const { amount, evidence_details, status } = dispute
  const stage = stageOf(dispute)
  return {
    status,
    outcome: outcomes[status],
    standing:
      stage === undefined
        ? undefined
        : {
            stage,
            isAnswered: !needsResponse(dispute),
            amount: isPresented(dispute, currency) ? null : Minor.make(amount),
            evidenceDueBy: dueByOf(evidence_details)
          }
  }
}

/** Null if the bank accepts no answer, or gives no deadline. Stripe writes 0 for the first. */
export const dueByOf = ({ due_by }: Pick<Stripe.Dispute.EvidenceDetails, "due_by">) =>
  due_by === null || due_by === 0 ? null : timeOf(due_by)

/** Undefined for a status that is newer than this program. */
export const stageOf = ({ status }: Pick<Stripe.Dispute, "status">): Stage | undefined => {
  switch (status) {
    case "warning_needs_response":
    case "warning_under_review":
    case "warning_closed":
      return "inquiry"
    case "needs_response":
    case "under_review":
    case "won":
    case "lost":
    case "prevented":
      return "chargeback"
    case "appeal_needs_response":
      return "appeal_offered"
    case "appeal_under_review":
      return "appeal_filed"
    default:
      return undefined
  }
}

/** An inquiry that ended, and a prevented dispute, took no money: the issuer has withdrawn it. */
const outcomes: Readonly<Record<string, DisputeWord["outcome"]>> = {
  won: "won",
  lost: "lost",
  warning_closed: "closed",
  prevented: "closed"
}

export const needsResponse = ({ status }: Pick<Stripe.Dispute, "status">): boolean =>
  status === "needs_response" || status === "warning_needs_response"

/** In the payment's own currency: the given amount, if Stripe names another currency. */
export const inCurrencyOf = (
  dispute: Stripe.Dispute,
  { amount, currency }: { readonly amount: number; readonly currency: Currency }
): Stripe.Dispute =>
  isPresented(dispute, currency) ? { ...dispute, amount, currency: currency.toLowerCase() } : dispute

export const isPresented = (of: { readonly currency: string }, currency: Currency): boolean =>
  of.currency.toUpperCase() !== currency

/** A dispute about an unapplied payment. */
export const channelDisputeOf = (dispute: Stripe.Dispute): ChannelDispute => {
  const { status } = dispute
  const outcome = outcomes[status]
  const isTaken = outcome === "lost" || (outcome === undefined && !status.startsWith("warning_"))
  const answerBy = dueByOf(dispute.evidence_details)
  return {
    id: dispute.id,
    status,
    taken: Minor.make(isTaken ? dispute.amount : 0),
    isOver: outcome !== undefined,
    ...(answerBy === null ? {} : { answerBy })
  }
}

/** The places of files in Stripe's evidence, one file each. */
const places = [
  "uncategorized_file",
  "duplicate_charge_documentation",
  "receipt",
  "customer_communication",
  "customer_signature",
  "shipping_documentation",
  "service_documentation",
  "cancellation_policy",
  "refund_policy"
] as const
export type Place = (typeof places)[number]

const placeOf = (type: EvidenceFile["type"]): Place => {
  switch (type) {
    case "invoice_showing_distinct_transactions":
      return "duplicate_charge_documentation"
    case "recurring_transaction_agreement":
      return "uncategorized_file"
    default:
      return type
  }
}

/** Gives each file a place of its own; there are more places than a merchant may send files. */
export const assignPlaces = (files: ReadonlyArray<EvidenceFile>): ReadonlyArray<readonly [Place, EvidenceFile]> => {
  const taken = new Map<Place, EvidenceFile>()
  const later: Array<EvidenceFile> = []
  for (const file of files) {
    const place = placeOf(file.type)
    if (taken.has(place)) later.push(file)
    else taken.set(place, file)
  }
  for (const file of later) {
    const free = places.find((place) => !taken.has(place))
    if (free !== undefined) taken.set(free, file)
  }
  return [...taken]
}

/**
 * Disputes that Stripe names in another currency than their payment's (`presented_disputes`, migrations 0064 and 0094).
 * The operator reads them beside the payment's own amount, which is what the dispute has here (silences: S24).
 */
export class PresentedDisputes extends Context.Service<
  PresentedDisputes,
  { readonly note: (account: Account, dispute: Stripe.Dispute) => Effect.Effect<void> }
>()("@coffer/stripe/PresentedDisputes") {}

export const layerPresented = Layer.effect(
  PresentedDisputes,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return PresentedDisputes.of({
      note: ({ merchantId, mode }, { amount, currency, id }) =>
        sqlDefects(
          Effect.asVoid(sql`insert into presented_disputes
            (merchant_id, mode, processor_dispute_id, amount, currency)
            values (${merchantId}, ${mode}, ${id}, ${String(amount)}::text::bigint, ${currency.toUpperCase()})
            on conflict (merchant_id, mode, processor_dispute_id)
              do update set amount = excluded.amount, currency = excluded.currency`)
        )
    })
  })
)
