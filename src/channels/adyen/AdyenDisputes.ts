/**
 * Disputes at Adyen: sends evidence with its files, and concedes. Adyen has no call that reads a dispute, so its status
 * is what its notices say, and what it has taken of us (`adyen_answers`, migration 0227). Each call has an idempotency
 * key made from our answer, so a repeat takes effect once.
 */
import { isoText } from "@coffer/model/isoText"
import type { Evidence, EvidenceFile } from "@coffer/model/Evidence"
import { Effect, Option, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { Files } from "../../money/files/Files.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import { sha256 } from "../../platform/runtime/Secrets.ts"
import { span } from "../../platform/runtime/span.ts"
import type { DisputeDesk, DisputeName, DisputeWord, StepAnswer } from "../../shared/channel/disputes.ts"
import { ChannelUnreachable } from "../../shared/channel/payments.ts"
import { AdyenClient, readOnly } from "./AdyenClient.ts"
import { chooseReason, type Document, Reason, textsAsPdf } from "./defence.ts"
import { wordOf } from "./disputeWords.ts"
import { NoticeStore } from "./NoticeStore.ts"
import type { AdyenFailure } from "./wire.ts"

const Done = Schema.Struct({
  disputeServiceResult: Schema.Struct({ success: Schema.Boolean, errorMessage: Schema.optionalKey(Schema.String) })
})
const decodeDone = Schema.decodeUnknownOption(Done)
const decodeReasons = Schema.decodeUnknownOption(
  Schema.Struct({ defenseReasons: Schema.optionalKey(Schema.Array(Reason)) })
)
const AnswerRow = Schema.Struct({
  step: Schema.Literals(["submit", "accept"]),
  answer: Schema.String,
  /** Adyen's reason that it was given for. */
  reason_code: Schema.NullOr(Schema.String),
  /** Null while Adyen is not known to have taken it. */
  taken_at: Schema.NullOr(TimeColumn)
})
type AnswerRow = typeof AnswerRow.Type
const decodeAnswers = Schema.decodeUnknownEffect(Schema.Array(AnswerRow))

type Named = Pick<DisputeName, "merchantId" | "mode" | "processorDisputeId">

/** Our last answer to a dispute. It is written before Adyen is asked. */
export const makeAnswers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const faults = yield* Faults
  const find = ({ merchantId, mode, processorDisputeId }: Named) =>
    sqlDefects(
      Effect.map(
        Effect.flatMap(
          sql`select step, answer, reason_code, taken_at from adyen_answers where merchant_id = ${merchantId}
            and mode = ${mode} and processor_dispute_id = ${processorDisputeId}`,
          decodeAnswers
        ),
        ([row]) => row
      )
    )
  return {
    find,
    /** The one that Adyen has taken. */
    taken: (dispute: Named) => Effect.map(find(dispute), (row) => (row?.taken_at == null ? undefined : row)),
    note: Effect.fnUntraced(function* (dispute: Named, { answer, reason_code, step, taken_at }: AnswerRow) {
      const { merchantId, mode, processorDisputeId } = dispute
      const at = taken_at === null ? null : isoText(taken_at)
      const write = sqlDefects(sql`insert into adyen_answers
          (merchant_id, mode, processor_dispute_id, step, answer, reason_code, taken_at)
        values (${merchantId}, ${mode}, ${processorDisputeId}, ${step}, ${answer}, ${reason_code}::text,
          ${at}::text::timestamptz)
        on conflict (merchant_id, mode, processor_dispute_id) do update set step = excluded.step,
          answer = excluded.answer, reason_code = excluded.reason_code, taken_at = excluded.taken_at`)
      yield* faults.around("Store.write", write, () => "adyen_answers")
    })
  }
})

/** A merchant's evidence as documents: its files, and its texts as one. */
const makeDocuments = (files: Files["Service"]) => {
  const documentOf = Effect.fnUntraced(function* ({ type, url }: EvidenceFile) {
    const name = url.slice(url.lastIndexOf("/") + 1)
    const content = yield* files.open(name)
    if (Option.isNone(content)) return yield* Effect.die(`the file ${name} of a dispute is not in the storage`)
    const contentType = name.endsWith(".pdf") ? "application/pdf" : name.endsWith(".png") ? "image/png" : "image/jpeg"
    return { type, contentType, content: Buffer.concat(yield* Stream.runCollect(content.value)) } satisfies Document
  })

  return Effect.fnUntraced(function* (evidence: Evidence) {
    const texts = textsAsPdf(evidence.text)
    const written: ReadonlyArray<Document> =
      texts === undefined ? [] : [{ type: "texts", contentType: "application/pdf", content: texts }]
    return [...(yield* Effect.forEach(evidence.files, documentOf)), ...written]
  })
}

export const makeAdyenDisputes = Effect.gen(function* () {
  const client = yield* AdyenClient
  const notices = yield* NoticeStore
  const files = yield* Files
  const answers = yield* makeAnswers

  const status = Effect.fnUntraced(function* (dispute: DisputeName) {
    const heard = yield* notices.about(dispute, dispute.processorDisputeId)
    const word = wordOf(heard, (yield* answers.taken(dispute))?.step, dispute.currency)
    // Its first notice has opened it here.
    return word ?? (yield* new ChannelUnreachable())
  })

  const documentsOf = makeDocuments(files)

  /** One step at Adyen. `said`: Adyen's words if it does not take it. */
  const step = (dispute: DisputeName, path: string, body: object, key?: string) =>
    client.call(dispute, decodeDone, ({ account }) => ({
      service: "disputes",
      method: "POST",
      path,
      body: { merchantAccountCode: account, disputePspReference: dispute.processorDisputeId, ...body },
      ...(key === undefined ? {} : { idempotencyKey: key })
    }))

  /** Supplies the documents. Answers the reason for the defence, or Adyen's words if it does not take them. */
  const supply = Effect.fnUntraced(function* (dispute: DisputeName, evidence: Evidence) {
    const question = client.call(dispute, decodeReasons, ({ account }) => ({
      service: "disputes",
      method: "POST",
      path: "/retrieveApplicableDefenseReasons",
      body: { merchantAccountCode: account, disputePspReference: dispute.processorDisputeId }
    }))
    const { defenseReasons = [] } = yield* readOnly(question)
    const chosen = chooseReason(defenseReasons, yield* documentsOf(evidence))
    if (chosen === undefined) return { refusal: lacking(defenseReasons) }
    const defenseDocuments = chosen.placed.map(({ content, contentType, place }) => ({
      content: content.toString("base64"),
      contentType,
      defenseDocumentTypeCode: place
    }))
    // Without a key: a repeat replaces the documents by the same.
    const supplied = yield* step(dispute, "/supplyDefenseDocument", { defenseDocuments })
    return supplied.disputeServiceResult.success ? { code: chosen.code } : { refusal: wordsOf(supplied) }
  })

  const submit = span("AdyenDisputes.submit")(function* (dispute: DisputeName, evidence: Evidence, answer: string) {
    const before = yield* answers.find(dispute)
    const isSame = before?.answer === answer
    if (isSame && before.taken_at !== null) return taken(yield* status(dispute))
    // A call before this one may have been taken, and then Adyen takes no documents any more.
    const supplied =
      isSame && before.reason_code !== null ? { code: before.reason_code } : yield* supply(dispute, evidence)
    if (supplied.code === undefined) return refused(yield* status(dispute), supplied.refusal)
    return yield* conclude(dispute, { step: "submit", answer, reason_code: supplied.code }, "/defendDispute", {
      defenseReasonCode: supplied.code
    })
  })

  const conclude = Effect.fnUntraced(function* (
    dispute: DisputeName,
    sent: Omit<AnswerRow, "taken_at">,
    path: string,
    body: object
  ) {
    yield* answers.note(dispute, { ...sent, taken_at: null })
    const done = yield* step(dispute, path, body, keyOf(dispute, sent.answer))
    if (!done.disputeServiceResult.success) return refused(yield* status(dispute), wordsOf(done))
    yield* answers.note(dispute, { ...sent, taken_at: yield* currentTime })
    return taken(yield* status(dispute))
  })

  const accept = span("AdyenDisputes.accept")(function* (dispute: DisputeName) {
    if ((yield* answers.taken(dispute))?.step === "accept") return taken(yield* status(dispute))
    const acceptance = { step: "accept", answer: "accept", reason_code: null } as const
    return yield* conclude(dispute, acceptance, "/acceptDispute", {})
  })

  /** Without an answer the outcome is unknown, and the same call is made again later. */
  const known = (dispute: DisputeName, call: Effect.Effect<StepAnswer, AdyenFailure>) =>
    Effect.catchTags(call, {
      AdyenSilent: () => Effect.succeed<StepAnswer>({ _tag: "Unknown" }),
      AdyenRefused: ({ message }) => Effect.map(status(dispute), (word) => refused(word, message))
    })

  return {
    submit: (dispute, evidence, answer) => known(dispute, submit(dispute, evidence, answer)),
    // Adyen's test disputes are decided by the documents' names, and not by our texts.
    isTest: () => false,
    accept: (dispute) => known(dispute, accept(dispute)),
    status
  } satisfies DisputeDesk
})

const taken = (word: DisputeWord): StepAnswer => ({ _tag: "Taken", word })
const refused = (word: DisputeWord, reason: string): StepAnswer => ({ _tag: "Refused", word, reason })

const wordsOf = ({ disputeServiceResult: { errorMessage } }: typeof Done.Type): string =>
  errorMessage ?? "Adyen did not take it"

/** At most 64 characters. */
const keyOf = ({ processorDisputeId }: DisputeName, answer: string): string =>
  `coffer/answer/${sha256(`${processorDisputeId}/${answer}`).slice(0, 40)}`

/** The documents of Adyen's first reason. */
const lacking = ([first]: ReadonlyArray<Reason>): string => {
  const types = (first?.defenseDocumentTypes ?? []).filter(({ requirementLevel }) => requirementLevel !== "Optional")
  return types.length === 0
    ? "Adyen has no reason for which these documents are enough"
    : `Adyen wants other documents: ${types.map((type) => type.defenseDocumentTypeCode).join(", ")}`
}
