/**
 * A dispute's status, from Adyen's notices about it in whatever order they came, and from our own answer. Only their
 * codes count, which are signed; the deadline is not, and is shown to people. Pure.
 */
import { Currency, Minor } from "@coffer/model/Money"
import type { ChannelDispute } from "@coffer/rules/order/Order"
import { DateTime, Schema } from "effect"
import type { DisputeOutcome, DisputeWord } from "../../shared/channel/disputes.ts"
import type { NoticeRow } from "./NoticeStore.ts"

/** What each code says: whether the bank has taken the money, whether it has an answer, and how it ends. */
interface Says {
  readonly taken: boolean
  readonly isAnswered: boolean
  readonly outcome?: DisputeOutcome
}

const open = { isAnswered: false } as const
const answered = { isAnswered: true } as const

/** From the first to the last word: a later one in this list goes before an earlier one. */
const words: ReadonlyArray<readonly [code: string, says: Says]> = [
  ["NOTIFICATION_OF_CHARGEBACK", { ...open, taken: false }],
  ["DISPUTE_OPENED_WITH_CHARGEBACK", { ...open, taken: true }],
  ["CHARGEBACK", { ...open, taken: true }],
  ["INFORMATION_SUPPLIED", { ...answered, taken: true }],
  // Nobody has defended it in time, or we have accepted it.
  ["DISPUTE_DEFENSE_PERIOD_ENDED", { ...answered, taken: true, outcome: "lost" }],
  // The money is back, and the bank may take it again.
  ["CHARGEBACK_REVERSED", { ...answered, taken: false }],
  ["ISSUER_RESPONSE_TIMEFRAME_EXPIRED", { ...answered, taken: false, outcome: "won" }],
  ["SECOND_CHARGEBACK", { ...answered, taken: true, outcome: "lost" }],
  ["PREARBITRATION_WON", { ...answered, taken: false, outcome: "won" }],
  ["PREARBITRATION_LOST", { ...answered, taken: true, outcome: "lost" }]
]
const rankOf = (code: string): number => words.findIndex(([each]) => each === code)

export const isOfDispute = (code: string): boolean => rankOf(code) >= 0

/** Our answer that Adyen has taken. */
export type Answer = "submit" | "accept" | undefined

const isCurrency = Schema.is(Currency)

interface Heard {
  readonly status: string
  readonly says: Says
  readonly last: NoticeRow
  readonly first: NoticeRow
}

const hear = (notices: ReadonlyArray<NoticeRow>, answer: Answer): Heard | undefined => {
  const known = notices.filter(({ code }) => isOfDispute(code)).toSorted((a, b) => rankOf(a.code) - rankOf(b.code))
  const [first] = known
  const last = known.at(-1)
  if (first === undefined || last === undefined) return undefined
  const says = words[rankOf(last.code)]![1]
  const heard = { status: last.code.toLowerCase(), says, last, first }
  if (says.isAnswered || answer === undefined) return heard
  return answer === "accept"
    ? { ...heard, status: "accepted", says: { ...says, isAnswered: true, outcome: "lost" } }
    : { ...heard, status: "defended", says: { ...says, isAnswered: true } }
}

/** The last moment for an answer, as the newest notice says it. */
const answerByOf = (notices: ReadonlyArray<NoticeRow>): DateTime.Utc | null =>
  notices
    .flatMap(({ answer_by }) => answer_by ?? [])
    .toSorted(DateTime.Order)
    .at(-1) ?? null

/** Undefined while no notice about it is here. `currency`: that of the payment. */
export const wordOf = (
  notices: ReadonlyArray<NoticeRow>,
  answer: Answer,
  currency: Currency
): DisputeWord | undefined => {
  const heard = hear(notices, answer)
  if (heard === undefined) return undefined
  const { last, says, status } = heard
  return {
    status,
    outcome: says.outcome,
    standing: {
      stage: "chargeback",
      isAnswered: says.isAnswered,
      amount: isCurrency(last.currency) && last.currency === currency ? Minor.make(last.amount) : null,
      evidenceDueBy: answerByOf(notices)
    }
  }
}

/** A dispute about an unapplied payment. `paid`: what the bank takes where it names another currency. */
export const channelDisputeOf = (
  notices: ReadonlyArray<NoticeRow>,
  id: string,
  { amount: paid, currency }: { readonly amount: number; readonly currency: string }
): ChannelDispute | undefined => {
  const heard = hear(notices, undefined)
  if (heard === undefined) return undefined
  const { last, says, status } = heard
  const amount = last.currency === currency ? last.amount : paid
  const answerBy = answerByOf(notices)
  return {
    id,
    status,
    taken: Minor.make(says.taken ? amount : 0),
    isOver: says.outcome !== undefined,
    ...(answerBy === null ? {} : { answerBy })
  }
}
