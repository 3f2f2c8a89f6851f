/** Limits of signing in, and how an address is written. */
import { Duration } from "effect"

/** How long a link of a mail may be used. */
export const linkValidity = Duration.minutes(15)
/**
 * Links of its own that a browser gets in an hour; beyond them all that ask for a person share one. `browser`: on
 * requests of one browser. For browsers in which the person has signed in before no other bound holds. `network`: on
 * those of other browsers at one address. `strangers`: on those of all others together.
 */
export const linksAnHour = { browser: 5, network: 10, strangers: 30 } as const
/** How long a link that was mailed before has to work yet, so that no other mail is sent instead. */
export const linkUsableFor = Duration.minutes(5)
/** Browsers of one person that are known, the last ones. */
export const knownBrowsersMax = 20
/** How long an invitation can be accepted. */
export const invitationValidity = Duration.days(30)
/** How long a mail about a person is tried that has no link with an end. */
export const personMailTriedFor = Duration.days(3)
/**
 * Invitations that are sent on one day: by the people of one merchant, by them to one address, and to one address by
 * all merchants together that are not approved for live.
 */
export const invitationsADay = { merchant: 40, recipient: 3, strangers: 5 } as const
/** Addresses that the people of one merchant type into its settings, on one day. */
export const typedAddressesADay = 20
/** Mails that reset one person's access, on one day. */
export const recoveriesADay = 10
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

/**
 * No two persons have addresses that differ in upper and lower case alone. A letter whose small form belongs to another
 * one as well, such as the sign for kelvin, stays: it is another address.
 */
export const normalEmail = (email: string): string =>
  Array.from(email.trim(), (letter) => {
    const small = letter.toLowerCase()
    return small.toUpperCase() === letter ? small : letter
  }).join("")
