/**
 * Notifies runners of a moved clock of a sandbox (docs/decisions/0005). The notification has the value, so no runner
 * has to read it, and each runner acknowledges it. The runner that answers an advance waits for the acknowledgements:
 * the next request may come to any runner.
 */
import { Effect, Schedule } from "effect"
import { MerchantClocks } from "../../platform/runtime/MerchantClocks.ts"
import { elapsedMillis, onRealTime } from "../../platform/runtime/realTime.ts"

/** The prefix of a notification; the merchant and the milliseconds follow. No merchant id has it. */
const newsPrefix = "clock:"
/** The prefix of an acknowledgement; the runner and the notification follow. */
const heardPrefix = "heard:"

/** The message on the channel of changes, sent in the transaction that moves the clock. */
export const clockNewsOf = (merchantId: string, offset: number): string => `${newsPrefix}${merchantId}:${offset}`

/** A runner that is silent for this long is not waited for: it reads all clocks before it continues. */
const silenceMaxMillis = 3_000
const lookEvery = "5 millis"

export const makeClockNews = Effect.fnUntraced(function* (runner: string) {
  const clocks = yield* MerchantClocks
  /** The time of the last heartbeat of each other runner. */
  const others = new Map<string, number>()
  /** By runner and merchant: the newest acknowledged offset. */
  const heard = new Map<string, number>()

  const noteHeard = (text: string) => {
    const [other = "", merchantId = "", offset] = text.split(":")
    const key = `${other}:${merchantId}`
    if (heard.size >= heardMax) heard.clear()
    heard.set(key, Math.max(heard.get(key) ?? 0, Number(offset)))
  }

  const waiting = (merchantId: string, offset: number) => {
    const since = elapsedMillis() - silenceMaxMillis
    return [...others].some(([other, at]) => at >= since && (heard.get(`${other}:${merchantId}`) ?? 0) < offset)
  }

  return {
    /** Notes a heartbeat of another runner. */
    beat: (other: string) => {
      if (others.size >= othersMax) others.clear()
      others.set(other, elapsedMillis())
    },
    /** Whether the payload was about clocks, and the acknowledgement to send. */
    take: (payload: string): { readonly answer?: string } | undefined => {
      if (payload.startsWith(heardPrefix)) {
        noteHeard(payload.slice(heardPrefix.length))
        return {}
      }
      if (!payload.startsWith(newsPrefix)) return undefined
      const [merchantId = "", offset] = payload.slice(newsPrefix.length).split(":")
      clocks.hear(merchantId, Number(offset))
      return { answer: `${heardPrefix}${runner}:${merchantId}:${offset}` }
    },
    /** Waits until all other living runners have acknowledged, or have been silent for too long. */
    isHeard: (merchantId: string, offset: number): Effect.Effect<void> =>
      Effect.sync(() => waiting(merchantId, offset)).pipe(
        Effect.repeat({ while: (isWaiting) => isWaiting, schedule: Schedule.spaced(lookEvery) }),
        Effect.timeoutOption(silenceMaxMillis),
        Effect.asVoid,
        onRealTime
      )
  }
})

const heardMax = 10_000
const othersMax = 1_000
