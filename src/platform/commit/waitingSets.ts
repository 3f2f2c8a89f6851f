/**
 * The queue of change sets that wait to be written, and the lanes that take them. One lane takes all that wait, so
 * that a batch carries as many sets as it can: a batch of one costs as much as a batch of five. The other lane begins
 * when that batch takes long, and leaves out the sets whose lane key is in it (docs/decisions/0010). It also begins
 * when the batch is written and many wait: Postgres writes these while the replies are built (docs/decisions/0010).
 */
import { Effect } from "effect"
import { elapsedMillis } from "../runtime/realTime.ts"
import type { OpenSet } from "./openSets.ts"

/** The number of transactions in flight. */
const lanesMax = 2
/** A batch that takes longer does not block others: it waits for a lock or a slow disk, or is very large. */
const singleMillis = 20
/**
 * With this many waiting, the next batch begins before the replies of the last one. Fewer wait for the requests that
 * follow these replies.
 */
export const manyMin = 8
/** Change sets that one transaction takes. */
export const batchMax = 256
/** Change sets that may wait. Beyond it a caller has to retry. */
export const waitingMax = 16_384

interface Lane {
  /** Undefined while a batch of the lane is under way, or its replies are built. */
  begin: ((taken: ReadonlyArray<OpenSet>) => void) | undefined
  /** The lane keys of the batch until it is written. */
  keys: ReadonlySet<string>
  /** When it was taken; once it has ended, when it ended, until the lane continues. */
  takenAt: number
}

const none: ReadonlySet<string> = new Set()

/** In their order. A set whose key is being written waits, with all that came after it under that key. */
const takenOf = (waiting: ReadonlyArray<OpenSet>, isUnderWay: (set: OpenSet) => boolean) => {
  const taken: Array<OpenSet> = []
  const left: Array<OpenSet> = []
  for (const set of waiting) (taken.length < batchMax && !isUnderWay(set) ? taken : left).push(set)
  return { taken, left }
}

export type WaitingSets = ReturnType<typeof makeWaitingSets>

export const makeWaitingSets = () => {
  const lanes = Array.from({ length: lanesMax }, (): Lane => ({ begin: undefined, keys: none, takenAt: 0 }))
  let waiting: Array<OpenSet> = []
  let timer: NodeJS.Timeout | undefined
  let isGathering = false

  const isUnderWay = (set: OpenSet): boolean => {
    for (const { keys } of lanes) if (keys.has(set.lane)) return true
    return false
  }

  /** Until the batches that are under way take long. */
  const millisLeft = (): number => {
    let newest = 0
    for (const { begin, takenAt } of lanes) if (begin === undefined) newest = Math.max(newest, takenAt)
    return newest === 0 ? 0 : newest + singleMillis - elapsedMillis()
  }

  const begin = (left = millisLeft()): void => {
    const lane = lanes.find((each) => each.begin !== undefined)
    if (waiting.length === 0 || lane?.begin === undefined) return
    if (left > 0) {
      timer ??= setTimeout(() => {
        timer = undefined
        begin()
      }, left)
      return
    }
    const { left: others, taken } = takenOf(waiting, isUnderWay)
    waiting = others
    if (taken.length === 0) return
    const start = lane.begin
    lane.begin = undefined
    lane.keys = new Set(taken.map((set) => set.lane))
    lane.takenAt = elapsedMillis()
    start(taken)
  }

  /** Sets that come in one turn of the event loop are one batch. */
  const gather = (): void => {
    if (isGathering) return
    isGathering = true
    setImmediate(() => {
      isGathering = false
      begin()
    })
  }

  return {
    /** False when too many wait. */
    offer: (set: OpenSet): boolean => {
      if (waiting.length >= waitingMax) return false
      waiting.push(set)
      if (!isUnderWay(set)) gather()
      return true
    },
    size: () => waiting.length,
    /**
     * The lanes by their numbers. Each writes one batch after the other, and a batch that was taken is finished.
     * `onWritten` is called when all of a batch are written, before the first reply.
     */
    lanes: lanes.map(
      (lane) =>
        (write: (taken: ReadonlyArray<OpenSet>, onWritten: () => void) => Effect.Effect<void>): Effect.Effect<never> =>
          Effect.callback<void>((resume) => {
            lane.keys = none
            const onWritten = () => {
              lane.keys = none
              if (waiting.length >= manyMin) begin(0)
            }
            lane.begin = (taken) => resume(Effect.uninterruptible(write(taken, onWritten)))
            begin()
            return Effect.sync(() => {
              lane.begin = undefined
              clearTimeout(timer)
              timer = undefined
            })
          }).pipe(
            // Lets the replies of this batch, and the requests that follow them, run before the next is gathered.
            Effect.andThen(
              Effect.suspend(() => {
                lane.takenAt = elapsedMillis()
                return Effect.yieldNow
              })
            ),
            Effect.forever
          )
    )
  }
}
