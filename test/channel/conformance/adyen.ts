/** Adyen, for the suite: by the simulator, which has the test's clock, and one account for each law. */
import type { Account, Payment } from "@coffer/simulator/adyen/start"
import { Effect } from "effect"
import type { Order } from "@coffer/rules/order/Order"
import { connect, type Connected, type World as Base, worlds } from "../../adyen/kit.ts"
import type { Act, Call, Harness, Own } from "./Harness.ts"

/** What each call of the port asks for at Adyen. */
const asks: Readonly<Record<Call, string>> = {
  begin: "POST /v72/paymentLinks",
  lookUp: "GET /v72/paymentLinks/*",
  cancel: "PATCH /v72/paymentLinks/*",
  giveBack: "POST /v72/payments/*/reversals",
  refund: "POST /v72/payments/*/refunds",
  submit: "POST /ca/*/defendDispute",
  accept: "POST /ca/*/acceptDispute",
  status: "POST /ca/none",
  capture: "POST /v72/payments/*/captures",
  release: "POST /v72/payments/*/cancels"
}

/** Adyen's names of the methods in a notice. */
const variants = {
  card: "visa",
  alipay: "alipay",
  wechat_pay: "wechatpayQR",
  apple_pay: "visa_applepay",
  google_pay: "visa_googlepay"
} as const

export const adyen: Harness = {
  name: "adyen",
  lacks: {
    asked: "no call of Adyen reads a payment, a refund or a dispute: a notice or the settlement report tells",
    away: "a link says nothing of a buyer who is at a bank; a payment that comes after its end goes back",
    fails: "a link stays payable after each attempt until it expires",
    inquiries: "a request for information has no end at Adyen, so it opens no dispute",
    withdraws: "Adyen tells of a withdrawn chargeback as of one that was reversed"
  },
  world: Effect.map(worlds(), (world) => ({ running: world, account: (merchant) => accountAt(world, merchant) }))
}

interface At extends Own {
  readonly atAdyen: Account
}

const accountAt = Effect.fnUntraced(function* (base: Base, merchant: Parameters<typeof connect>[1]) {
  // What an earlier law has broken is not this one's; and its account is not looked at any more.
  base.simulator.faults.clear()
  yield* base.atRest
  yield* base.sql`update adyen_reports set due_at = '9999-12-31'`
  const world = yield* connect(base, merchant)
  const { atAdyen, bank, simulator } = world
  const held = new Set<string>()
  let holds = 0
  const refusing = new Set<Payment>()
  /** The bank decides about modifications at once, unless one is to be pending. */
  const decide = Effect.sync(() => {
    for (const [id, { kind, payment, state }] of bank.modifications) {
      if (state !== "asked" || held.has(id)) continue
      if (kind === "CAPTURE" && refusing.delete(payment)) bank.decide(id, "refused")
      else if (holds === 0) bank.decide(id, "done")
      else {
        holds--
        held.add(id)
      }
    }
  })
  const fault = (
    call: string,
    kind: "cut_before" | "cut_after" | "error_before" | "error_after" | "rate_limited",
    times = 1
  ) => Effect.sync(() => simulator.faults.add({ on: call, kind, times, account: bank.account }))
  const calm = Effect.sync(() => simulator.faults.clear(bank.account))
  const rest = Effect.andThen(world.settled, Effect.andThen(decide, world.settled))
  const own: At = {
    atAdyen,
    rest,
    page: true,
    books: (order) => booksOf(world, order),
    ...buyersOf(world),
    ...banksOf(world, () => void holds++),
    holds: {
      captures: (order, part) => Effect.sync(() => bank.captureByHand(paymentsOf(world, order).at(-1)!, part)),
      ends: (order) => Effect.sync(() => bank.expire(paymentsOf(world, order).at(-1)!)),
      refuses: (order) => Effect.sync(() => void refusing.add(paymentsOf(world, order).at(-1)!))
    },
    notices: noticesOf(world, rest),
    reachable: (is) => (is ? calm : fault("*", "cut_before", 10_000)),
    wire: {
      // A call on a kept connection that was cut is made once more.
      lose: (call, when, how) =>
        how === "failure" ? fault(asks[call], `error_${when}`) : fault(asks[call], `cut_${when}`, 2),
      calm
    },
    crowd: (call) => fault(asks[call], "rate_limited", 20),
    key: {
      revoke: Effect.sync(() => simulator.close(atAdyen)),
      restore: Effect.sync(() => simulator.open(atAdyen))
    },
    clock: { ahead: Effect.sync(() => simulator.goAhead(120_000)) }
  }
  return own
})

const paymentsOf = ({ bank }: Connected, { tradeNo }: Pick<Order, "tradeNo">): ReadonlyArray<Payment> =>
  [...bank.payments.values()].filter(({ reference }) => reference === tradeNo)

const buyersOf = (world: Connected): Pick<Own, "acts" | "sums" | "processes"> => {
  const { bank } = world
  const open = ({ tradeNo }: Order) => world.links({ trade_no: tradeNo }).findLast(({ status }) => status === "active")!
  const how: Readonly<Record<Act, object>> = {
    pays: {},
    declines: { refused: "Not enough balance" },
    fails: {},
    "leaves for the wallet": {},
    "pays later": { pending: true }
  }
  return {
    // Nothing of a buyer at the bank is seen.
    acts: (order, act, method) =>
      Effect.sync(() =>
        act === "leaves for the wallet"
          ? undefined
          : void bank.pay(open(order).id, { variant: variants[method], ...how[act] })
      ),
    sums: (order, amount) => Effect.sync(() => void bank.pay(open(order).id, { amount })),
    processes: {
      ends: (order) =>
        Effect.andThen(
          Effect.sync(() => void bank.finish(paymentsOf(world, order).at(-1)!)),
          world.settled
        )
    }
  }
}

const booksOf = Effect.fnUntraced(function* (world: Connected, order: Order) {
  // Of a link whose answer was lost for good nobody has the address: no buyer can pay in it, and it runs out.
  const rows = yield* world.sql<{ readonly link_id: string }>`select link_id from adyen_links
    where trade_no = ${order.tradeNo}`
  const known = new Set(rows.map(({ link_id }) => link_id))
  const payments = paymentsOf(world, order)
  const disputes = [...world.bank.disputes.values()].filter(({ payment }) => payments.includes(payment))
  return {
    open: world.links({ trade_no: order.tradeNo }).filter(({ id, status }) => status === "active" && known.has(id))
      .length,
    paid: payments.flatMap(({ amount, hold }) => (hold === undefined || hold === "captured" ? [amount] : [])),
    held: payments.flatMap(({ amount, hold }) => (hold === "held" ? [amount] : [])),
    refunded: [...world.bank.modifications.values()].flatMap(({ amount, kind, payment, state }) =>
      payments.includes(payment) &&
      payment.hold !== "released" &&
      kind.endsWith("REFUND") &&
      (state === "asked" || state === "done")
        ? [amount]
        : []
    ),
    answers: disputes.filter(({ isDefended }) => isDefended).length,
    isConceded: disputes.some(({ event }) => event === "DISPUTE_DEFENSE_PERIOD_ENDED")
  }
})

type Banks = Pick<Own, "disputes" | "decides" | "pends" | "settles" | "sendsBack">

const banksOf = (world: Connected, hold: () => void): Banks => {
  const { bank } = world
  const modification = (refundNo: string) =>
    [...bank.modifications.values()].find(({ reference }) => reference === refundNo)!
  return {
    disputes: (order, part) => Effect.sync(() => bank.charge(bank.open(paymentsOf(world, order).at(-1)!, part))),
    decides: (order, outcome) =>
      Effect.sync(() => {
        const payments = paymentsOf(world, order)
        const dispute = [...bank.disputes.values()].findLast(({ payment }) => payments.includes(payment))!
        if (outcome === "won") bank.win(dispute)
        else if (dispute.isDefended) bank.lose(dispute)
        else bank.end(dispute)
      }),
    pends: Effect.as(Effect.sync(hold), "card" as const),
    settles: (refundNo, outcome) =>
      Effect.sync(
        () => void bank.decide(modification(refundNo).pspReference, outcome === "succeeded" ? "done" : "refused")
      ),
    sendsBack: (refundNo) => Effect.sync(() => void bank.decide(modification(refundNo).pspReference, "failed"))
  }
}

/** What the settlement report says, too, once money has moved. */
const reported = ["AUTHORISATION", "CAPTURE", "REFUND", "REFUND_FAILED", "NOTIFICATION_OF_CHARGEBACK", "CHARGEBACK"]

const noticesOf = (world: Connected, rest: Effect.Effect<unknown, unknown>): NonNullable<Own["notices"]> => {
  const { api, atAdyen, bank, simulator } = world
  const url = atAdyen.webhookUrl
  /** All notices so far, also those that wait, sent to the address of this account and signed as its own. */
  const post = Effect.fnUntraced(function* (to: Account, address: string, hmacKey = to.hmacKey) {
    for (const item of [...bank.sent, ...bank.notices]) {
      const batch = simulator.batchOf([{ ...item, merchantAccountCode: to.bank.account }], hmacKey)
      yield* api.call("POST", new URL(address).pathname, { body: batch })
    }
  })
  const hasMoved = (number: string) =>
    bank.moved.some(({ modification, payment }) => [modification, payment.pspReference].includes(number))
  const hold = Effect.sync(() => void (atAdyen.webhookUrl = undefined))
  const open = Effect.sync(() => void (atAdyen.webhookUrl = url))
  return {
    hold,
    release: (order) =>
      Effect.andThen(
        open,
        Effect.sync(() => {
          if (order === "newest first") bank.notices.splice(0, bank.notices.length, ...bank.notices.toReversed())
        })
      ),
    again: (how) => post(atAdyen, url!, how === undefined ? atAdyen.hmacKey : "cd".repeat(32)),
    astray: (stranger) => {
      const { atAdyen: other } = stranger as At
      return post(other, other.webhookUrl!)
    },
    lose: hold,
    // What a report tells comes by the report alone. The others come again, since nobody has acknowledged them.
    find: Effect.gen(function* () {
      const again = bank.notices
        .splice(0)
        .filter(
          (item) => item.success === "false" || !reported.includes(item.eventCode) || !hasMoved(item.pspReference)
        )
      bank.closeBatch()
      yield* Effect.andThen(open, rest)
      bank.notices.push(...again)
      yield* rest
    })
  }
}
