/**
 * Whether an endpoint fails, what has to be done about it, and when to look again (silences: W24 to W26). All times are
 * real ones: a sandbox whose clock was moved has no other days than its developers. Pure.
 */
import { DateTime, Duration } from "effect"

/** So many first attempts that failed within this time are an outage. */
export const failuresOfOutage = 5
export const outageWithin = Duration.hours(24)
/** How long after a mail about an outage there is no mail about another outage of the endpoint. */
export const outageCooldown = Duration.hours(24)
/** An endpoint that has taken everything for so long is well again. */
export const wellAfter = Duration.minutes(15)
/** An endpoint that has taken nothing for so long is disabled, where its merchant asked for that. */
export const disabledAfter = Duration.days(5)
/** An endpoint at which nothing arrives, and of which nothing more is heard, is forgotten. */
export const forgottenAfter = Duration.days(30)

export interface Health {
  /** When the first attempt failed that was the fifth before now; null when fewer have failed. */
  readonly fifthFailedAt: DateTime.Utc | null
  /** When the latest attempt failed. */
  readonly lastFailedAt: DateTime.Utc
  /** When the first one failed after the latest that arrived. */
  readonly failingSince: DateTime.Utc
  /** Since when everything has arrived; null while it fails. */
  readonly wellSince: DateTime.Utc | null
  /** Whether the merchant was told of an outage that is not over. */
  readonly isTold: boolean
  /** When the merchant was told of an outage last. */
  readonly toldAt: DateTime.Utc | null
}

export type Finding = "outage" | "well" | "disable" | "forget" | "nothing"

/** The act that is due now. `disables`: the merchant asked for it. */
export const findingOf = (health: Health, disables: boolean, now: DateTime.Utc): Finding => {
  const { isTold, lastFailedAt, wellSince } = health
  if (disables && isLasting(health)) return "disable"
  const isWell = wellSince !== null && isOver(wellSince, wellAfter, now)
  if (isTold) {
    if (isWell) return "well"
    return isOver(lastFailedAt, forgottenAfter, now) ? "forget" : "nothing"
  }
  if (!isOver(lastFailedAt, outageWithin, now)) {
    return isOutage(health) && !isWell && mayTell(health, now) ? "outage" : "nothing"
  }
  return mayTell(health, now) && isOver(lastFailedAt, keptFor(health), now) ? "forget" : "nothing"
}

/** When something may have to be done next, if nothing happens meanwhile: later than now. */
export const nextLookAt = (health: Health, now: DateTime.Utc): DateTime.Utc => {
  const { isTold, lastFailedAt, toldAt, wellSince } = health
  const after = (since: DateTime.Utc, span: Duration.Duration) =>
    DateTime.max(DateTime.addDuration(since, span), DateTime.addDuration(now, lookAgainAfter))
  if (isTold) return wellSince === null ? after(lastFailedAt, forgottenAfter) : after(wellSince, wellAfter)
  const coolAt = after(toldAt ?? now, toldAt === null ? Duration.zero : outageCooldown)
  const oldAt = after(lastFailedAt, keptFor(health))
  return isOutage(health) && !mayTell(health, now) ? DateTime.min(coolAt, oldAt) : DateTime.max(coolAt, oldAt)
}

const lookAgainAfter = Duration.minutes(1)

const isOver = (since: DateTime.Utc, span: Duration.Duration, now: DateTime.Utc): boolean =>
  DateTime.isGreaterThanOrEqualTo(now, DateTime.addDuration(since, span))

/** While nothing arrives it is kept, since that may go on for five days. */
const keptFor = ({ wellSince }: Health): Duration.Duration => (wellSince === null ? forgottenAfter : outageWithin)

const mayTell = ({ toldAt }: Health, now: DateTime.Utc): boolean =>
  toldAt === null || isOver(toldAt, outageCooldown, now)

const isOutage = ({ fifthFailedAt, lastFailedAt }: Health): boolean =>
  fifthFailedAt !== null && !isOver(fifthFailedAt, outageWithin, lastFailedAt)

/** It has taken nothing for five days, and still fails then. */
const isLasting = ({ failingSince, lastFailedAt, wellSince }: Health): boolean =>
  wellSince === null && isOver(failingSince, disabledAfter, lastFailedAt)
