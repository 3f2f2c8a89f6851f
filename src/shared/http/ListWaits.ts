/**
 * A page of a list that is answered when there is one: `wait` in its query (docs/decisions/0190). The rows are in
 * Postgres, so any runner answers, and a reader who asks again loses nothing. A wait holds a connection and a look at
 * its list each second. It does not take the room of other requests, nor a turn to build answers.
 */
import type { WaitQuery } from "@coffer/contract/Lists"
import type { Account } from "@coffer/model/Account"
import { millisOfId } from "@coffer/model/Ids"
import { InvalidField } from "@coffer/rules/InvalidField"
import type { Page } from "@coffer/rules/lists/pageRequest"
import { Context, Duration, Effect, Layer, Schema } from "effect"
import { Admission } from "./Admission.ts"
import { Clients } from "./Clients.ts"
import { CurrentRecord, type RequestRecord } from "./CurrentRequest.ts"
import { Draining } from "./Draining.ts"
import { type Wakeup, Wakeups } from "../../platform/commit/Wakeups.ts"
import { currentMillis } from "../../platform/runtime/clock.ts"
import { RequestTime, waitingForClient } from "../../platform/runtime/Deadline.ts"

/** Waits at once: of one account, and of all in this process. */
export const waitsOfOneMax = 8
export const waitsMax = 256

/** Between two looks: at least, also while many rows are committed here, and at most. */
const restMillis = 200
const lookMillis = 1_000
/** A look that was slow is not repeated before so many times its own time have passed. */
const restsOfALook = 10

/** A reader who continues from a row that is younger than this has its earlier calls in the log. */
const freshMillis = 5 * 60_000

/** When to retry. */
const comeAgain = Duration.seconds(5)

export class TooManyWaits extends Schema.TaggedError<TooManyWaits>()("TooManyWaits", {
  /** The account has reached its limit; otherwise the process has. */
  isOfAccount: Schema.Boolean
}) {
  readonly lasts = comeAgain
}

type ReadPage<Query, Row, E> = (account: Account, query: Query) => Effect.Effect<Page<Row>, E>

export class ListWaits extends Context.Service<
  ListWaits,
  {
    /** The same list with `wait`. `raised`: what a commit of its rows raises. */
    readonly on: <Query extends WaitQuery, Row, E>(
      raised: Wakeup,
      read: ReadPage<Query, Row, E>
    ) => Effect.Effect<ReadPage<Query, Row, E | InvalidField | TooManyWaits>>
  }
>()("@coffer/http/ListWaits") {}

export const layer = Layer.effect(
  ListWaits,
  Effect.gen(function* () {
    const draining = yield* Draining
    const time = yield* RequestTime
    const { giveBack, takeAgain } = yield* makeRoom
    const makeIdleOn = yield* makeIdle
    const places = makePlaces()

    const on = Effect.fnUntraced(function* <Query extends WaitQuery, Row, E>(
      raised: Wakeup,
      read: ReadPage<Query, Row, E>
    ) {
      const idle = yield* makeIdleOn(raised)

      /** Looks until there is a row, the time is over, or this process is to stop. */
      const waited = Effect.fnUntraced(function* (account: Account, query: Query, empty: Page<Row>) {
        const record = yield* CurrentRecord
        giveBack(record)
        const ends = time.millis() + (query.wait ?? 0) * 1_000
        let rest = restMillis
        for (let left = ends - time.millis(); left > 0 && !draining.now; left = ends - time.millis()) {
          yield* idle(record, left, rest)
          const began = time.millis()
          const { data } = yield* read(account, { ...query, limit: 1 })
          rest = Math.max(restMillis, restsOfALook * (time.millis() - began))
          if (data.length === 0) continue
          yield* takeAgain(record)
          return yield* read(account, query)
        }
        return empty
      })

      return Effect.fnUntraced(function* (
        account: Account,
        query: Query
      ): Effect.fn.Return<Page<Row>, E | InvalidField | TooManyWaits> {
        const { ending_before, wait } = query
        if (wait === undefined) return yield* read(account, query)
        for (const odd of oddBeside) {
          if (query[odd] === undefined || query[odd] === "-created") continue
          return yield* new InvalidField({ param: "wait", problem: `waits for newer ones: omit ${odd}` })
        }
        const record = yield* CurrentRecord
        const page = yield* read(account, query)
        const now = yield* currentMillis
        record.isUnlogged = ending_before !== undefined && now - millisOfId(ending_before) < freshMillis
        if (page.data.length > 0) return page
        const leave = yield* places.take(account)
        return yield* Effect.ensuring(waited(account, query, page), Effect.sync(leave))
      })
    })

    return ListWaits.of({ on })
  })
)

/** A page with these is not of what is newer. */
const oddBeside = ["starting_after", "sort"] as const

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
  return {
    giveBack: (record: RequestRecord) => {
      // The list of the account's calls ends before a call without a row, and would stop there.
      record.isUnlogged = true
      record.leaveLog?.(record)
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

/** Waits until this runner has committed a row of the list, of any account, or for a second. */
const makeIdle = Effect.gen(function* () {
  const admission = yield* Admission
  const wakeups = yield* Wakeups
  const time = yield* RequestTime

  return Effect.fnUntraced(function* (signal: Wakeup) {
    const listeners = new Set<() => void>()
    let raised = 0
    yield* wakeups.onRaise(signal, () => {
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

    return Effect.fnUntraced(function* ({ visit }: RequestRecord, left: number, rest: number) {
      const before = raised
      if (visit !== undefined) admission.move(visit, "paused")
      yield* waitingForClient(
        Effect.andThen(
          pause(Math.min(rest, left), () => false),
          Effect.suspend(() =>
            raised > before || left <= rest || rest >= lookMillis
              ? Effect.void
              : pause(Math.min(lookMillis, left) - rest, () => raised > before)
          )
        )
      )
      if (visit !== undefined) admission.move(visit, "in")
    })
  })
})
