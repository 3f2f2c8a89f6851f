/** The laws of disputes, through all stages. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { noEvidence } from "@coffer/model/Evidence"
import { amount, type Case, type Desk, law } from "./Harness.ts"

const feeOfLost = 1_500
const answer = { ...noEvidence, text: { product_description: "Tea" } }
const respond = (desk: Desk, no: string) =>
  desk.shop.respond(no, { evidence: { product_description: "Tea" }, submit: true })
const decided = (desk: Desk, of: Effect.Success<ReturnType<Desk["disputed"]>>, outcome: "won" | "lost") =>
  Effect.andThen(desk.own.decides(of.paid, outcome), desk.own.rest)
type At = Effect.Success<ReturnType<Desk["disputed"]>>
const statusIs = ({ read }: At, status: string) =>
  Effect.map(read, (now) => assert.strictEqual(now["status"], status, "the dispute's status"))

const story = (name: string, run: (desk: Desk, at: At) => Effect.Effect<unknown, unknown>, needs: Case["needs"] = []) =>
  law(name, needs, (desk) => Effect.flatMap(desk.disputed(), (at) => run(desk, at)))

const ends = (outcome: "won" | "lost", isAnswered: boolean) =>
  story(
    `a dispute that is ${isAnswered ? "answered" : "not answered"} and ${outcome} ends so, with its money`,
    (desk, at) =>
      Effect.gen(function* () {
        if (isAnswered) assert.strictEqual((yield* respond(desk, at.no)).body.data.status, "under_review")
        assert.strictEqual((yield* desk.own.books(at.paid)).answers, isAnswered ? 1 : 0)
        yield* decided(desk, at, outcome)
        yield* statusIs(at, outcome)
        const after = yield* desk.shop.balance()
        const taken = outcome === "lost" ? amount + feeOfLost : 0
        assert.deepStrictEqual([after.available, after.frozen], [at.before.available - taken, 0])
      })
  )

const inquired = Effect.fnUntraced(function* (desk: Desk) {
  const paid = yield* desk.rich
  yield* Effect.andThen(desk.own.inquiries!.opens(paid), desk.own.rest)
  const found = yield* desk.dispute(paid)
  return { paid, found, read: desk.dispute(paid), no: found["dispute_no"] as string }
})

export const disputeLaws: ReadonlyArray<Case> = [
  story("a dispute has the payment's amount, and freezes it", (desk, { before, found }) =>
    Effect.gen(function* () {
      assert.deepStrictEqual([found["amount"], found["status"]], [amount, "needs_response"])
      assert.isTrue(found["funds_frozen"])
      assert.isString(found["processor_status"])
      const now = yield* desk.shop.balance()
      assert.strictEqual(now.available + now.frozen, before.available)
    })
  ),
  law("a dispute of a part has that amount", [], (desk) =>
    Effect.map(desk.disputed(600), ({ found }) => assert.strictEqual(found["amount"], 600))
  ),
  ends("won", true),
  ends("lost", true),
  ends("won", false),
  ends("lost", false),
  story("a dispute that is decided twice is decided once", (desk, at) =>
    Effect.gen(function* () {
      yield* decided(desk, at, "lost")
      const before = yield* desk.picture
      yield* Effect.ignore(decided(desk, at, "lost"))
      assert.deepStrictEqual(yield* desk.picture, before)
    })
  ),
  story(
    "a dispute that is withdrawn is closed, and takes nothing",
    (desk, at) =>
      Effect.gen(function* () {
        yield* Effect.andThen(desk.own.withdraws!(at.paid), desk.own.rest)
        yield* statusIs(at, "closed")
        assert.strictEqual((yield* desk.shop.balance()).available, at.before.available)
      }),
    ["withdraws"]
  ),
  story("a dispute that is conceded is lost", (desk, at) =>
    Effect.gen(function* () {
      assert.isBelow((yield* desk.shop.accept(at.no)).status, 300)
      assert.isTrue((yield* desk.own.books(at.paid)).isConceded)
      // A worker that is at the dispute while time leaps looks again later.
      for (const span of ["1 minute", "10 minutes", "1 hour"] as const) {
        yield* Effect.andThen(desk.running.leap(span), desk.own.rest)
      }
      yield* statusIs(at, "lost")
    })
  ),
  story("a dispute that is conceded takes no answer", (desk, at) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* desk.port.disputes.accept(at.named))._tag, "Taken")
      assert.strictEqual((yield* desk.port.disputes.submit(at.named, answer, "answer-1"))._tag, "Refused")
      assert.strictEqual((yield* desk.own.books(at.paid)).answers, 0)
    })
  ),
  story("a dispute that is answered cannot be conceded", (desk, at) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* desk.port.disputes.submit(at.named, answer, "answer-1"))._tag, "Taken")
      assert.strictEqual((yield* desk.port.disputes.accept(at.named))._tag, "Refused")
      assert.isFalse((yield* desk.own.books(at.paid)).isConceded)
    })
  ),
  story("a dispute that is decided takes no answer", (desk, at) =>
    Effect.gen(function* () {
      yield* desk.own.decides(at.paid, "lost")
      const said = yield* desk.port.disputes.submit(at.named, answer, "answer-1")
      assert.strictEqual(said._tag, "Refused")
      if (said._tag === "Refused" && desk.own.asked) assert.strictEqual(said.word.outcome, "lost")
      yield* desk.own.rest
      yield* statusIs(at, "lost")
      assert.strictEqual((yield* desk.own.books(at.paid)).answers, 0)
    })
  ),
  story("a question about a decided dispute has the decision", (desk, at) =>
    Effect.gen(function* () {
      yield* Effect.andThen(desk.own.decides(at.paid, "won"), desk.own.asked ? Effect.void : desk.own.rest)
      assert.strictEqual((yield* desk.port.disputes.status(at.named)).outcome, "won")
    })
  ),
  story("a refund of a disputed payment waits or goes back, and never twice", (desk, at) =>
    Effect.gen(function* () {
      yield* desk.shop.refund({ trade_no: at.paid.tradeNo, amount: 100, out_refund_no: "R-1" })
      yield* desk.own.rest
      yield* desk.shop.refund({ trade_no: at.paid.tradeNo, amount: 100, out_refund_no: "R-1" })
      assert.isAtMost((yield* desk.own.books(at.paid)).refunded.length, 1)
    })
  ),
  law("an inquiry freezes nothing, and ends without money", ["inquiries"], (desk) =>
    Effect.gen(function* () {
      const { found, paid, read } = yield* inquired(desk)
      assert.isFalse(found["funds_frozen"])
      yield* Effect.andThen(desk.own.inquiries!.closes(paid), desk.own.rest)
      assert.strictEqual((yield* read)["status"], "closed")
    })
  ),
  law("an inquiry that becomes a chargeback freezes the money", ["inquiries"], (desk) =>
    Effect.gen(function* () {
      const { paid, read } = yield* inquired(desk)
      yield* Effect.andThen(desk.own.inquiries!.escalates(paid), desk.own.rest)
      assert.deepInclude(yield* read, { status: "needs_response", funds_frozen: true })
    })
  ),
  law("an answer to an inquiry is not sent to the chargeback that it has become", ["inquiries"], (desk) =>
    Effect.gen(function* () {
      const { found, no, paid } = yield* inquired(desk)
      yield* desk.own.inquiries!.escalates(paid)
      const named = {
        merchantId: paid.merchantId,
        mode: paid.mode,
        disputeNo: no as never,
        channel: desk.port.name,
        processorDisputeId: found["processor_dispute_id"],
        stage: "inquiry" as const,
        currency: paid.currency
      }
      assert.strictEqual((yield* desk.port.disputes.submit(named, answer, "answer-1"))._tag, "Refused")
      assert.strictEqual((yield* desk.own.books(paid)).answers, 0)
    })
  ),
  law("where the acquirer's clock is ahead, a dispute is answered and decided", ["clock"], (desk) =>
    Effect.gen(function* () {
      yield* desk.own.clock!.ahead
      const at = yield* desk.disputed()
      assert.strictEqual((yield* respond(desk, at.no)).body.data.status, "under_review")
      yield* decided(desk, at, "won")
      yield* statusIs(at, "won")
    })
  )
]
