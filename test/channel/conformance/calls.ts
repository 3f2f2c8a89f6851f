/**
 * The laws of each call of the port: what is asked twice is done once, an answer that is lost is not money that is
 * lost, and "nothing was done" is true. One row for each call, one column for each thing that happens to it.
 */
import { assert } from "@effect/vitest"
import { Context, Effect, Exit, Option } from "effect"
import { Minor } from "@coffer/model/Money"
import type { RefundNo } from "@coffer/model/Ids"
import { noEvidence } from "@coffer/model/Evidence"
import type { Order } from "@coffer/rules/order/Order"
import { Transactor } from "../../../src/platform/commit/Transactor.ts"
import { ChannelUnreachable, type RefundAnswer } from "../../../src/shared/channel/payments.ts"
import { type Ability, type Call, calls, type Case, type Desk, law } from "./Harness.ts"

/** A call that is ready to be made. */
interface Ready {
  /** The answer, in a word. */
  readonly ask: Effect.Effect<string, unknown>
  /** The word of a call that has done it. */
  readonly told: string
  /** How often the acquirer has done it, by its own books. Undefined: they do not show it. */
  readonly done?: Effect.Effect<number, unknown>
}

const begin = (desk: Desk) =>
  Effect.map(desk.order(), (made): Ready => ({
    ask: Effect.map(
      Effect.suspend(() => desk.port.page!.begin(made, "card", "en")),
      ({ _tag }) => _tag
    ),
    told: "Redirect",
    done: Effect.map(desk.own.books(made), ({ open }) => open)
  }))

const lookUp = (desk: Desk) =>
  Effect.gen(function* () {
    const made = yield* desk.order()
    yield* desk.leads(made)
    yield* desk.own.notices!.hold
    yield* desk.own.acts(made, "pays", "card")
    const look = Effect.map(
      Effect.flatMap(desk.fresh(made), (now) => desk.port.page!.lookUp(now)),
      ({ status }) => status
    )
    const ready: Ready = { ask: look, told: "paid", done: desk.events("payment.succeeded") }
    if (desk.own.asked) return ready
    // Until its notice names the payment, the order counts neither as paid nor as unpaid.
    const isProcessing = Effect.flatMap(desk.fresh(made), (now) => desk.port.page!.isProcessing(now))
    const processing = (status: string) => Effect.map(isProcessing, (is) => (is ? "processing" : status))
    return { ask: Effect.flatMap(look, processing), told: "processing", done: Effect.map(isProcessing, Number) }
  })

const cancel = (desk: Desk) =>
  Effect.gen(function* () {
    const made = yield* desk.order()
    yield* desk.leads(made)
    const ask = Effect.map(
      Effect.suspend(() => desk.port.cancel(made)),
      ({ _tag }) => _tag
    )
    const done = Effect.map(desk.own.books(made), ({ open }) => (open === 0 ? 1 : 0))
    const ready: Ready = { ask, told: "Cancelled", ...(desk.port.page === undefined ? {} : { done }) }
    return ready
  })

const giveBack = (desk: Desk) =>
  Effect.map(desk.rich, (paid): Ready => ({
    ask: Effect.map(
      Effect.suspend(() =>
        desk.port.giveBack(paid, { channel: desk.port.name, paymentId: paid.paymentId, amount: paid.amount })
      ),
      ({ _tag }) => _tag
    ),
    told: "Taken",
    done: Effect.map(desk.own.books(paid), ({ refunded }) => refunded.length)
  }))

/** Rows of a channel that keeps its books in our database are committed with ours. */
const booked = ({ running }: Desk) =>
  Effect.fnUntraced(function* (answer: RefundAnswer) {
    const rows = answer._tag === "Succeeded" ? (answer.books?.changes ?? []) : []
    if (rows.length > 0) yield* Effect.ignore(Context.get(running.context, Transactor).commit("conformance", rows))
    return answer
  })

export const refundOf = (desk: Desk, paid: Effect.Success<Desk["rich"]>, part: number, no: string) => {
  const asked = Effect.flatMap(
    Effect.suspend(() =>
      desk.port.refund({
        merchantId: paid.merchantId,
        mode: paid.mode,
        channel: desk.port.name,
        refundNo: no as RefundNo,
        paymentId: paid.paymentId,
        amount: Minor.make(part),
        currency: paid.currency
      })
    ),
    booked(desk)
  )
  if (desk.own.asked) return asked
  // Its notice tells, and then the same call does.
  return Effect.flatMap(asked, (said) =>
    said._tag === "Pending" ? Effect.andThen(desk.own.rest, asked) : Effect.succeed(said)
  )
}

/** A number of ours for a refund that the suite asks for past our own books. */
export const refundNoOf = (paid: { readonly tradeNo: string }, nth = 0) =>
  `rfd_${paid.tradeNo.slice(-25)}${"0123456789"[nth]}`

const refund = (desk: Desk) =>
  Effect.map(desk.rich, (paid): Ready => ({
    ask: Effect.map(refundOf(desk, paid, 700, refundNoOf(paid)), ({ _tag }) => _tag),
    told: "Succeeded",
    done: Effect.map(desk.own.books(paid), ({ refunded }) => refunded.length)
  }))

/** `nth`: which request of ours about the hold. The order as it was when it was held. */
export const holdAt = (desk: Desk, { hold, merchantId, mode, tradeNo }: Order, nth = 0) => {
  const key = `cap_${tradeNo.slice(-25)}${"0123456789"[nth]}`
  return { merchantId, mode, tradeNo, channel: desk.port.name, paymentId: hold!.payment!.paymentId, key }
}

/** What is said at once, or when its notice has come. */
export const toldOfHold = <A extends { readonly _tag: string }, E>(desk: Desk, asked: Effect.Effect<A, E>) =>
  desk.own.asked
    ? asked
    : Effect.flatMap(asked, (said) =>
        said._tag === "Pending" ? Effect.andThen(desk.own.rest, asked) : Effect.succeed(said)
      )

const capture = (desk: Desk) =>
  Effect.map(desk.held(), (held): Ready => ({
    ask: Effect.map(
      toldOfHold(
        desk,
        Effect.suspend(() => desk.port.holds!.capture(holdAt(desk, held), Minor.make(700)))
      ),
      ({ _tag }) => _tag
    ),
    told: "Captured",
    done: Effect.map(desk.own.books(held), ({ paid }) => paid.length)
  }))

const release = (desk: Desk) =>
  Effect.map(desk.held(), (held): Ready => ({
    ask: Effect.map(
      toldOfHold(
        desk,
        Effect.suspend(() => desk.port.holds!.release(holdAt(desk, held)))
      ),
      ({ _tag }) => _tag
    ),
    told: "Gone",
    done: Effect.map(desk.own.books(held), ({ held: left }) => (left?.length === 0 ? 1 : 0))
  }))

const ofDispute = (
  ask: (desk: Desk, of: Effect.Success<ReturnType<Desk["disputed"]>>) => Effect.Effect<string, unknown>,
  told: string,
  done?: (books: Effect.Success<ReturnType<Desk["own"]["books"]>>) => number
) =>
  Effect.fnUntraced(function* (desk: Desk) {
    const of = yield* desk.disputed()
    const books = desk.own.books(of.paid)
    const ready: Ready = {
      ask: Effect.suspend(() => ask(desk, of)),
      told,
      ...(done === undefined ? {} : { done: Effect.map(books, done) })
    }
    return ready
  })

const answer = { ...noEvidence, text: { product_description: "Tea" } }

const rows: Readonly<Record<Call, (desk: Desk) => Effect.Effect<Ready, unknown>>> = {
  begin,
  lookUp,
  cancel,
  giveBack,
  refund,
  submit: ofDispute(
    ({ port }, { named }) => Effect.map(port.disputes.submit(named, answer, "answer-1"), ({ _tag }) => _tag),
    "Taken",
    ({ answers }) => answers
  ),
  // A second concession may meet a dispute that is lost already.
  accept: ofDispute(
    ({ port }, { named }) =>
      Effect.map(port.disputes.accept(named), (said) =>
        said._tag === "Refused" && said.word.outcome === "lost" ? "Taken" : said._tag
      ),
    "Taken",
    ({ isConceded }) => (isConceded ? 1 : 0)
  ),
  status: ofDispute(
    ({ port }, { named }) => Effect.map(port.disputes.status(named), ({ outcome }) => outcome ?? "open"),
    "open"
  ),
  capture,
  release
}
const needsOf: Readonly<Record<Call, ReadonlyArray<Ability>>> = {
  begin: ["page"],
  lookUp: ["page", "notices"],
  cancel: [],
  giveBack: [],
  refund: [],
  submit: [],
  accept: [],
  status: [],
  capture: ["holds"],
  release: ["holds"]
}
/** What the calls are, in the words of the sentences. */
const called: Readonly<Record<Call, string>> = {
  begin: "a session",
  lookUp: "a look at a payment that nobody has reported",
  cancel: "the end of a checkout",
  giveBack: "the return of a whole payment",
  refund: "a refund",
  submit: "an answer to a dispute",
  accept: "a concession",
  status: "a question about a dispute",
  capture: "a capture",
  release: "a release of a hold"
}

const doneIs = (ready: Ready, times: number, when: string) =>
  ready.done === undefined
    ? Effect.void
    : Effect.map(ready.done, (done) => assert.strictEqual(done, times, `done at the acquirer ${when}`))

/** The channel says that this call certainly did nothing. */
const failureOf = (exit: Exit.Exit<string, unknown>) => {
  const failure = Option.getOrUndefined(Exit.findErrorOption(exit))
  return failure instanceof ChannelUnreachable ? failure : undefined
}

/** Asked again, as a worker does, until it says that it is done. */
const insist = (desk: Desk, ready: Ready) =>
  Effect.gen(function* () {
    for (let time = 1; time <= 5; time++) {
      const said = yield* Effect.exit(ready.ask)
      if (Exit.isSuccess(said) && said.value === ready.told) return
      if (time < 5) yield* desk.running.leap("20 seconds")
      else assert.fail(`asked again, it does not say ${ready.told}: ${JSON.stringify(said)}`)
    }
  })

const onceAfter = (desk: Desk, ready: Ready) =>
  Effect.andThen(insist(desk, ready), doneIs(ready, 1, "when it is asked again"))

/** While something is wrong: the answer is true. Then it is not wrong any more, and it is done once. */
const troubled = (
  desk: Desk,
  ready: Ready,
  calm: Effect.Effect<void, unknown>,
  because?: ChannelUnreachable["because"]
) =>
  Effect.gen(function* () {
    const said = yield* Effect.exit(ready.ask)
    const failure = failureOf(said)
    if (Exit.isFailure(said)) assert.isDefined(failure, `it fails as a channel does: ${JSON.stringify(said)}`)
    if (because !== undefined) assert.strictEqual(failure?.because, because, "why it did nothing")
    if (failure !== undefined && failure.because !== "unknown") {
      yield* doneIs(ready, 0, "by a call that certainly did nothing")
    }
    if (Exit.isSuccess(said) && said.value === ready.told) yield* doneIs(ready, 1, "by a call that says so")
    yield* calm
    yield* onceAfter(desk, ready)
  })

const of = (
  title: string,
  needs: Case["needs"] | ((call: Call) => Case["needs"]),
  run: (desk: Desk, ready: Ready, call: Call) => Effect.Effect<unknown, unknown>,
  among: ReadonlyArray<Call> = calls
): ReadonlyArray<Case> =>
  among.map((call) =>
    law(
      `${called[call]} ${title}`,
      [...needsOf[call], ...(typeof needs === "function" ? needs(call) : needs)],
      (desk) => Effect.flatMap(rows[call](desk), (ready) => run(desk, ready, call))
    )
  )

const changing: ReadonlyArray<Call> = ["giveBack", "refund", "submit", "accept", "capture", "release"]

/** A channel that cannot be asked about a dispute answers from our rows, and calls nobody. */
const leaving =
  (...needs: ReadonlyArray<Ability>) =>
  (call: Call): Case["needs"] =>
    call === "status" ? [...needs, "asked"] : needs

export const callLaws: ReadonlyArray<Case> = [
  ...of("that is asked for twice is done once, and both answers are the same", [], (_, ready) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* ready.ask, ready.told)
      assert.strictEqual(yield* ready.ask, ready.told)
      yield* doneIs(ready, 1, "after two calls")
    })
  ),
  ...of("that two ask for at once is done once", [], (desk, ready) =>
    Effect.gen(function* () {
      yield* Effect.all([Effect.exit(ready.ask), Effect.exit(ready.ask)], { concurrency: "unbounded" })
      yield* onceAfter(desk, ready)
    })
  ),
  ...(["before", "after"] as const).flatMap((when) =>
    (["no answer", "failure"] as const).flatMap((how) =>
      of(`that is lost ${when} its effect, with ${how}, is done once in the end`, ["wire"], (desk, ready, call) =>
        Effect.andThen(desk.own.wire!.lose(call, when, how), troubled(desk, ready, desk.own.wire!.calm))
      )
    )
  ),
  ...of(
    "whose answer is lost, and that is asked for again a day later, is done once",
    ["wire"],
    (desk, ready, call) =>
      Effect.gen(function* () {
        yield* desk.own.wire!.lose(call, "after", "no answer")
        yield* Effect.exit(ready.ask)
        yield* desk.own.wire!.calm
        yield* desk.running.leap("25 hours")
        yield* onceAfter(desk, ready)
      }),
    changing
  ),
  ...of("while the channel cannot be reached says so, and changes nothing", [], (desk, ready) =>
    Effect.andThen(desk.own.reachable(false), troubled(desk, ready, desk.own.reachable(true)))
  ),
  ...of(
    "beyond the acquirer's limit of calls is refused, and done later",
    leaving("crowd", "wire"),
    (desk, ready, call) => Effect.andThen(desk.own.crowd!(call), troubled(desk, ready, desk.own.wire!.calm, "crowded"))
  ),
  ...of(
    "with a key that the acquirer does not take any more is refused, and done with the key",
    leaving("key"),
    (desk, ready) => Effect.andThen(desk.own.key!.revoke, troubled(desk, ready, desk.own.key!.restore, "key"))
  )
]
