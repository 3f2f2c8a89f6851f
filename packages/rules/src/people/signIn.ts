/** Limits of signing in, and how an address is written. */
import { Duration } from "effect"

/** How long a link of a mail may be used. */
export const linkValidity = Duration.minutes(15)
/** Links that a person may ask for in an hour. Further ones are not sent. */
export const linksAnHour = 5
/** Requests without a session that an address may make in a minute: for a link, or with one. */
export const triesAMinute = 30

export interface SessionLimits {
  /** Without a request for so long, it has ended. */
  readonly idle: Duration.Duration
  /** It ends then, whatever its requests were. */
  readonly absolute: Duration.Duration
}

/** A person of the installation may do more harm, so their sessions are shorter. */
export const sessionLimits = (isOperator: boolean): SessionLimits =>
  isOperator
    ? { idle: Duration.hours(1), absolute: Duration.hours(12) }
    : { idle: Duration.hours(12), absolute: Duration.days(7) }

/** Sessions of one person that are open at once. A further one ends the oldest. */
export const sessionsMax = 20
/** People of one merchant. */
export const peopleMax = 200

/** How long a browser may take for a passkey after it has asked for the challenge. */
export const challengeValidity = Duration.minutes(5)
/** How long a person may stay at the OpenID provider. */
export const openIdValidity = Duration.minutes(10)
/** Passkeys of one person. */
export const passkeysMax = 20
/** A session that is older does not change how its person signs in: the person may have left the browser open. */
export const freshFor = Duration.minutes(15)

/** No two persons have addresses that differ in upper and lower case alone. */
export const normalEmail = (email: string): string => email.trim().toLowerCase()
