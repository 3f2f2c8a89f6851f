/**
 * Advances the clock of one sandbox to its target: from one due moment to the next, and at each all due work is done
 * before the clock moves on (docs/decisions/0005). For the holder of the sandbox.
 */
import type { MerchantId } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import { DateTime, Effect, Option } from "effect"
import { Workers } from "../../platform/jobs/Workers.ts"
import { MerchantClocks, unmovedMillis } from "../../platform/runtime/MerchantClocks.ts"
import { elapsedMillis, onRealTime } from "../../platform/runtime/realTime.ts"
import { type ClockRow, SandboxClockStore } from "./SandboxClockStore.ts"

/** Rounds of work at one moment: a receiver of webhooks may cause more work. */
const roundsMax = 100
/**
 * How long to wait at one moment for posts, and for work that another worker has or that fails. Then the clock moves
 * on.
 */
const waitMillisMax = 60_000
const waitStepMin = 2
const waitStepMax = 250
/** The step of the clock past work that was not done. */
const blindMillis = 3_600_000
/** How many due moments the clock stops at. Then it takes steps of this fraction of the rest, or longer ones. */
const stopsMax = 4_000

export const sandboxOf = (merchantId: string): Account => ({ merchantId: merchantId as MerchantId, mode: "sandbox" })

/** When each kind of work of these sandboxes is due first by their clocks, in milliseconds since 1970. */
const duesOf = (workers: Workers["Service"], merchantIds: ReadonlyArray<string>) =>
  Effect.forEach(
    merchantIds.length === 0 ? [] : workers.ofSandboxes(),
    (work) =>
      Effect.map(work.nextOf(merchantIds), (dues) => ({
        work,
        dues: new Map(dues.map(({ at, merchantId }) => [merchantId, DateTime.toEpochMillis(at)]))
      })),
    { concurrency: "unbounded" }
  )

/** The same of all work together. */
export const dueOf = (workers: Workers["Service"], merchantIds: ReadonlyArray<string>) =>
  Effect.map(duesOf(workers, merchantIds), (all) => {
    const first = new Map<string, number>()
    for (const [merchantId, at] of all.flatMap(({ dues }) => [...dues])) {
      first.set(merchantId, Math.min(first.get(merchantId) ?? Infinity, at))
    }
    return first
  })

export const makeDriveClock = Effect.gen(function* () {
  const workers = yield* Workers
  const clocks = yield* MerchantClocks
  const store = yield* SandboxClockStore

  /** The rows that are due now, and the time of the first of all. */
  const look = Effect.fnUntraced(function* (merchantId: string) {
    const all = yield* duesOf(workers, [merchantId])
    const now = (yield* unmovedMillis) + clocks.offsetOf(sandboxOf(merchantId))
    const works = all.map(({ dues, work }) => ({ work, at: dues.get(merchantId) ?? Infinity }))
    return { now, first: Math.min(...works.map(({ at }) => at)), due: works.filter(({ at }) => at <= now) }
  })

  /** Does the due work, and answers the number of rows, and of posts of webhooks among them. */
  const runDue = Effect.fnUntraced(function* (merchantId: string) {
    let done = 0
    let posts = 0
    for (let round = 0; ; round++) {
      const { due, first, now } = yield* look(merchantId)
      let some = 0
      for (const { work } of round < roundsMax ? due : []) {
        const rows = yield* clocks.working(sandboxOf(merchantId), work.run(merchantId))
        some += rows
        if (work.isPosting === true) posts += rows
      }
      // Another worker has the rows that are still due.
      if (some === 0) return { done, posts, first, now }
      done += some
    }
  })

  /** Posts of webhooks since the last stop. Waits for posts without an answer, and for work that another has. */
  const restAt = Effect.fnUntraced(function* (merchantId: string) {
    const end = elapsedMillis() + waitMillisMax
    let posts = 0
    for (let step = waitStepMin; ; step = Math.min(2 * step, waitStepMax)) {
      const ran = yield* runDue(merchantId)
      posts += ran.posts
      if (ran.first > ran.now || elapsedMillis() > end) return { ...ran, posts }
      if (ran.done > 0) step = waitStepMin
      yield* onRealTime(Effect.sleep(step))
    }
  })

  const travel = Effect.fnUntraced(function* (begun: ClockRow & { readonly target: DateTime.Utc }, holder: string) {
    const { merchant_id: merchantId } = begun
    const target = DateTime.toEpochMillis(begun.target)
    const stepMin = Math.ceil((target - DateTime.toEpochMillis(begun.began ?? begun.target)) / stopsMax)
    for (let stops = begun.stops; ; stops++) {
      const { first, now, posts } = yield* restAt(merchantId)
      if (now >= target) {
        const row = Option.getOrElse(yield* store.find(merchantId), () => begun)
        return yield* store.arrive(row, holder, posts)
      }
      const moment = first > now ? first : now + blindMillis
      const goal = Math.min(target, stops < stopsMax ? moment : Math.max(moment, now + stepMin))
      const offset = Math.max(clocks.offsetOf(sandboxOf(merchantId)), goal - (yield* unmovedMillis))
      // Another runner holds the sandbox now: this one's lease had ended.
      if (!(yield* store.move(merchantId, holder, { attempts: posts, offset }))) return
      clocks.hear(merchantId, offset)
    }
  })

  /** False while another worker has due work, or a post is under way. */
  return Effect.fnUntraced(function* (merchantId: string, holder: string) {
    const row = Option.getOrUndefined(yield* store.find(merchantId))
    if (row === undefined) return false
    clocks.hear(merchantId, row.offset_ms)
    if (row.target === null) {
      const { done, first, now } = yield* runDue(merchantId)
      return done > 0 || first > now
    }
    yield* travel({ ...row, target: row.target }, holder)
    return true
  })
})
