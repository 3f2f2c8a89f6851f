/**
 * The outcome of a repeated `Idempotency-Key` (silences: I1 to I6): the stored answer, a refusal, or a takeover. Pure.
 */
import { DateTime, type Duration } from "effect"

/** 1 to 255 printable ASCII characters (silences: I3). */
export const isIdempotencyKey = (key: string): boolean => /^[\x20-\x7e]{1,255}$/.test(key)

/** JSON with its keys in order: two equal bodies have the same text (silences: I3). */
export const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, canonical(inner)])
  )
}

/** Nested no deeper than any body of ours could be. A deeper body has no canonical form: its text is compared. */
export const isShallow = (value: unknown, levels = 32): boolean =>
  typeof value !== "object" ||
  value === null ||
  (levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1)))

/** How long a first request may run before another may take its place (silences: I6). */
export const leaseDuration = "30 seconds"
/** How long an answer is kept at least (silences: I3). An operator may set a longer time. */
export const keptDuration = "24 hours"

export interface Held {
  readonly fingerprint: string
  readonly state: "running" | "done" | "released"
  readonly leaseUntil: DateTime.Utc | null
  readonly createdAt: DateTime.Utc
}

/** `TakeOver`: the claim is free, because it ended without an answer, its process died, or it has expired. */
export type Verdict = "TakeOver" | "Replay" | "InProgress" | "OtherContent"

/**
 * `isAbandoned`: no process runs the request any more, so its lease need not expire first. `unmoved`: the time by
 * which leases end, where `now` is that of a sandbox whose clock was moved. `kept`: how long answers are kept. Model:
 * models/claim.pml.
 */
export const judge = (
  held: Held,
  fingerprint: string,
  now: DateTime.Utc,
  isAbandoned = false,
  unmoved = now,
  kept: Duration.Input = keptDuration
): Verdict => {
  if (DateTime.isLessThanOrEqualTo(DateTime.addDuration(held.createdAt, kept), now)) return "TakeOver"
  switch (held.state) {
    case "released":
      return "TakeOver"
    case "done":
      return held.fingerprint === fingerprint ? "Replay" : "OtherContent"
    case "running":
      if (held.fingerprint !== fingerprint) return "OtherContent"
      if (isAbandoned) return "TakeOver"
      return held.leaseUntil !== null && DateTime.isLessThanOrEqualTo(held.leaseUntil, unmoved)
        ? "TakeOver"
        : "InProgress"
  }
}
