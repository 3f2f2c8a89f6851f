/**
 * Whether an endpoint is failing, the action to take, and when to check again (silences: W24 to W26). All times are
 * real time, also for a sandbox whose clock was moved. Pure.
 */
import { DateTime, Duration } from "effect"

/** This many failed first attempts within this time are an outage. */
export const failuresOfOutage = 5
export const outageWithin = Duration.hours(24)
/** How long after a mail about an outage there is no mail about another outage of the endpoint. */
export const outageCooldown = Duration.hours(24)
/** An endpoint that has accepted everything for this long has recovered. */
export const wellAfter = Duration.minutes(15)
/** An endpoint that has accepted nothing for this long is disabled, if its merchant asked for that. */
export const disabledAfter = Duration.days(5)
/** A failing endpoint without further attempts is forgotten after this. */
export const forgottenAfter = Duration.days(30)

export interface Health {
  /** The time of the fifth-latest failed first attempt; null if fewer have failed. */
  readonly fifthFailedAt: DateTime.Utc | null
  /** When the latest attempt failed. */
  readonly lastFailedAt: DateTime.Utc
  /** The first failure after the latest success. */
  readonly failingSince: DateTime.Utc
  /** Since when everything has succeeded; null while it is failing. */
  readonly wellSince: DateTime.Utc | null
  /** Whether the merchant was notified of an ongoing outage. */
  readonly isTold: boolean
  /** When the merchant was last notified of an outage. */
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

/** When to check next, if nothing happens meanwhile: later than now. */
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

/** While nothing succeeds it is kept, since that may last five days. */
const keptFor = ({ wellSince }: Health): Duration.Duration => (wellSince === null ? forgottenAfter : outageWithin)

const mayTell = ({ toldAt }: Health, now: DateTime.Utc): boolean =>
  toldAt === null || isOver(toldAt, outageCooldown, now)

const isOutage = ({ fifthFailedAt, lastFailedAt }: Health): boolean =>
  fifthFailedAt !== null && !isOver(fifthFailedAt, outageWithin, lastFailedAt)

/** It has accepted nothing for five days, and is still failing. */
const isLasting = ({ failingSince, lastFailedAt, wellSince }: Health): boolean =>
  wellSince === null && isOver(failingSince, disabledAfter, lastFailedAt)
