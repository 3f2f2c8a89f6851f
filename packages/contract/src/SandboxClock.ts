/** The clock of a merchant's sandbox, as test helpers show it and move it. Ours, not the specification's. */
import { optional, withoutNulls } from "@coffer/model/optional"
import { Moment } from "@coffer/model/Times"
import { Schema } from "effect"
import { instant, int, kind, orNull, withExample } from "./fields.ts"

export const SandboxClockResource = withExample(
  Schema.Struct({
    object: kind("sandbox_clock"),
    status: Schema.Literals(["ready", "advancing"]).annotate({
      description: "`advancing` while the clock is on its way to `target`."
    }),
    now: instant("The time by the clock of your sandbox."),
    ahead_ms: int("How far it is ahead of real time, in milliseconds; 0 until it is advanced."),
    target: orNull(instant(""), "The time to which the clock is advancing; null while it is `ready`."),
    stops: int("At how many moments the last advance stopped to process what was due."),
    happened: Schema.Record(Schema.String, Schema.Int).annotate({
      description:
        "Counts of the events during the last advance, by type, and `webhook_attempts`, the requests to your servers."
    })
  }).annotate({ identifier: "SandboxClock", description: "The clock of your sandbox. It only moves forward." }),
  {
    object: "sandbox_clock",
    status: "ready",
    now: "2026-12-02T10:00:00.000Z",
    ahead_ms: 86400000,
    target: null,
    stops: 8,
    happened: { "payment.expired": 1, webhook_attempts: 7 }
  }
)
export type SandboxClockResource = typeof SandboxClockResource.Type

/** A duration as people write it. */
const Span = Schema.String.check(
  Schema.isPattern(/^[1-9][0-9]{0,9}(s|m|h|d)$/, {
    expected: "a number and a unit, s, m, h or d, such as 24h or 90d"
  })
)

export const AdvanceClock = withoutNulls(
  withExample(
    Schema.Struct({
      by: optional(
        Schema.Union([Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)), Span]),
        "By how much: a number of seconds, or a number with a unit, s, m, h or d. Either `by` or `to`."
      ),
      to: optional(
        Moment.annotate({ format: "date-time" }),
        "The time to which to advance, later than the clock's current time. Either `by` or `to`."
      )
    }),
    { by: "24h" }
  )
)
export type AdvanceClock = typeof AdvanceClock.Type
