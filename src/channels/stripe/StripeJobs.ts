/**
 * Workers of Stripe's accounts. One handles stored events. One polls the events of each account every few minutes, so
 * that a lost webhook loses nothing. One compares each account's books with ours, each night after two o'clock UTC.
 */
import type { Account } from "@coffer/model/Account"
import { Mode } from "@coffer/model/Ids"
import { DateTime, Effect, Layer, Cause, Metric, Option } from "effect"
import { hourly, Workers } from "../../platform/jobs/Workers.ts"
import { leasedMax, forEachLeased } from "../../platform/jobs/forEachLeased.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { urgent } from "./Pace.ts"
import { Reconciliation } from "./Reconciliation.ts"
import { type DueRow, ReconciliationStore } from "./ReconciliationStore.ts"
import { StraySessions } from "./SessionStore.ts"
import { StripeClient } from "./StripeClient.ts"
import { eventTypes, noticeOf } from "./notices.ts"
import { StripeEvents } from "./StripeEvents.ts"
import { type EventRow, type PollRow, StripeEventStore } from "./StripeEventStore.ts"
import { CallKeys } from "./StripeRefunds.ts"

/** Less than the lease of an account's books. */
const within = "55 minutes"

/** Two o'clock UTC: webhooks of the day before have had two hours to arrive. */
const hour = 2

const nextNight = (now: DateTime.Utc) => {
  const tonight = DateTime.setPartsUtc(DateTime.startOf(now, "day"), { hour })
  return DateTime.isGreaterThan(tonight, now) ? tonight : DateTime.add(tonight, { days: 1 })
}

export const layerReconciliation = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const store = yield* ReconciliationStore
    const reconciliation = yield* Reconciliation

    const reconcile = Effect.fnUntraced(function* (row: DueRow) {
      const { id, merchant_id: merchantId, mode, movements_place: place, movements_since: since } = row
      const until = yield* reconciliation.reconcile({ merchantId, mode }, since, place)
      yield* store.readUntil(id, until, nextNight(until))
    })

    yield* workers.supervise(() => ({
      name: "stripe reconciliation",
      callsOutside: true,
      run: Effect.gen(function* () {
        const due = yield* store.leaseDue(yield* currentTime, leasedMax)
        const done = yield* forEachLeased("the books of the account", due, ({ id }) => id, reconcile, undefined, within)
        yield* reconciliation.measure
        return done
      }),
      next: store.nextDue
    }))
  })
)

const outcomes = ["adopted", "ignored", "given_up"] as const
const handled = Metric.counter("coffer_stripe_events_total", {
  description: "Events of Stripe that were handled, by outcome; given_up: a person has to look",
  incremental: true
})
const found = Metric.counter("coffer_stripe_events_found_total", {
  description: "Events that came by no webhook and were found in Stripe's list",
  incremental: true
})
const count = (mode: Mode, outcome: (typeof outcomes)[number], by = 1) =>
  Metric.update(Metric.withAttributes(handled, { mode, outcome }), by)
const countFound = (mode: Mode, by = 1) => Metric.update(Metric.withAttributes(found, { mode }), by)

/** After this long the event's subject will not come. */
const abandonedAfter = { days: 3 }

/** An event may enter Stripe's list after a younger one. */
const overlap = { minutes: 10 }
/** Events are listed by windows of time, so that each list has an end; so many windows in one round. */
const window = { minutes: 10 }
const windowsMax = 36
/** The limit of a poll: its lease is `pollEvery`. The next one continues where it was. */
const pollMax = "150 seconds"
const pageMax = 100
const pagesMax = 200

/** How long handled events are kept: longer than one can be sent again. */
const keptFor = { days: 7 }
const droppedMax = 1_000

/** In a sandbox no person decides about a stray session. It is closed this long after its last report. */
const strayOpenFor = { days: 1 }

const secondsOf = (time: DateTime.Utc) => Math.floor(DateTime.toEpochMillis(time) / 1_000)

const handleEvents = Effect.gen(function* () {
  const workers = yield* Workers
  const store = yield* StripeEventStore
  const events = yield* StripeEvents
  for (const mode of Mode.literals) yield* Effect.forEach(outcomes, (outcome) => count(mode, outcome, 0))

  const handle = ({
    event_id: eventId,
    id,
    kind,
    merchant_id: merchantId,
    mode,
    object_id,
    received_at,
    ...facts
  }: EventRow) =>
    events.handle({ merchantId, mode }, kind, { ...facts, eventId, objectId: object_id }).pipe(
      Effect.tap((outcome) => Effect.andThen(count(mode, outcome), store.done(id))),
      Effect.catchCause((cause) =>
        Effect.flatMap(currentTime, (now) =>
          DateTime.isLessThan(DateTime.add(received_at, abandonedAfter), now)
            ? Effect.andThen(
                Effect.andThen(store.done(id), count(mode, "given_up")),
                Effect.logError(`the event ${id} of Stripe is given up`, Cause.squash(cause))
              )
            : Effect.failCause(cause)
        )
      )
    )

  yield* workers.supervise(() => ({
    name: "stripe events",
    callsOutside: true,
    wakeup: "stripe_events",
    run: Effect.gen(function* () {
      const due = yield* store.leaseDue(yield* currentTime, leasedMax)
      return yield* forEachLeased("the event of Stripe", due, ({ id }) => id, handle, store.noteOutcomes)
    }),
    next: store.nextDue
  }))
})

const pollEvents = Effect.gen(function* () {
  const workers = yield* Workers
  const store = yield* StripeEventStore
  const client = yield* StripeClient
  const events = yield* StripeEvents
  for (const mode of Mode.literals) yield* countFound(mode, 0)

  /** Events of one window, which are listed newest first. */
  const fetchWindow = Effect.fnUntraced(function* (account: Account, from: DateTime.Utc, to: DateTime.Utc) {
    let after: string | undefined
    for (let page = 0; page < pagesMax; page++) {
      const listed = yield* client.read(account, (stripe) =>
        stripe.events.list({
          types: eventTypes,
          created: { gte: secondsOf(from), lt: secondsOf(to) },
          limit: pageMax,
          ...(after === undefined ? {} : { starting_after: after })
        })
      )
      for (const event of listed.data) {
        const notice = noticeOf(event)
        if (Option.isNone(notice)) continue
        if (yield* events.note(account, notice.value)) yield* countFound(account.mode)
      }
      after = listed.data.at(-1)?.id
      if (!listed.has_more || after === undefined) return
    }
    yield* Effect.logError("Stripe has more events of an account than are read")
  })

  /** From the end of the last round, one window after the other: after a failure the next round continues there. */
  const poll = Effect.fnUntraced(function* ({ id, merchant_id: merchantId, mode, since }: PollRow) {
    const now = yield* currentTime
    let from = DateTime.subtract(since, overlap)
    for (let windows = 0; windows < windowsMax && DateTime.isLessThanOrEqualTo(from, now); windows++) {
      const to = DateTime.add(from, window)
      yield* fetchWindow({ merchantId, mode }, from, to)
      yield* store.polled(id, DateTime.min(to, now))
      from = to
    }
  })

  yield* workers.supervise(() => ({
    name: "stripe reconciler",
    callsOutside: true,
    wakeup: "stripe_accounts",
    run: Effect.gen(function* () {
      const due = yield* store.leasePolls(yield* currentTime, leasedMax)
      return yield* urgent("money")(
        forEachLeased("the events of the account", due, ({ id }) => id, poll, undefined, pollMax)
      )
    }),
    next: store.nextPoll
  }))
})

/** Once an hour and without an index, since the tables are small: the scan reads the events of a week. */
const dropEvents = Effect.gen(function* () {
  const workers = yield* Workers
  const store = yield* StripeEventStore
  const keys = yield* CallKeys
  const drop = Effect.fnUntraced(function* (now: DateTime.Utc) {
    const before = DateTime.subtract(now, keptFor)
    return (yield* store.dropHandled(before, droppedMax)) + (yield* keys.drop(before, droppedMax))
  })
  yield* workers.supervise(() => hourly("handled events of stripe", drop))
  const strays = yield* StraySessions
  yield* workers.supervise(() =>
    hourly("stray sessions of sandboxes", (now) =>
      strays.closeOfSandboxes(DateTime.subtract(now, strayOpenFor), droppedMax)
    )
  )
})

export const layer = Layer.effectDiscard(Effect.all([handleEvents, pollEvents, dropEvents], { discard: true }))
