/**
 * Moves the clocks of sandboxes, and does the due work of moved ones (docs/decisions/0005). Other workers look for rows
 * that are due in real time; the rows of a moved sandbox are due by its clock. One runner at a time works for a
 * sandbox, so it knows when a moment has no due work left, and continues with the next.
 */
import { DateTime, Duration, Effect, FiberSet, Layer, Option } from "effect"
import { Wakeups } from "../../platform/commit/Wakeups.ts"
import { type Worker, Workers } from "../../platform/jobs/Workers.ts"
import { Instance } from "../../platform/runtime/Vitals.ts"
import { MerchantClocks, unmovedMillis, unmovedTime } from "../../platform/runtime/MerchantClocks.ts"
import { onRealTime } from "../../platform/runtime/realTime.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { dueOf, makeDriveClock, sandboxOf } from "./driveClock.ts"
import { SandboxClockStore } from "./SandboxClockStore.ts"

/** The lease of a sandbox; a living runner renews it. */
const lease = Duration.seconds(15)
const renewEvery = "5 seconds"
/** Sandboxes that one runner works for at once. */
const heldMax = 16
/** A sandbox whose work another runner has is looked at again after this. */
const againMillis = 1_000

const keysMax = 1_000
const keysEvery = "1 hour"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const wakeups = yield* Wakeups
    const clocks = yield* MerchantClocks
    const store = yield* SandboxClockStore
    const agenda = makeAgenda(Duration.toMillis((yield* Settings).workerPoll))
    const tend = yield* makeTend(agenda)
    yield* wakeups.onRaise("sandbox_clocks", agenda.askForAll)

    const round = Effect.fnUntraced(function* (worker: Worker) {
      const unmoved = yield* unmovedTime
      const now = DateTime.toEpochMillis(unmoved)
      const moving = agenda.asksForAll(now) ? yield* store.abandoned(unmoved) : []
      const merchantIds = agenda.take(now, clocks.moved())
      const due = yield* dueOf(workers, merchantIds)
      for (const merchantId of merchantIds) {
        agenda.note(merchantId, (due.get(merchantId) ?? Infinity) - clocks.offsetOf(sandboxOf(merchantId)), now)
      }
      for (const merchantId of moving) agenda.note(merchantId, now, now)
      const free = agenda.due(now)
      for (const merchantId of free) yield* tend(merchantId, worker)
      return free.length
    })

    let wake = () => {}
    yield* clocks.onUse((merchantId) => {
      agenda.touch(merchantId)
      wake()
    })
    yield* workers.supervise((worker) => {
      wake = worker.wake
      return {
        name: "sandbox clocks",
        wakeup: "sandbox_clocks",
        run: round(worker),
        next: Effect.map(unmovedMillis, (now) => Option.map(agenda.next(now), DateTime.makeUnsafe))
      }
    })

    yield* workers.supervise(() => ({
      name: "keys of moved sandboxes",
      tidies: true,
      run: Effect.flatMap(unmovedTime, (unmoved) =>
        clocks.moved().length === 0 ? Effect.succeed(0) : store.dropKeys(unmoved, keysMax)
      ),
      next: Effect.map(unmovedTime, (now) => Option.some(DateTime.addDuration(now, keysEvery)))
    }))
  })
)

/** The sandboxes with due work, and when it is due in real time. */
const makeAgenda = (pollMillis: number) => {
  const times = new Map<string, number>()
  const touched = new Set<string>()
  const held = new Set<string>()
  let allAt = 0
  return {
    held,
    /** Notes that work was done in this sandbox, which may have caused more. */
    touch: (merchantId: string) => void touched.add(merchantId),
    askForAll: () => void (allAt = 0),
    asksForAll: (now: number) => now >= allAt,
    /** The sandboxes to check now. */
    take: (now: number, moved: ReadonlyArray<string>): ReadonlyArray<string> => {
      const merchantIds = now >= allAt ? moved : [...touched]
      if (now >= allAt) allAt = now + pollMillis
      touched.clear()
      return merchantIds
    },
    begin: (merchantId: string) => {
      held.add(merchantId)
      times.delete(merchantId)
    },
    /** Notes when a sandbox is due. One that is due already stays due. */
    note: (merchantId: string, at: number, now: number) => {
      if ((times.get(merchantId) ?? Infinity) <= now) return
      if (at === Infinity) times.delete(merchantId)
      else times.set(merchantId, at)
    },
    /** At most as many as may run at once. */
    due: (now: number): ReadonlyArray<string> =>
      [...times]
        .flatMap(([merchantId, at]) => (at <= now && !held.has(merchantId) ? [merchantId] : []))
        .slice(0, Math.max(0, heldMax - held.size)),
    next: (now: number): Option.Option<number> => {
      const waiting = [...times].flatMap(([merchantId, at]) => (held.has(merchantId) ? [] : [Math.max(at, now)]))
      return waiting.length === 0 ? Option.none() : Option.some(Math.min(...waiting))
    }
  }
}
type Agenda = ReturnType<typeof makeAgenda>

/** Starts the work for a sandbox in its own fiber; the worker is not at rest until it has ended. */
const makeTend = Effect.fnUntraced(function* (agenda: Agenda) {
  const store = yield* SandboxClockStore
  const drive = yield* makeDriveClock
  const instance = yield* Instance
  const fibers = yield* FiberSet.make()

  const hold = (merchantId: string) =>
    Effect.flatMap(unmovedTime, (unmoved) =>
      store.hold(merchantId, instance, { unmoved, until: DateTime.addDuration(unmoved, lease) })
    )

  const held = Effect.fnUntraced(function* (merchantId: string) {
    if (!(yield* hold(merchantId))) return "busy" as const
    let isMoving = false
    const release = Effect.map(store.release(merchantId, instance), (moving) => void (isMoving = moving))
    const renewing = Effect.forever(Effect.andThen(onRealTime(Effect.sleep(renewEvery)), hold(merchantId)))
    const isDone = yield* Effect.raceFirst(drive(merchantId, instance), renewing).pipe(
      Effect.ensuring(Effect.ignoreCause(release))
    )
    if (isMoving) return "moving" as const
    return isDone ? ("done" as const) : ("busy" as const)
  })

  return (merchantId: string, worker: Worker) => {
    agenda.begin(merchantId)
    worker.hold()
    return held(merchantId).pipe(
      Effect.catchCause((cause) =>
        Effect.as(
          Effect.logWarning(`the clock of the sandbox of ${merchantId} will be moved later`, cause),
          "busy" as const
        )
      ),
      Effect.flatMap((how) =>
        Effect.map(unmovedMillis, (now) => {
          if (how === "done") agenda.touch(merchantId)
          // Meanwhile another request has begun to advance a clock that was held.
          else agenda.note(merchantId, how === "moving" ? now : now + againMillis, now)
        })
      ),
      Effect.ensuring(
        Effect.sync(() => {
          agenda.held.delete(merchantId)
          worker.wake()
          worker.release()
        })
      ),
      FiberSet.run(fibers)
    )
  }
})
