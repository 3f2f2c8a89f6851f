/**
 * Stripe as the desk for disputes: takes evidence with its files, takes a concession, and says how a dispute stands. A
 * call that is repeated looks first, so it takes effect once.
 */
import type { Evidence, EvidenceFile } from "@coffer/model/Evidence"
import { Effect, Option, Stream } from "effect"
import type { Stripe } from "stripe"
import { ChannelUnreachable } from "../../channel/Channel.ts"
import type { DisputeChannel, DisputeName, StepAnswer } from "../../channel/DisputeChannel.ts"
import { Files } from "../../files/Files.ts"
import { span } from "../../platform/runtime/span.ts"
import { needsResponse, placed, stageOf, wordOf } from "./disputeStatus.ts"
import { StripeClient } from "./StripeClient.ts"
import { reasonOf, type StripeRefused, type StripeSilent } from "./stripeFailures.ts"

export const makeStripeDisputes = Effect.gen(function* () {
  const client = yield* StripeClient
  const files = yield* Files

  const look = (dispute: DisputeName) =>
    Effect.catchTags(
      client.read(dispute, (stripe) => stripe.disputes.retrieve(dispute.processorDisputeId)),
      { StripeRefused: () => Effect.fail(new ChannelUnreachable()) }
    )

  /** One file, named by our own name of it: sent again, Stripe answers with the file that it has. */
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
    if (isAnswered(before, answer)) return taken(dispute, before)
    if (!takesAnswer(dispute, before)) return refused(dispute, before)
    const uploaded: Record<string, string> = {}
    for (const [place, file] of placed(evidence.files)) uploaded[place] = yield* upload(dispute, file)
    const sent = yield* client.call(dispute, (stripe) =>
      stripe.disputes.update(dispute.processorDisputeId, {
        evidence: { ...evidence.text, ...uploaded },
        metadata: { [answerKey]: answer },
        submit: true
      })
    )
    return taken(dispute, sent)
  })

  const accept = span("StripeDisputes.accept")(function* (dispute: DisputeName) {
    const before = yield* look(dispute)
    if (!takesAnswer(dispute, before)) return refused(dispute, before)
    const closed = yield* client.call(dispute, (stripe) => stripe.disputes.close(dispute.processorDisputeId))
    return taken(dispute, closed)
  })

  /** Adds to a refusal by Stripe how the dispute stands now. Somebody else may have sent the same answer. */
  const told = (dispute: DisputeName, step: Step, answer?: string) =>
    Effect.catchTags(step, {
      StripeRefused: (why) =>
        Effect.map(look(dispute), (now): StepAnswer =>
          answer !== undefined && isAnswered(now, answer)
            ? taken(dispute, now)
            : { ...refused(dispute, now), reason: reasonOf(why) }
        )
    })

  /** A step without an answer runs again, which looks first. If that gets no answer either, the outcome is unknown. */
  const concluded = (
    dispute: DisputeName,
    step: Step,
    answer?: string
  ): Effect.Effect<StepAnswer, ChannelUnreachable> =>
    Effect.catchTags(told(dispute, step, answer), {
      StripeSilent: () =>
        Effect.catchTags(told(dispute, step, answer), {
          StripeSilent: () => unknown,
          ChannelUnreachable: () => unknown
        })
    })

  return {
    submit: (dispute, evidence, answer) => concluded(dispute, submit(dispute, evidence, answer), answer),
    isTest: ({ mode }) => mode === "sandbox",
    accept: (dispute) => concluded(dispute, accept(dispute)),
    status: (dispute) => Effect.map(look(dispute), (now) => wordOf(now, dispute.currency))
  } satisfies DisputeChannel["Service"]
})

type Step = Effect.Effect<StepAnswer, ChannelUnreachable | StripeSilent | StripeRefused>

const unknown = Effect.succeed<StepAnswer>({ _tag: "Unknown" })

const taken = ({ currency }: DisputeName, now: Stripe.Dispute) =>
  ({ _tag: "Taken", word: wordOf(now, currency) }) satisfies StepAnswer

const refused = ({ currency }: DisputeName, now: Stripe.Dispute) =>
  ({ _tag: "Refused", word: wordOf(now, currency) }) satisfies StepAnswer

/** In the metadata of a dispute at Stripe: which answer of ours it was given last. */
const answerKey = "coffer_answer"

/**
 * Whether Stripe has this answer. How many it was given says nothing: an inquiry that becomes a chargeback is answered
 * twice. Earlier versions wrote no number, and gave one answer.
 */
const isAnswered = (now: Stripe.Dispute, answer: string): boolean =>
  now.metadata[answerKey] === undefined
    ? now.evidence_details.submission_count > 0 && !needsResponse(now)
    : now.metadata[answerKey] === answer

/** What was written for an inquiry, or conceded of one, is not meant for the chargeback that it has become. */
const takesAnswer = ({ stage }: DisputeName, now: Stripe.Dispute): boolean =>
  needsResponse(now) && !(stage === "inquiry" && stageOf(now) !== "inquiry")
