/** Limits of signing in, and the normal form of an email address. */
import { Duration } from "effect"

/** The validity of a mailed link. */
export const linkValidity = Duration.minutes(15)
/**
 * How many links of its own a browser gets per hour; beyond that all requests for a person share one link. `browser`:
 * limit for one browser; the only one for browsers in which the person has signed in before. `network`: limit for other
 * browsers at one address. `strangers`: limit for all others together.
 */
export const linksAnHour = { browser: 5, network: 10, strangers: 30 } as const
/** The remaining validity at which an earlier link still replaces a new mail. */
export const linkUsableFor = Duration.minutes(5)
/** How many of a person's latest browsers are remembered. */
export const knownBrowsersMax = 20
/** How long an invitation can be accepted. */
export const invitationValidity = Duration.days(30)
/** How long a mail about a person without an expiring link is retried. */
export const personMailTriedFor = Duration.days(3)
/**
 * Invitations that are sent on one day: by the people of one merchant, by them to one address, and to one address by
 * all merchants together that are not approved for live.
 */
export const invitationsADay = { merchant: 40, recipient: 3, strangers: 5 } as const
/** Addresses that the people of one merchant may type into its settings per day. */
export const typedAddressesADay = 20
/** Access resets of one person per day. */
export const recoveriesADay = 10
/** Requests per minute without a session from one address: for a link, or with one. */
export const triesAMinute = 30

export interface SessionLimits {
  /** A session ends after this long without a request. */
  readonly idle: Duration.Duration
  /** The maximum lifetime of a session. */
  readonly absolute: Duration.Duration
}

/** Operators can do more harm, so their sessions are shorter. */
export const sessionLimits = (isOperator: boolean): SessionLimits =>
  isOperator
    ? { idle: Duration.hours(1), absolute: Duration.hours(12) }
    : { idle: Duration.hours(12), absolute: Duration.days(7) }

/** Concurrent sessions of one person. A further one ends the oldest. */
export const sessionsMax = 20
/** People of one merchant. */
export const peopleMax = 200

/** The validity of a passkey challenge. */
export const challengeValidity = Duration.minutes(5)
/** The time limit at the OpenID provider. */
export const openIdValidity = Duration.minutes(10)
/** Passkeys of one person. */
export const passkeysMax = 20
/** An older session may not change the sign-in methods: the person may have left the browser open. */
export const freshFor = Duration.minutes(15)

/**
 * Addresses that differ only in case belong to the same person. A letter whose lower-case form is shared with another
 * letter, such as the Kelvin sign, is kept: it is a different address.
 */
export const normalEmail = (email: string): string =>
  Array.from(email.trim(), (letter) => {
    const small = letter.toLowerCase()
    return small.toUpperCase() === letter ? small : letter
  }).join("")
