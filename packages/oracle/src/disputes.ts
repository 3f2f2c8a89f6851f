/** What the operations on disputes answer (spec: Disputes; States and transitions, Dispute). */
import { emit, post } from "./books.ts"
import { allOf, bodyOf, bool, freeText, integer, oneLine, oneOf } from "./fields.ts"
import type { By } from "./Oracle.ts"
import { amountMax } from "./orders.ts"
import { type Account, type Dispute, mention, methods, newNo, type Order, type UploadedFile } from "./state.ts"
import type { Answer, Fields, When } from "./values.ts"
import { conflict, days, invalid, missing, ok, seconds, timeOf, unanswered } from "./values.ts"
import { amountPaid, disputeView, isOpen } from "./views.ts"

export const disputeFee = 15_00

/** The buyer disputes the payment. */
export const openDispute = (account: Account, now: number, order: Order | undefined, body: unknown): Answer => {
  const checked = allOf(body ?? {}, { amount: integer(1, amountMax), reason: oneLine(1, 255) })
  if (checked !== undefined) return checked
  if (order === undefined) return missing("order")
  const sent = bodyOf(body)
  const amount = (sent["amount"] ?? amountPaid(order)) as number
  if (amount > amountPaid(order)) return invalid("amount")
  if (order.own === undefined) return conflict()
  if (!methods[order.own.method].isCard) return conflict()
  if (!account.reachable) return unanswered()
  const held = account.disputes
    .filter((dispute) => dispute.order === order && dispute.word !== "won" && dispute.word !== "closed")
    .reduce((sum, { amount: part }) => sum + part, 0)
  if (amount > amountPaid(order) - held) return invalid("amount")
  const due = sent["evidence_due_by"]
  const dispute: Dispute = {
    no: newNo.dispute(),
    processorNo: newNo.chargeback(),
    order,
    amount,
    reason: (sent["reason"] ?? "fraudulent") as string,
    openedAt: now,
    dueBy: due === undefined ? now + 7 * days : due === null ? null : Date.parse(due as string),
    state: "needs_response",
    word: "needs_response",
    acceptedAt: undefined,
    acceptedBy: undefined,
    fee: null,
    closedAt: null,
    evidence: { texts: {}, files: [], submittedAt: null, updatedAt: null },
    submittedBy: undefined
  }
  account.disputes.push(dispute)
  post(account, now, dispute, [["dispute_freeze", -amount]])
  emit(account, now, "dispute.created", dispute)
  return ok(disputeView(account, dispute), 201)
}

export const disputeNamed = (account: Account, ref: string) =>
  account.disputes.find(({ no }) => no.value === ref) ??
  account.disputes.find(({ processorNo }) => processorNo.value === ref)

const textNames = `product_description customer_name customer_email_address customer_purchase_ip billing_address
  shipping_address shipping_carrier shipping_tracking_number shipping_date service_date access_activity_log
  refund_policy_disclosure refund_refusal_explanation cancellation_policy_disclosure cancellation_rebuttal`.split(/\s+/)

const evidenceRule = (value: unknown) => {
  if (typeof value !== "object" || Array.isArray(value)) return ""
  for (const [name, text] of Object.entries(value as Fields)) {
    if (!textNames.includes(name)) return `.${name}`
    if (text !== null && freeText(5000)(text) !== undefined) return `.${name}`
  }
  return undefined
}

const isNamed = ({ disputes }: Account, file: UploadedFile) =>
  disputes.some(({ evidence }) => evidence.files.some(({ url }) => url === file.no.value))

/**
 * Whether the service still has a file. One that nothing names is removed a week after its upload; one that was named,
 * at some time in four weeks, and not for a day (silences: D23). Undefined: only the service knows.
 */
export const isKept = (account: Account, now: number, file: UploadedFile): boolean | undefined => {
  if (file.erased) return false
  if (isNamed(account, file) || now < file.uploadedAt + 7 * days) return true
  if (file.namedAt === undefined) return false
  return now < file.namedAt + 1 * days ? true : undefined
}

const fileOf = ({ files }: Account, { url }: Fields) => files.find(({ no }) => no.value === url)

/** Addresses of this account's own files. */
const filesRule = (account: Account, now: number) => (value: unknown) => {
  if (!Array.isArray(value) || value.length > 8) return ""
  const files = value.map((each: Fields) => fileOf(account, each))
  const strange = files.findIndex((file) => file === undefined || isKept(account, now, file) !== true)
  return strange === -1 ? undefined : `[${strange}].url`
}

/** A PDF; what is none is refused. */
export const uploadFile = (account: Account, now: number, body: unknown): Answer => {
  const { file } = body as { readonly file: string }
  if (!file.startsWith("%PDF-")) return invalid("file")
  const stored = { no: newNo.file(), uploadedAt: now, namedAt: undefined, erased: false }
  account.files.push(stored)
  return ok({ url: stored.no, content_type: "application/pdf", size: file.length }, 201)
}

export const giveEvidence = (account: Account, now: number, dispute: Dispute | undefined, body: unknown, by: By) => {
  const sent = bodyOf(body)
  const checked = allOf(body ?? {}, { evidence: evidenceRule, files: filesRule(account, now), submit: bool })
  if (checked !== undefined) return checked
  if (sent["evidence"] == null && sent["files"] == null) return invalid("evidence")
  const texts = Object.fromEntries(
    Object.entries((sent["evidence"] ?? {}) as Record<string, string | null>).filter(([, text]) => text !== null)
  ) as Record<string, string>
  const files = (sent["files"] ?? []) as ReadonlyArray<Fields>
  const submits = sent["submit"] === true
  const isEmpty = files.length === 0 && Object.values(texts).every((text) => text.trim() === "")
  if (submits && isEmpty) return invalid("evidence")
  for (const file of files.flatMap((each) => fileOf(account, each) ?? [])) file.namedAt = now
  if (dispute === undefined) return missing("dispute")
  // The submission's own request (silences: D18), even once its stored answer is gone.
  const isRepeated = by.request !== undefined && by.request === dispute.submittedBy
  if (submits && isRepeated) return ok(disputeView(account, dispute))
  if (dispute.state === "under_review") return conflict("under_review")
  if (dispute.state !== "needs_response") return conflict("decided")
  if (dispute.acceptedAt !== undefined) return conflict("accepted")
  if (dispute.dueBy !== null && now > dispute.dueBy) return conflict("past_deadline")
  if (submits && !account.reachable) return unanswered()
  mention(dispute.order, Object.values(texts))
  dispute.evidence = { texts, files, submittedAt: submits ? now : null, updatedAt: now }
  if (submits) {
    dispute.submittedBy = by.request
    dispute.state = "under_review"
    dispute.word = "under_review"
    emit(account, now, "dispute.updated", dispute)
  }
  return ok(disputeView(account, dispute))
}

export const acceptDispute = (
  account: Account,
  now: number,
  dispute: Dispute | undefined,
  _: unknown,
  by: By
): Answer => {
  if (dispute === undefined) return missing("dispute")
  if (dispute.state === "under_review") return conflict("under_review")
  // The acceptance's own request (silences: D18).
  const isRepeated = by.request !== undefined && by.request === dispute.acceptedBy
  if (isRepeated) return ok(disputeView(account, dispute))
  if (dispute.state !== "needs_response") return conflict("decided")
  if (dispute.acceptedAt === undefined) {
    if (!account.reachable) return unanswered()
    dispute.acceptedAt = now
    dispute.acceptedBy = by.request
    dispute.word = "accepted"
  }
  return ok(disputeView(account, dispute))
}

/** A conceded dispute is written off five seconds later, one without an answer after its deadline. */
export const lostAt = ({ acceptedAt, dueBy, state }: Dispute): number | undefined => {
  if (state !== "needs_response") return undefined
  if (acceptedAt !== undefined) return acceptedAt + 5 * seconds
  return dueBy === null ? undefined : dueBy
}

export const resolveByHelper = (account: Account, now: number, dispute: Dispute | undefined, body: unknown): Answer => {
  const outcome = bodyOf(body)["outcome"]
  if (oneOf(["won", "lost", "closed"])(outcome) !== undefined) return invalid("outcome")
  if (dispute === undefined) return missing("dispute")
  if (!account.reachable) return unanswered()
  decide(account, now, dispute, outcome as "won" | "lost" | "closed")
  return ok(disputeView(account, dispute))
}

/** The bank's decision. A contradictory one is only recorded (silences: D1). */
export const decide = (account: Account, when: When, dispute: Dispute, word: "won" | "lost" | "closed") => {
  const now = timeOf(when)
  const before = dispute.state
  dispute.word = word
  const isAppeal = before === "lost" && word === "won"
  if (!isOpen(dispute) && !isAppeal) return
  dispute.state = word
  dispute.closedAt = now
  if (word === "lost") dispute.fee = disputeFee
  const { amount } = dispute
  post(
    account,
    now,
    dispute,
    word === "lost"
      ? [
          ["dispute_debit", -amount],
          ["dispute_fee", -disputeFee]
        ]
      : [[isAppeal ? "dispute_appealed" : "dispute_unfreeze", amount]]
  )
  emit(account, now, `dispute.${word}`, dispute)
}
