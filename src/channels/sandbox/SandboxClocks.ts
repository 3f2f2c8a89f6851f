/**
 * Front door to the clock of a sandbox: reads it, and advances it (docs/decisions/0005; silences: T1 to T7). A worker
 * moves it (`ClockJobs.ts`). The caller waits some seconds; the clock moves on without it.
 */
import { isoText, isoTextOrNull } from "@coffer/model/isoText"
import type { AdvanceClock, SandboxClockResource } from "@coffer/contract/SandboxClock"
import type { MerchantId } from "@coffer/model/Ids"
import { sandboxClockMax } from "@coffer/model/Limits"
import { InvalidField } from "@coffer/rules/InvalidField"
import { Context, DateTime, Duration, Effect, Layer, Option, Schema } from "effect"
import { Channel } from "../../shared/channel/Channel.ts"
import { currentRequest, keepClaimFrom } from "../../shared/idempotency/Answering.ts"
import { Merchants } from "../../access/merchants/Merchants.ts"
import { Wakeups } from "../../platform/commit/Wakeups.ts"
import { jsonText } from "../../platform/runtime/codecs.ts"
import { CurrentDeadline } from "../../platform/runtime/Deadline.ts"
import { unmovedMillis } from "../../platform/runtime/MerchantClocks.ts"
import { onRealTime } from "../../platform/runtime/realTime.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import { type ClockRow, SandboxClockStore, type Setting } from "./SandboxClockStore.ts"

/** The clock is advancing. */
export class ClockAdvancing extends Schema.TaggedError<ClockAdvancing>()("ClockAdvancing", {
  target: Schema.DateTimeUtc
}) {}

/** The sandbox's payments are an acquirer's, whose time cannot be moved. */
export class ClockNotOurs extends Schema.TaggedError<ClockNotOurs>()("ClockNotOurs", { channel: Schema.String }) {}

export class SandboxClocks extends Context.Service<
  SandboxClocks,
  {
    readonly find: (merchantId: MerchantId) => Effect.Effect<SandboxClockResource>
    /** The clock at its target, or its state after some seconds. */
    readonly advance: (
      merchantId: MerchantId,
      body: AdvanceClock
    ) => Effect.Effect<SandboxClockResource, InvalidField | ClockAdvancing | ClockNotOurs>
  }
>()("@coffer/sandbox/SandboxClocks") {}

/** How long a caller waits, in the time of requests; then the answer shows that the clock is still advancing. */
const patienceMillis = 5_000
const lookEvery = "20 millis"

export const layer = Layer.effect(
  SandboxClocks,
  Effect.gen(function* () {
    const store = yield* SandboxClockStore
    const merchants = yield* Merchants
    const wakeups = yield* Wakeups
    const channel = yield* Channel
    const { keep } = yield* Settings

    const find = Effect.fnUntraced(function* (merchantId: MerchantId) {
      const row = Option.getOrElse(yield* store.find(merchantId), () => unmovedRow(merchantId))
      return viewOf(row, yield* unmovedMillis)
    })

    const untilThere = Effect.fnUntraced(function* (merchantId: MerchantId) {
      const { time } = yield* CurrentDeadline
      const end = time.millis() + patienceMillis
      let row = Option.getOrElse(yield* store.find(merchantId), () => unmovedRow(merchantId))
      while (row.target !== null && time.millis() < end) {
        yield* onRealTime(Effect.sleep(lookEvery))
        row = Option.getOrElse(yield* store.find(merchantId), () => row)
      }
      yield* merchants.clockIsHeard(merchantId, row.offset_ms)
      return row
    })

    return SandboxClocks.of({
      find,
      advance: span("SandboxClocks.advance")(function* (merchantId, body) {
        const request = yield* requestOf(body)
        const decide = Effect.fnUntraced(function* (row: ClockRow, channels: ReadonlyArray<string>) {
          const [name] = channels
          if (name !== undefined) return yield* new ClockNotOurs({ channel: channel.titleOf(name) })
          if (isRepeat(row, request, yield* unmovedMillis, keep.answers)) return undefined
          if (row.target !== null) return yield* new ClockAdvancing({ target: row.target })
          return yield* settingOf(body, row, { unmoved: yield* unmovedMillis, request })
        })
        yield* store.begin(merchantId, decide)
        wakeups.raise("sandbox_clocks")
        const row = yield* untilThere(merchantId)
        const unmoved = yield* unmovedMillis
        // The key's day counts from here: after an advance of more than a day it would have expired at once.
        yield* keepClaimFrom(row.target ?? DateTime.makeUnsafe(unmoved + row.offset_ms))
        return viewOf(row, unmoved)
      })
    })
  })
)

const unmovedRow = (merchantId: string): ClockRow => ({
  merchant_id: merchantId,
  offset_ms: 0,
  target: null,
  began: null,
  after_event: "",
  stops: 0,
  attempts: 0,
  happened: {},
  request: null,
  reached: null
})

/** Identifies a repeated request: its key and its body. */
const requestOf = (body: AdvanceClock) =>
  Effect.map(currentRequest, (request) => (request === null ? null : `${request} ${jsonText(body)}`))

/**
 * A repeated request whose answer was lost. The advance may exceed the key's lifetime, so that lifetime counts from the
 * end of the advance.
 */
const isRepeat = (
  { offset_ms, reached, request, target }: ClockRow,
  again: string | null,
  unmoved: number,
  kept: Duration.Duration
): boolean =>
  again !== null &&
  request === again &&
  (target !== null ||
    (reached !== null && unmoved + offset_ms < DateTime.toEpochMillis(reached) + Duration.toMillis(kept)))

const settingOf = Effect.fnUntraced(function* (
  { by, to }: AdvanceClock,
  { offset_ms }: ClockRow,
  { request, unmoved }: { readonly unmoved: number; readonly request: string | null }
): Effect.fn.Return<Setting, InvalidField> {
  if (by !== undefined && to !== undefined) {
    return yield* new InvalidField({ param: "to", problem: "can't be combined with by" })
  }
  if (by === undefined && to === undefined) {
    return yield* new InvalidField({ param: "by", problem: "is required unless to is set. Send a span, such as 24h" })
  }
  const now = unmoved + offset_ms
  const began = DateTime.makeUnsafe(now)
  const goal = to === undefined ? now + millisOf(by!) : DateTime.toEpochMillis(to)
  if (goal <= now) {
    const problem = `must be later than the sandbox's test clock, which is at ${isoText(began)}`
    return yield* new InvalidField({ param: "to", problem })
  }
  if (goal - unmoved > Duration.toMillis(sandboxClockMax)) {
    const last = isoText(DateTime.makeUnsafe(unmoved + Duration.toMillis(sandboxClockMax)))
    const problem = `must not go beyond ${last}: a test clock can be at most five years ahead`
    return yield* new InvalidField({ param: to === undefined ? "by" : "to", problem })
  }
  return { began, target: DateTime.makeUnsafe(goal), request }
})

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

const millisOf = (by: number | string): number =>
  typeof by === "number" ? by * 1_000 : Number(by.slice(0, -1)) * units[by.at(-1) as keyof typeof units]

const viewOf = (row: ClockRow, unmoved: number): SandboxClockResource => ({
  object: "sandbox_clock",
  status: row.target === null ? "ready" : "advancing",
  now: isoText(DateTime.makeUnsafe(unmoved + row.offset_ms)),
  ahead_ms: row.offset_ms,
  target: isoTextOrNull(row.target),
  stops: row.stops,
  happened: row.happened
})
