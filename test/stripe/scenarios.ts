/**
 * The work of merchants, buyers and banks with money at Stripe, each as a list of steps. A step says whether it is
 * done, and runs again until it is: by the same numbers, and only what has not happened yet.
 */
import { Effect } from "effect"
import type { Desk } from "./desk.ts"

export type Step = (desk: Desk) => Effect.Effect<boolean, unknown>

export interface Scenario {
  readonly name: string
  /** The state before; nothing fails here. */
  readonly before: ReadonlyArray<Step>
  readonly steps: ReadonlyArray<Step>
  /** Its goal: a row of the books, so that a scenario without an effect cannot pass twice. */
  readonly ends: { readonly book: "orders" | "refunds" | "disputes"; readonly row: RegExp }
  /** It needs a day. */
  readonly isLong?: true
  /** It represents all others where `npm test` lets a day pass. */
  readonly hasLong?: true
  /** Its process dies in `npm test` too. */
  readonly dies?: true
  /** It needs the helpers of the sandbox. */
  readonly isSandboxes?: true
}

const made: Step = ({ order }) => order()
const toHold: Step = ({ order }) => order({ capture: "manual" })
const chosen =
  (method = "card"): Step =>
  ({ choose }) =>
    choose(method)
const pays =
  (how: Parameters<Desk["pay"]>[0] = {}): Step =>
  ({ pay }) =>
    pay(how)
const returned: Step = ({ back }) => back
const isNow =
  (status: string): Step =>
  ({ is }) =>
    is(status)
const untold: Step = ({ fault }) => Effect.as(fault({ on: "webhook *", kind: "late", seconds: 45, times: 9 }), true)

/** No time passes in between. */
const atOnce =
  (first: Step, second: Step): Step =>
  (desk) =>
    Effect.andThen(first(desk), second(desk))

const sold = (card = "pm_card_visa"): ReadonlyArray<Step> => [made, chosen(), pays({ with: card }), isNow("paid")]
const refunds: Step = ({ refund }) => refund("refund", 700)
/** Or its later state, for a caller that repeats the steps. */
const refundIs =
  (...statuses: ReadonlyArray<string>): Step =>
  (desk) =>
    desk.refundIs("refund", ...statuses)
const isOpened: Step = ({ disputeIs }) => disputeIs("needs_response", "under_review", "won", "lost", "closed")
const objected = (how: object = {}): ReadonlyArray<Step> => [...sold(), ({ disputed }) => disputed(how), isOpened]
const answered: Step = (desk) =>
  Effect.gen(function* () {
    // Where a process dies, its folder of files is gone with it in these tests.
    const files = desk.isLive ? [] : [{ type: "receipt", url: yield* desk.file }]
    return yield* desk.respond({ evidence: { product_description: "Tea" }, files })
  })

export const scenarios: ReadonlyArray<Scenario> = [
  {
    name: "paid by card",
    ends: { book: "orders", row: /^order paid / },
    before: [made],
    steps: [chosen(), pays(), returned, isNow("paid")]
  },
  {
    name: "paid by card, after the bank refused another",
    ends: { book: "orders", row: /^order paid / },
    before: [made],
    steps: [chosen(), pays({ with: "4000000000000002" }), pays(), isNow("paid")]
  },
  {
    name: "paid after the key was given again",
    ends: { book: "orders", row: /^order paid / },
    before: [made],
    steps: [({ keyGiven }) => keyGiven, chosen(), pays(), isNow("paid")]
  },
  {
    name: "paid by wallet, after choosing a card",
    dies: true,
    ends: { book: "orders", row: /^order paid / },
    before: [made],
    steps: [chosen(), chosen("alipay"), pays({ with: "alipay", authorises: true }), isNow("paid")]
  },
  {
    name: "paid by card, after a method that Stripe leaves out",
    ends: { book: "orders", row: /^order paid / },
    before: [made, ({ account, control }) => Effect.as(control.set_account({ account, methods: ["card"] }), true)],
    steps: [({ meetsNothing }) => meetsNothing("alipay"), chosen(), pays(), isNow("paid")]
  },
  {
    name: "paid by two pages at once",
    ends: { book: "orders", row: /^order paid / },
    before: [made],
    steps: [
      ({ choose }) =>
        Effect.map(
          Effect.all([choose("card", "among others"), choose("alipay", "among others")], { concurrency: 2 }),
          (done) => done.some((each) => each)
        ),
      chosen(),
      pays(),
      isNow("paid")
    ]
  },
  {
    name: "paid, and chosen again before that is told",
    ends: { book: "orders", row: /^order paid / },
    before: [made, chosen()],
    steps: [untold, atOnce(pays(), chosen("alipay")), isNow("paid")]
  },
  {
    name: "paid after it was processed",
    ends: { book: "orders", row: /^order paid / },
    before: [made, chosen()],
    steps: [atOnce(pays({ processing: 60 }), returned), isNow("paid")]
  },
  {
    name: "closed early",
    ends: { book: "orders", row: /^order expired / },
    before: [made],
    steps: [chosen(), ({ close }) => close("expired"), isNow("expired")]
  },
  {
    name: "closed early while the buyer pays",
    ends: { book: "orders", row: /^order paid / },
    before: [made, chosen()],
    steps: [untold, atOnce(pays(), ({ close }) => close("conflict")), isNow("paid")]
  },
  {
    name: "expired at its deadline",
    ends: { book: "orders", row: /^order expired / },
    before: [made],
    steps: [chosen(), isNow("expired")],
    isLong: true
  },
  {
    name: "held, and captured in part",
    ends: { book: "orders", row: /^order paid / },
    before: [toHold],
    steps: [chosen(), pays(), isNow("authorized"), ({ capture }) => capture(1_500), isNow("paid")]
  },
  {
    name: "held, and given up",
    ends: { book: "orders", row: /^order expired / },
    before: [toHold],
    steps: [chosen(), pays(), isNow("authorized"), ({ giveUp }) => giveUp, isNow("canceled")]
  },
  {
    name: "paid twice, and given back",
    ends: { book: "orders", row: /^order paid / },
    before: [made, chosen()],
    steps: [({ helped }) => helped("succeed"), pays(), ({ all }) => Effect.sync(() => all.refunds().length === 1)],
    isSandboxes: true
  },
  {
    name: "paid too late, and given back",
    ends: { book: "orders", row: /^order failed / },
    before: [made, chosen()],
    steps: [({ helped }) => helped("fail"), pays(), ({ all }) => Effect.sync(() => all.refunds().length === 1)],
    isSandboxes: true
  },
  {
    name: "refund that succeeds at once",
    ends: { book: "refunds", row: /^700 succeeded$/ },
    before: sold(),
    steps: [refunds, refundIs("succeeded")],
    hasLong: true
  },
  {
    name: "two refunds, the first of them asked for twice at once",
    dies: true,
    ends: { book: "refunds", row: /^700 succeeded$/ },
    before: sold(),
    steps: [
      ({ refund }) =>
        Effect.map(Effect.all([refund("refund", 700), refund("refund", 700)], { concurrency: 2 }), (done) =>
          done.every((each) => each)
        ),
      ({ refund }) => refund("second", 300),
      refundIs("succeeded"),
      (desk) => desk.refundIs("second", "succeeded")
    ]
  },
  {
    name: "refund that takes time",
    ends: { book: "refunds", row: /^700 succeeded$/ },
    before: sold("pm_card_pendingRefund"),
    steps: [refunds, refundIs("succeeded")]
  },
  {
    name: "refund that the bank sends back",
    ends: { book: "refunds", row: /^700 failed$/ },
    before: sold(),
    steps: [refunds, refundIs("succeeded", "failed"), ({ sendBack }) => sendBack, refundIs("failed")]
  },
  {
    name: "dispute won with evidence",
    dies: true,
    ends: { book: "disputes", row: /^600 null won / },
    before: objected(),
    steps: [
      answered,
      ({ disputeIs }) => disputeIs("under_review", "won"),
      ({ decide }) => decide("won"),
      ({ disputeIs }) => disputeIs("won")
    ]
  },
  {
    name: "dispute opened and lost without an answer",
    ends: { book: "disputes", row: /^600 \d+ lost / },
    before: sold(),
    steps: [
      ({ disputed }) => disputed(),
      isOpened,
      ({ decide }) => decide("lost"),
      ({ disputeIs }) => disputeIs("lost")
    ]
  },
  {
    name: "dispute conceded",
    ends: { book: "disputes", row: /^600 \d+ lost / },
    before: objected(),
    steps: [({ concede }) => concede, ({ disputeIs }) => disputeIs("lost")]
  },
  {
    name: "inquiry that is answered, becomes a chargeback, and is answered again",
    dies: true,
    ends: { book: "disputes", row: /^600 null won / },
    before: objected({ is_inquiry: true }),
    steps: [
      answered,
      ({ disputeIs }) => disputeIs("under_review", "won"),
      ({ decide }) => decide("escalated"),
      ({ isChargeback }) => isChargeback,
      answered,
      ({ disputeIs }) => disputeIs("under_review", "won"),
      ({ decide }) => decide("won"),
      ({ disputeIs }) => disputeIs("won")
    ]
  },
  {
    name: "inquiry of a payment that is refunded in part, and a chargeback that is lost",
    ends: { book: "disputes", row: /^600 \d+ lost / },
    before: objected({ is_inquiry: true }),
    steps: [
      refunds,
      refundIs("succeeded"),
      ({ refundIsOld }) => refundIsOld,
      ({ decide }) => decide("escalated"),
      ({ isChargeback }) => isChargeback,
      ({ decide }) => decide("lost"),
      ({ disputeIs }) => disputeIs("lost")
    ]
  },
  {
    name: "inquiry that is closed",
    ends: { book: "disputes", row: /^600 null closed / },
    before: sold(),
    steps: [
      ({ disputed }) => disputed({ is_inquiry: true }),
      isOpened,
      ({ decide }) => decide("warning_closed"),
      ({ disputeIs }) => disputeIs("closed")
    ]
  }
]
