/**
 * A page of events that is answered when there is one: `wait` in a query of the list (docs/decisions/0190). The rows
 * are in Postgres, so any runner answers, and a reader who asks again loses nothing. A wait holds a connection and a
 * look at one index each second. It does not take the room of other requests, nor a turn to build answers.
 */
import type { EventQuery } from "@coffer/contract/Events"
import type { Account } from "@coffer/model/Account"
import { millisOfId } from "@coffer/model/Ids"
import { InvalidField } from "@coffer/rules/InvalidField"
import type { Page } from "@coffer/rules/lists/pageRequest"
import { Duration, Effect, Schema } from "effect"
import { Admission } from "../../shared/http/Admission.ts"
import { Clients } from "../../shared/http/Clients.ts"
import { CurrentRecord, type RequestRecord } from "../../shared/http/CurrentRequest.ts"
import { Draining } from "../../shared/http/Draining.ts"
import { Logs } from "../../shared/logs/Logs.ts"
import { Wakeups } from "../../platform/commit/Wakeups.ts"
import { currentMillis } from "../../platform/runtime/clock.ts"
import { RequestTime, waitingForClient } from "../../platform/runtime/Deadline.ts"
import { EventLists, type StoredEvent } from "./EventLists.ts"

/** Waits at once: of one account, and of all in this process. */
export const waitsOfOneMax = 8
export const waitsMax = 256

/** Between two looks: at least, also while many events are committed here, and at most. */
const restMillis = 200
const lookMillis = 1_000

/** A reader who continues from an event that is younger than this has its earlier calls in the log. */
const freshMillis = 5 * 60_000

/** When to retry. */
const comeAgain = Duration.seconds(5)

export class TooManyWaits extends Schema.TaggedError<TooManyWaits>()("TooManyWaits", {
  /** The account has reached its limit; otherwise the process has. */
  isOfAccount: Schema.Boolean
}) {
  readonly lasts = comeAgain
}

type Answered = Effect.Effect<Page<StoredEvent>, InvalidField | TooManyWaits>

export const make = Effect.gen(function* () {
  const events = yield* EventLists
  const draining = yield* Draining
  const time = yield* RequestTime
  const { giveBack, takeAgain } = yield* makeRoom
  const idle = yield* makeIdle
  const places = makePlaces()

  /** Looks until there is an event, the time is over, or this process is to stop. */
  const waited = Effect.fnUntraced(function* (account: Account, query: EventQuery, empty: Page<StoredEvent>) {
    const record = yield* CurrentRecord
    giveBack(record)
    const ends = time.millis() + (query.wait ?? 0) * 1_000
    for (let left = ends - time.millis(); left > 0 && !draining.now; left = ends - time.millis()) {
      yield* idle(record, left)
      const { data } = yield* events.page(account, { ...query, limit: 1 })
      if (data.length === 0) continue
      yield* takeAgain(record)
      return yield* events.page(account, query)
    }
    return empty
  })

  return Effect.fnUntraced(function* (
    account: Account,
    query: EventQuery
  ): Effect.fn.Return<Effect.Success<Answered>, Effect.Error<Answered>> {
    const { ending_before, starting_after, wait } = query
    if (wait === undefined) return yield* events.page(account, query)
    if (starting_after !== undefined) {
      return yield* new InvalidField({
        param: "wait",
        problem: "waits for newer events: omit starting_after"
      })
    }
    const record = yield* CurrentRecord
    const page = yield* events.page(account, query)
    const now = yield* currentMillis
    record.isUnlogged = ending_before !== undefined && now - millisOfId(ending_before) < freshMillis
    if (page.data.length > 0) return page
    const leave = yield* places.take(account)
    return yield* Effect.ensuring(waited(account, query, page), Effect.sync(leave))
  })
})

/** Counts the waits. */
const makePlaces = () => {
  const held = new Map<string, number>()
  let all = 0
  return {
    /** Returns the effect that frees the place. */
    take: ({ merchantId, mode }: Account) =>
      Effect.suspend(() => {
        const name = `${merchantId}:${mode}`
        const own = held.get(name) ?? 0
        if (own >= waitsOfOneMax || all >= waitsMax) {
          return Effect.fail(new TooManyWaits({ isOfAccount: own >= waitsOfOneMax }))
        }
        held.set(name, own + 1)
        all += 1
        return Effect.succeed(() => {
          all -= 1
          const left = held.get(name)! - 1
          if (left === 0) held.delete(name)
          else held.set(name, left)
        })
      })
  }
}

/** The room that a request has taken in this process, which a wait does not need. */
const makeRoom = Effect.gen(function* () {
  const { building } = yield* Clients
  const logs = yield* Logs
  return {
    giveBack: (record: RequestRecord) => {
      // The list of the account's calls ends before a call without a row, and would stop there.
      record.isUnlogged = true
      logs.ended(record)
      if (record.visit !== undefined && record.rowsTaken !== undefined) building.give(record.visit, record.rowsTaken)
      record.rowsTaken = undefined
    },
    takeAgain: (record: RequestRecord) =>
      record.visit === undefined || record.rows === 0
        ? Effect.void
        : building.take(record.visit, record.rows, () => {
            record.rowsTaken = record.rows
          })
  }
})

/** Waits until this runner has committed an event of any account, or for a second. */
const makeIdle = Effect.gen(function* () {
  const admission = yield* Admission
  const wakeups = yield* Wakeups
  const time = yield* RequestTime
  const listeners = new Set<() => void>()
  let raised = 0
  yield* wakeups.onRaise("events", () => {
    raised += 1
    for (const listener of listeners) listener()
  })

  const pause = (millis: number, isOver: () => boolean) =>
    Effect.callback<void>((resume) => {
      const end = () => {
        if (left > 0 && !isOver()) return
        stop()
        resume(Effect.void)
      }
      let left = millis
      const cancel = time.after(millis, () => {
        left = 0
        end()
      })
      const stop = () => {
        cancel()
        listeners.delete(end)
      }
      listeners.add(end)
      return Effect.sync(stop)
    })

  return Effect.fnUntraced(function* ({ visit }: RequestRecord, left: number) {
    const before = raised
    if (visit !== undefined) admission.move(visit, "paused")
    yield* waitingForClient(
      Effect.andThen(
        pause(Math.min(restMillis, left), () => false),
        Effect.suspend(() =>
          raised > before || left <= restMillis
            ? Effect.void
            : pause(Math.min(lookMillis, left) - restMillis, () => raised > before)
        )
      )
    )
    if (visit !== undefined) admission.move(visit, "in")
  })
})
