/**
 * One merchant of many with an account at a simulated Stripe, its buyer and its bank: their questions, and whether the
 * answers are true. Each answer is compared with Stripe's state at that moment.
 */
import type { Mode } from "@coffer/model/Ids"
import { accountOf, type Simulator } from "@coffer/simulator/start"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Stripe } from "stripe"
import type { Merchant, Reply } from "../kit/Api.ts"
import { type Json, merchantOf } from "../kit/Merchant.ts"
import type { Running } from "../kit/Service.ts"
import { uploaded } from "../kit/callers/uploads.ts"
import { chooses, leadsTo } from "./kit.ts"

export interface DeskOf {
  readonly running: Running
  readonly simulator: Simulator
  readonly merchant: Merchant
  readonly stripe: Stripe
  readonly key: string
  readonly mode: Mode
}

export const orderNumber = "order"
export const amount = 2_000

/** Nothing was done, or a first request is still running: it may be sent again. */
const mayBeAgain = ({ body, status }: Reply) =>
  status === 502 || status === 503 || (status === 409 && body?.error === "idempotency_in_progress")

const busy: ReadonlyArray<string> = ["processing", "requires_action", "requires_capture"]

/** The objects as the account at Stripe and the merchant's API have them. */
const viewOf = (of: DeskOf) => {
  const { key, merchant, mode, running, simulator } = of
  const account = accountOf(key)
  const shop = merchantOf({ api: running.api, merchant }, mode === "live" ? merchant.liveKey : merchant.sandboxKey)
  const all = {
    sessions: () => simulator.all("checkout.session", account),
    intents: () => simulator.all("payment_intent", account),
    refunds: () => simulator.all("refund", account),
    disputes: () => simulator.all("dispute", account)
  }
  return {
    ...of,
    account,
    all,
    api: running.api,
    control: simulator.control,
    shop,
    isPaid: () => all.sessions().some(({ payment_status }) => payment_status === "paid"),
    /** A buyer is paying, or has just paid. */
    isBusy: () => all.intents().some(({ status }) => busy.includes(status)),
    read: shop.order(orderNumber),
    /** The memory of the buyer and the merchant. */
    known: {
      page: { checkout_url: "", trade_no: "" },
      /** The last address of the buyer, who knows no other session. */
      url: undefined as string | undefined,
      led: new Set<string>(),
      file: undefined as string | undefined
    }
  }
}
type View = ReturnType<typeof viewOf>

const buyerOf = ({ all, api, control, isBusy, isPaid, known, read }: View) => ({
  /** Another party may end the session at once. */
  choose: (method: string, how: "alone" | "among others" = "alone") =>
    Effect.gen(function* () {
      const wasPaid = isPaid()
      const reply = yield* chooses(api, known.page, method)
      const to = leadsTo(reply)
      if (to !== undefined) {
        const open = all.sessions().filter(({ status }) => status === "open")
        const session = open.find((each) => each.url === to)
        assert.isTrue(how === "among others" || session !== undefined, "the buyer is led to a session that is open")
        if (session !== undefined) known.led.add(session.id)
        known.url = to
        return true
      }
      if (reply.text.includes("You have not been charged"))
        assert.isFalse(wasPaid, "a page says that nothing was charged")
      if (mayBeAgain(reply)) return false
      // Past its deadline it has ended for the buyer, while a worker still asks Stripe how.
      const isOver = reply.text.includes("This checkout has expired")
      const isSettled = isOver || isPaid() || isBusy() || (yield* read)["status"] !== "pending"
      assert.isTrue(
        isSettled || how === "among others",
        `a buyer of an open order is led to Stripe: ${reply.status} ${reply.text}`
      )
      return isSettled
    }),

  /** A method that the account lacks leads nowhere, and the order stays open. */
  meetsNothing: (method: string) =>
    Effect.gen(function* () {
      const reply = yield* chooses(api, known.page, method)
      assert.isUndefined(leadsTo(reply), "a buyer is led to a page without the method")
      return reply.status === 422
    }),

  /** The buyer pays on the last page. A buyer who has paid does not pay again. */
  pay: (how: { readonly with?: string; readonly authorises?: boolean; readonly processing?: number } = {}) =>
    Effect.gen(function* () {
      if (isPaid() || isBusy()) return true
      const session = all.sessions().find((each) => each.url === known.url)
      assert.isDefined(session, "the buyer's session is open")
      yield* control.pay({ session: session!.id, ...how })
      return true
    }),

  back: Effect.gen(function* () {
    const reply = yield* api.call("GET", `${new URL(known.page.checkout_url).pathname}?returned=1`)
    if (reply.text.includes("Payment successful")) assert.isTrue(isPaid(), "a page says that it is paid")
    if (reply.text.includes("You have not been charged"))
      assert.isFalse(isPaid(), "a page says that nothing was charged")
    return !mayBeAgain(reply)
  })
})

/** The merchant captures a part of what is held, or gives it up. */
const holdsOf = ({ shop }: View) => {
  const ended = (reply: Reply) => {
    if (mayBeAgain(reply)) return false
    assert.isBelow(reply.status, 300, reply.text)
    return true
  }
  return {
    capture: (part: number) => Effect.map(shop.capture(orderNumber, { amount: part }), ended),
    giveUp: Effect.map(shop.expire(orderNumber), ended)
  }
}

const merchantAt = ({ all, api, isBusy, isPaid, key, known, merchant, mode, read, shop }: View) => ({
  order: (terms: Json = {}) =>
    Effect.gen(function* () {
      const notified = mode === "live" ? { notify_url: "https://shop.example/nobody" } : {}
      const reply = yield* shop.post("/v1/orders", {
        amount,
        subject: "Tea",
        out_trade_no: orderNumber,
        ...notified,
        ...terms
      })
      if (mayBeAgain(reply)) return false
      assert.isBelow(reply.status, 300, reply.text)
      known.page = reply.body.data
      return true
    }),

  /** The merchant sees the order's state; and a paid one is paid at Stripe. */
  is: (status: string) =>
    Effect.gen(function* () {
      const seen = yield* read
      if (seen["status"] === "paid" && seen["payment_id"].startsWith("pi_")) assert.isTrue(isPaid(), "an order is paid")
      return seen["status"] === status
    }),

  close: (expected: "expired" | "conflict") =>
    Effect.gen(function* () {
      const reply = yield* shop.post(`/v1/orders/${orderNumber}/expire`)
      if (reply.status === 200) {
        assert.deepStrictEqual([expected, reply.body.data.status], ["expired", "expired"])
        assert.isFalse(isPaid() || isBusy(), "an order is closed and nobody pays")
        const open = all.sessions().filter(({ status }) => status === "open")
        assert.isFalse(
          open.some((each) => each.url === known.url),
          "an order is closed and its session too"
        )
        return true
      }
      if (mayBeAgain(reply)) return false
      assert.strictEqual(reply.status, 409, reply.text)
      assert.isTrue(isPaid() || isBusy() || (yield* read)["status"] !== "pending", "there is a conflict")
      return expected === "conflict"
    }),

  /** The operator gives the key again. */
  keyGiven: Effect.gen(function* () {
    const path = `/merchants/${merchant.merchantId}/channels/${mode}`
    const reply = yield* api.operator("POST", path, { channel: "stripe", secret_key: key })
    assert.isTrue(reply.status === 200 || mayBeAgain(reply), reply.text)
    return reply.status === 200
  }),

  /** The test helpers act on the order while a session of it is open at Stripe. */
  helped: (outcome: "succeed" | "fail") =>
    Effect.gen(function* () {
      if ((yield* read)["status"] !== "pending") return true
      const reply = yield* shop.post(`/v1/test_helpers/orders/${orderNumber}/pay`, { outcome })
      assert.isBelow(reply.status, 300, reply.text)
      return true
    })
})

const refundsOf = ({ all, control, read, shop }: View) => ({
  refund: (number: string, part: number) =>
    Effect.gen(function* () {
      const before = all.refunds().length
      const { trade_no } = yield* read
      const reply = yield* shop.refund({ trade_no, out_refund_no: number, amount: part })
      if (mayBeAgain(reply)) {
        if (reply.status === 502) assert.lengthOf(all.refunds(), before, "nothing was done")
        return false
      }
      assert.isBelow(reply.status, 300, reply.text)
      const { refund_no, status } = reply.body.data as Json
      const made = all.refunds().filter(({ metadata }) => metadata?.["coffer_refund_no"] === refund_no)
      if (status === "succeeded") {
        assert.deepStrictEqual(
          made.map((each) => each.amount),
          [part],
          "a refund has succeeded"
        )
        assert.notStrictEqual(made[0]!.status, "pending", "a refund has succeeded")
      }
      return true
    }),

  refundIs: (number: string, ...statuses: ReadonlyArray<string>) =>
    Effect.map(shop.get(`/v1/refunds/${number}`), ({ body }) => statuses.includes(body.data?.status)),

  /** The buyer's bank refuses the refund. */
  sendBack: Effect.suspend(() => Effect.as(Effect.ignore(control.fail_refund({ refund: all.refunds()[0]!.id })), true))
})

const disputesOf = ({ account, all, control, known, merchant, mode, running, shop, simulator }: View) => ({
  /** The bank opens one dispute. */
  disputed: (how: { readonly is_inquiry?: boolean } = {}) =>
    Effect.gen(function* () {
      if (all.disputes().length > 0) return true
      const [charge] = simulator.all("charge", account)
      yield* control.open_dispute({ charge: charge!.id, amount: 600, ...how })
      return true
    }),

  disputeIs: (...statuses: ReadonlyArray<string>) =>
    Effect.map(shop.get("/v1/disputes"), ({ body }) => statuses.includes(body.data.data[0]?.status)),

  /** The merchant knows that the inquiry has become a chargeback. Nothing was frozen before. */
  isChargeback: Effect.map(shop.get("/v1/disputes"), ({ body }) => {
    const { funds_frozen, processor_status, status } = body.data.data[0] as Json
    const isInquiry = processor_status.startsWith("warning_")
    const isOpen = status === "needs_response" || status === "under_review"
    assert.strictEqual(funds_frozen, isOpen && !isInquiry, "a chargeback is frozen, and an inquiry is not")
    return !isInquiry
  }),

  /** Uploaded once. */
  file: Effect.suspend(() =>
    known.file === undefined
      ? Effect.tap(uploaded(running, merchant.merchantId, mode), (address) => Effect.sync(() => (known.file = address)))
      : Effect.succeed(known.file)
  ),

  respond: (evidence: object) =>
    Effect.gen(function* () {
      const { body } = yield* shop.get("/v1/disputes")
      const { dispute_no, status } = body.data.data[0]
      if (status !== "needs_response") return true
      const { submission_count: before } = all.disputes()[0]!.evidence_details
      const reply = yield* shop.respond(dispute_no, { ...evidence, submit: true })
      const { submission_count } = all.disputes()[0]!.evidence_details
      if (reply.status === 502) assert.strictEqual(submission_count, before, "nothing was sent")
      if (reply.status === 200 && reply.body.data.status === "under_review") {
        assert.isAtLeast(submission_count, 1, "evidence is under review")
        assert.notInclude(all.disputes()[0]!.status, "needs_response", "evidence is under review")
      }
      return reply.status === 200
    }),

  concede: Effect.gen(function* () {
    const { body } = yield* shop.get("/v1/disputes")
    const { dispute_no, status } = body.data.data[0]
    if (status === "lost") return true
    const reply = yield* shop.accept(dispute_no)
    const now = all.disputes()[0]!.status
    if (reply.status === 502) assert.strictEqual(now, "needs_response", "nothing was conceded")
    if (reply.body.data?.status === "lost") assert.strictEqual(now, "lost", "a dispute is lost")
    return reply.status === 200
  }),

  /** The refund has left Stripe: a chargeback does not take it back. */
  refundIsOld: Effect.map(control.state({}), ({ now }) => all.refunds().every(({ created }) => now - created >= 60)),

  decide: (outcome: "won" | "lost" | "warning_closed" | "escalated") =>
    Effect.as(Effect.ignore(control.decide_dispute({ dispute: all.disputes()[0]!.id, outcome })), true)
})

export const deskOf = (of: DeskOf) => {
  const view = viewOf(of)
  const { account, all, control, known, merchant, running } = view
  return {
    account,
    all,
    control,
    merchant,
    running,
    isLive: of.mode === "live",
    /** Sessions that a buyer has opened and can still pay in. Others have no buyer. */
    open: () => all.sessions().filter(({ id, status }) => status === "open" && known.led.has(id)).length,
    fault: (fault: Parameters<typeof control.fault>[0]) => control.fault({ ...fault, account }),
    calm: control.clear_faults({ account }),
    ...merchantAt(view),
    ...holdsOf(view),
    ...buyerOf(view),
    ...refundsOf(view),
    ...disputesOf(view)
  }
}

export type Desk = ReturnType<typeof deskOf>
