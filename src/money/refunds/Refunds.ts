/**
 * Front door to refunds: what merchants ask for, and what the channel reports (spec: Refunds). A new refund has three
 * steps: its amount is promised (the order says whether it may be), the channel is asked, and the answer is settled.
 * The first and the last are transactions of their own. The fiber of all three outlives the request. A crash in between
 * leaves a due row (silences: R7, R8).
 */
import type { CreateRefund, RefundQuery, UpdateRefund } from "@coffer/contract/Refunds"
import type { Account } from "@coffer/model/Account"
import { createdAtOf, OutRefundNo, prefixes, RefundNo } from "@coffer/model/Ids"
import { merge, patchProblem } from "@coffer/model/Metadata"
import { Minor } from "@coffer/model/Money"
import { InvalidField } from "@coffer/rules/InvalidField"
import { readCreated } from "@coffer/rules/lists/created"
import { type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import { type Order, RefundRefused, remainingOf, type CreditedOrder } from "@coffer/rules/order/Order"
import { nextCheck } from "@coffer/rules/refund/nextCheck"
import { type Refund, RefundCommand, type RefundConflict } from "@coffer/rules/refund/Refund"
import type { InsufficientBalance } from "@coffer/rules/wallet/post"
import { Context, DateTime, Duration, Effect, Fiber, FiberMap, Layer, Option, Schedule, Schema } from "effect"
import type { WriteFailure } from "../aggregate/WriteLoop.ts"
import type { ChannelUnreachable, RefundAnswer } from "../../shared/channel/payments.ts"
import { Channel } from "../../shared/channel/Channel.ts"
import { type Answering, withAnswer, currentClaim, withRenewal } from "../../shared/idempotency/Answering.ts"
import type { IdempotencyClaim } from "../../shared/idempotency/IdempotencyClaim.ts"
import type { OrderNotFound } from "../orders/OrderCommands.ts"
import { Orders } from "../orders/Orders.ts"
import { ownerPatience } from "../../platform/cluster/ask.ts"
import { Runs } from "@coffer/cluster/Runs"
import { type AlreadyExists, type Described, isOvertaken, NotCommitted } from "../../platform/commit/Change.ts"
import type { Exported } from "../../platform/postgres/Pages.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { millisForChannel, withoutDeadline } from "../../platform/runtime/Deadline.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import { unmovedTime } from "../../platform/runtime/MerchantClocks.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import { RefundCommands, RefundStore, type ReservedRefund } from "./RefundCommands.ts"

export class RefundNotFound extends Schema.TaggedError<RefundNotFound>()("RefundNotFound", { ref: Schema.String }) {}

/** The number names a refund of another order or amount (silences: R4). */
export class RefundNumberTaken extends Schema.TaggedError<RefundNumberTaken>()("RefundNumberTaken", {
  outRefundNo: Schema.String,
  differs: Schema.Literals(["trade_no", "amount"])
}) {}

/** Another runner is asking the channel for the first request with this out_refund_no, for `lasts` at most. */
export class RefundRunning extends Schema.TaggedError<RefundRunning>()("RefundRunning", { lasts: Schema.Duration }) {}

/** The channel refused at once: nothing was changed (silences: R7). */
export class ChannelRefused extends Schema.TaggedError<ChannelRefused>()("ChannelRefused", { words: Schema.String }) {}

/** The refund, and whether this request has made it. */
export interface Answered {
  readonly refund: Refund
  readonly created: boolean
}

type DriveFailure =
  | ChannelUnreachable
  | ChannelRefused
  | RefundRefused
  | InsufficientBalance
  | AlreadyExists
  | OrderNotFound
  | WriteFailure

interface RefundReport {
  readonly outcome: "succeeded" | "failed"
  readonly reason: string
}

export class Refunds extends Context.Service<
  Refunds,
  {
    readonly create: (
      account: Account,
      body: CreateRefund
    ) => Effect.Effect<
      Answered,
      Exclude<DriveFailure, AlreadyExists> | InvalidField | RefundNumberTaken | RefundRunning
    >
    readonly find: (account: Account, ref: string) => Effect.Effect<Refund, RefundNotFound>
    /** Newest first. */
    readonly page: (account: Account, query: RefundQuery) => Effect.Effect<Page<Refund>, InvalidField>
    readonly lastAt: RefundStore["Service"]["lastAt"]
    /** Ignores `limit` and cursors. */
    readonly exported: (account: Account, query: RefundQuery) => Effect.Effect<Exported<Refund>, InvalidField>
    readonly annotate: (
      account: Account,
      ref: string,
      patch: UpdateRefund
    ) => Effect.Effect<Refund, InvalidField | RefundConflict | RefundNotFound | WriteFailure>
    /** The channel's report about a refund that it had accepted; the same report may come many times. */
    readonly report: (refundNo: RefundNo, report: RefundReport) => Effect.Effect<Refund, WriteFailure>
    /** Ask the channel about a refund that is due. */
    readonly check: (refundNo: RefundNo) => Effect.Effect<void, ChannelUnreachable | WriteFailure>
  }
>()("@coffer/refunds/Refunds") {}

export const layer = Layer.effect(
  Refunds,
  Effect.gen(function* () {
    const services = yield* refundServices
    const { find, store } = services
    return Refunds.of({
      create: create(services),
      find,
      page: span("Refunds.page")(function* (account, query) {
        const request = yield* Effect.fromResult(readPageRequest(query))
        return yield* store.page(account, request, query)
      }),
      lastAt: store.lastAt,
      exported: span("Refunds.exported")(function* (account, query) {
        const created = yield* Effect.fromResult(readCreated(query))
        return yield* store.exported(account, created, query)
      }),
      annotate: annotate(services),
      report: (refundNo, word) => report(services, refundNo, word),
      check: (refundNo) => check(services, refundNo)
    })
  })
)

/** After this the outcome at the channel is unknown, and it is asked again later. Shorter than a claim's lease. */
const channelMillis = 15_000

const refundServices = Effect.gen(function* () {
  const store = yield* RefundStore
  const channel = yield* Channel
  const faults = yield* Faults
  const { keep } = yield* Settings

  return {
    store,
    /** How long a key may be used again for the same refund. */
    keptDuration: keep.answers,
    commands: yield* RefundCommands,
    orders: yield* Orders,
    ids: yield* NewIds,
    runs: yield* Runs,
    /** The work that outlives the request for which it was begun. */
    scope: yield* Effect.scope,
    /** Refunds that wait for their first answer. */
    driving: yield* FiberMap.make<RefundNo, Answered, DriveFailure>(),

    find: Effect.fnUntraced(function* (account: Account, ref: string) {
      const stored = yield* store.resolve(account, ref)
      return Option.isSome(stored) ? stored.value.state : yield* new RefundNotFound({ ref })
    }),
    askChannel: (refund: Refund): Effect.Effect<RefundAnswer, ChannelUnreachable> =>
      Effect.flatMap(millisForChannel(channelMillis), (duration) =>
        faults
          .around("RefundChannel.refund", channel.refund(refund))
          .pipe(Effect.timeoutOrElse({ duration, orElse: () => Effect.succeed({ _tag: "Pending" as const }) }))
      )
  }
})

type RefundServices = Effect.Success<typeof refundServices>

// The request -------------------------------------------------------------------

/** How often a refund of the whole remaining amount is retried while other refunds of the order change that amount. */
const attemptsMax = 10

/** A new refund is driven to its answer, and a repeat gets the answer of the first. */
const create = (services: RefundServices) =>
  span("Refunds.create")(function* (account: Account, body: CreateRefund) {
    const unfit = patchProblem({}, body.metadata ?? {})
    if (unfit !== undefined) return yield* new InvalidField(unfit)
    if (account.mode === "live" && body.out_refund_no === undefined) return yield* numberRequired
    const claim = yield* currentClaim
    let refused: Refusal | undefined
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const order = yield* services.orders.find(account, body.trade_no)
      // Checked before window, dispute and balance: what was accepted stays accepted (silences: R4).
      const before = yield* earlier(services, account, body, claim)
      if (Option.isSome(before)) {
        const same = yield* again(services, before.value.state, order, body)
        if (same !== undefined) return same
        continue
      }
      if (refused !== undefined) return yield* refused
      const outcome = yield* Effect.result("paymentId" in order ? begin(services, order, body, claim) : notPaid(order))
      if (outcome._tag === "Success") return outcome.success
      const failure = outcome.failure
      // The first request with this number may have caused the refusal. Order and wallet decide one after the other,
      // so the row of that request exists by now: look again.
      if (isRefusal(failure)) refused = failure
      else if (!isPassing(failure)) return yield* failure
    }
    return yield* new NotCommitted({ reason: "overloaded" })
  })

type Refusal = RefundRefused | InsufficientBalance

/** A retry may succeed: a refund with this number was just created, or other refunds changed the remaining amount. */
const isPassing = (failure: DriveFailure): failure is AlreadyExists | RefundRefused | NotCommitted =>
  failure._tag === "AlreadyExists" ||
  isOvertaken(failure) ||
  (failure._tag === "RefundRefused" && failure.reason === "remaining_changed")

const isRefusal = (failure: DriveFailure): failure is Refusal =>
  (failure._tag === "RefundRefused" && !isPassing(failure)) || failure._tag === "InsufficientBalance"

/** The refund of this request, or of an earlier attempt to send it. */
const earlier = Effect.fnUntraced(function* (
  { keptDuration, store }: RefundServices,
  account: Account,
  body: CreateRefund,
  claim: IdempotencyClaim | undefined
) {
  if (body.out_refund_no !== undefined) return yield* store.byNumber(account, body.out_refund_no)
  if (claim === undefined) return Option.none()
  return yield* store.byRequest(claim.id, DateTime.subtractDuration(claim.createdAt, keptDuration))
})

/** A new refund is driven to its answer in a fiber that outlives the request. */
const begin = Effect.fnUntraced(function* (
  services: RefundServices,
  order: CreditedOrder,
  body: CreateRefund,
  claim: IdempotencyClaim | undefined
) {
  const { driving, ids, runs } = services
  const number = yield* ids.next(prefixes.refund)
  const refund: ReservedRefund = {
    status: "reserved",
    refundNo: RefundNo.make(number),
    outRefundNo: body.out_refund_no ?? OutRefundNo.make(number),
    tradeNo: order.tradeNo,
    outTradeNo: order.outTradeNo,
    merchantId: order.merchantId,
    mode: order.mode,
    channel: order.channel,
    paymentId: order.paymentId,
    // The order's owner refuses it if nothing remains, or if the remaining amount has changed by then.
    amount: body.amount ?? Minor.make(Math.max(0, remainingOf(order))),
    requestedAmount: body.amount ?? null,
    currency: order.currency,
    reason: body.reason ?? null,
    metadata: merge({}, body.metadata ?? {}),
    notifyUrl: order.notifyUrl,
    request: body.out_refund_no === undefined ? (claim?.id ?? null) : null,
    run: runs.own,
    createdAt: createdAtOf(number),
    updatedAt: createdAtOf(number)
  }
  return yield* Fiber.join(yield* FiberMap.run(driving, refund.refundNo, drive(services, refund)))
})

/** A refund with this number exists. A repeat of its request gets its answer; any other request is refused. */
const again = Effect.fnUntraced(function* (services: RefundServices, refund: Refund, order: Order, body: CreateRefund) {
  const outRefundNo = refund.outRefundNo
  if (refund.tradeNo !== order.tradeNo) return yield* new RefundNumberTaken({ outRefundNo, differs: "trade_no" })
  if (refund.requestedAmount !== (body.amount ?? null)) {
    return yield* new RefundNumberTaken({ outRefundNo, differs: "amount" })
  }
  return refund.status === "reserved" ? yield* joinRefund(services, refund) : answerRepeat(refund)
})

/** Waits for the answer of the request that asks the channel. Undefined: it was refused, and its number is free. */
const joinRefund = Effect.fnUntraced(function* (services: RefundServices, refund: Refund) {
  const { commands, driving, runs } = services
  const { refundNo } = refund
  let fiber = Option.getOrUndefined(yield* FiberMap.get(driving, refundNo))
  if (fiber === undefined) {
    // No fiber of this runner drives it: it has ended meanwhile, or another runner drives it, or that runner is dead.
    const now = yield* commands.load(refundNo)
    if (now.status !== "reserved") return answerRepeat(now)
    const lasts = DateTime.distance(yield* currentTime, nextCheck.reservedUntil(refund))
    const isOver = Duration.isLessThanOrEqualTo(lasts, Duration.zero) || (yield* sqlDefects(runs.isAbandoned(now.run)))
    if (!isOver) return yield* new RefundRunning({ lasts })
    fiber = yield* FiberMap.run(driving, refundNo, finish(services, refundNo), { onlyIfMissing: true })
  }
  // Its row exists, so this cannot fail because its number is taken.
  const { refund: after } = yield* Effect.catchTags(Fiber.join(fiber), { AlreadyExists: Effect.die })
  return answerRepeat(after)
})

/** Checks the refund now, as a worker would later. */
const finish = Effect.fnUntraced(function* (services: RefundServices, refundNo: RefundNo) {
  yield* Effect.catchTags(check(services, refundNo), { ChannelUnreachable: () => Effect.void })
  return fresh(yield* services.commands.load(refundNo))
})

const fresh = (refund: Refund): Answered => ({ refund, created: true })

/** The answer to a repeat; undefined if the refund was not made. */
const answerRepeat = (refund: Refund): Answered | undefined =>
  refund.status === "void" ? undefined : { refund, created: false }

const notPaid = ({ tradeNo }: Order) => Effect.fail(new RefundRefused({ tradeNo, reason: "not_paid", remaining: 0 }))

const numberRequired = Effect.fail(
  new InvalidField({ param: "out_refund_no", problem: "is required in the live environment" })
)

// The channel -------------------------------------------------------------------

/** The channel's answer is recorded at once or, when that fails, a little later. */
const recordRetriesMax = 3
const recordAgain = Schedule.exponential("200 millis")
/** A caller waits at least this long for the recording, however long the channel took. */
const recordPatienceMin = Duration.seconds(1)

/** A new refund on its way to its first answer. */
const drive = span("Refunds.drive")(function* (services: RefundServices, refund: ReservedRefund) {
  yield* reserve(services, refund)
  const answer = yield* services
    .askChannel(refund)
    .pipe(Effect.catchTags({ ChannelUnreachable: (unreachable) => Effect.succeed(unreachable) }))
  const at = yield* currentTime
  switch (answer._tag) {
    case "Succeeded":
    case "Pending": {
      const command = answer._tag === "Succeeded" ? Confirm.make({ at }) : Await.make({ at })
      const books = answer._tag === "Succeeded" ? answer.books : undefined
      return fresh(yield* withAnswer((answer) => recordAnswer(services, refund, command, { answer, books })))
    }
    case "Refused":
    case "ChannelUnreachable": {
      const after = yield* recordAnswer(services, refund, Abandon.make({ at }))
      // If a worker has taken the refund over, its result counts.
      if (after.status !== "void") return fresh(after)
      return yield* answer._tag === "Refused" ? new ChannelRefused({ words: answer.reason }) : answer
    }
  }
})

/** The order's promise, the wallet's and the refund's row: committed together, before the channel is asked. */
const reserve = ({ commands, runs, store }: RefundServices, refund: ReservedRefund) =>
  Effect.flatMap(unmovedTime, (now) =>
    withRenewal(now, runs.own, (renewal) =>
      commands.create(refund, renewal).pipe(
        Effect.catch((failure) =>
          // The message may arrive twice; then the second is refused because of the first.
          Effect.flatMap(store.load(refund.refundNo), (own) =>
            Option.isSome(own) ? Effect.succeed(refund) : Effect.fail(failure)
          )
        )
      )
    )
  )

/** Records the channel's answer. It is retried after the caller's answer, too. */
const recordAnswer = Effect.fnUntraced(function* (
  { commands, scope }: RefundServices,
  created: ReservedRefund,
  command: RefundCommand,
  parts: { readonly answer?: Answering | undefined; readonly books?: Described | undefined } = {}
) {
  const waited = DateTime.distance(created.createdAt, command.at)
  const left = Duration.max(recordPatienceMin, Duration.subtract(ownerPatience, waited))
  const handled = commands.handleReport(created.refundNo, command, { ...parts, created })
  const recorded = Effect.retry(handled, { times: recordRetriesMax, schedule: recordAgain })
  const fiber = yield* Effect.forkIn(withoutDeadline(recorded), scope)
  return yield* Effect.timeoutOrElse(Fiber.join(fiber), {
    duration: left,
    orElse: () => Effect.fail(new NotCommitted({ reason: "unknown" }))
  })
})

/** The channel's report about a refund that it had accepted, by itself or because it was asked. */
const report = span("Refunds.report")(function* (
  { commands }: RefundServices,
  refundNo: RefundNo,
  { outcome, reason }: RefundReport,
  books?: Described
) {
  const at = yield* currentTime
  const command = outcome === "succeeded" ? Confirm.make({ at }) : Reject.make({ at, reason })
  return yield* commands.handleReport(refundNo, command, { books })
}, Effect.uninterruptible)

const check = span("Refunds.check")(function* (services: RefundServices, refundNo: RefundNo) {
  // From here on it is pending. The request that reserved it is dead, or finds it pending (models/leases.pml).
  const refund = yield* services.commands.handleReport(refundNo, Await.make({ at: yield* currentTime }))
  if (refund.status !== "pending") return
  const answer = yield* services.askChannel(refund)
  if (answer._tag === "Succeeded") yield* report(services, refundNo, { outcome: "succeeded", reason: "" }, answer.books)
  if (answer._tag === "Refused") yield* report(services, refundNo, { outcome: "failed", reason: answer.reason })
})

const annotate = ({ commands, find }: RefundServices) =>
  span("Refunds.annotate")(function* (account: Account, ref: string, patch: UpdateRefund) {
    const unfit = patchProblem({}, patch.metadata ?? {})
    if (unfit !== undefined) return yield* new InvalidField(unfit)
    const refund = yield* find(account, ref)
    if (patch.metadata === undefined) return refund
    const problem = patchProblem(refund.metadata, patch.metadata)
    if (problem !== undefined) return yield* new InvalidField(problem)
    const command = Annotate.make({ at: yield* currentTime, patch: patch.metadata })
    return yield* withAnswer((answer) => commands.perform(refund.refundNo, command, answer))
  })

const { Abandon, Annotate, Await, Confirm, Reject } = RefundCommand.cases
