/**
 * A shop's own host for checkout: which hosts are allowed, what DNS must contain before one is used, and when one is
 * checked again (docs/decisions/0201). The proof is a TXT record with a value that was made for this merchant. A
 * verified host without its proof is used for three more days. Pure.
 */
import { shopHostLengthMax } from "@coffer/model/Limits"
import { DateTime, Duration, Schema } from "effect"
import { InvalidField } from "../InvalidField.ts"

/** Why a host is not verified, or why it was not confirmed at the last check. */
export const DomainProblem = Schema.Literals([
  "no_record",
  "other_record",
  "not_pointing",
  "no_answer",
  "taken",
  "no_room"
])
export type DomainProblem = typeof DomainProblem.Type

const time = Schema.DateTimeUtcFromString

/** As stored in its row, in JSON. */
export const Domain = Schema.Struct({
  host: Schema.String,
  /** Made for this merchant when it asked for this host. */
  token: Schema.String,
  /** When it began to wait for its proof. */
  pending_since: time,
  checked_at: Schema.NullOr(time),
  /** Since when it has been verified; null while it is not. */
  verified_at: Schema.NullOr(time),
  /** Since when checks of a verified host have found no proof. */
  unproven_since: Schema.NullOr(time),
  problem: Schema.NullOr(DomainProblem),
  /** Null if no more automatic checks are due. */
  next_check_at: Schema.NullOr(time)
})
export type Domain = typeof Domain.Type

// Hosts that may be asked for ------------------------------------------------------------

const param = "checkout_domain"
const refuse = (problem: string) => new InvalidField({ param, problem })

/** Names that public DNS cannot resolve, or that mean the machine itself (RFC 6761, 6762, 7686, 9476). */
const endsPrivately = /\.(localhost|local|internal|arpa|onion|invalid|alt)$/
const label = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/
const labelLengthMax = 63
/** `shop.example` and `co.uk` have two labels. A shop's host has one more. */
const labelsMin = 3

/** `own`: hosts of the installation. A host below one of them is the installation's, too. */
export const hostProblem = (host: string, own: Iterable<string>): InvalidField | undefined => {
  if (host !== host.toLowerCase()) return refuse("must be in lower case, such as pay.shop.example")
  if (/[:/@?#\s]/.test(host))
    return refuse("must be only a host name, such as pay.shop.example, without https:// or a port")
  if (/^[\d.]+$/.test(host)) return refuse("must be a name and not an IP address, such as pay.shop.example")
  const labels = host.split(".")
  const isName =
    host.length <= shopHostLengthMax && labels.every((each) => label.test(each) && each.length <= labelLengthMax)
  if (!isName) return refuse("must be a host of letters, digits and hyphens, such as pay.shop.example")
  if (labels.some((each) => each.startsWith("xn--"))) return refuse("must have no part that begins with xn--")
  if (labels.length < labelsMin)
    return refuse("must have at least three parts: a subdomain of your domain, such as pay.shop.example")
  if (endsPrivately.test(host) || /^\d+$/.test(labels.at(-1)!)) return refuse("must be a name in public DNS")
  for (const each of own) {
    if (host === each || host.endsWith(`.${each}`)) return refuse(`must be your own: ${each} belongs to this service`)
  }
  return undefined
}

// The proof ------------------------------------------------------------------------

export const recordNameOf = (host: string): string => `_coffer.${host}`
export const recordValueOf = (token: string): string => `coffer-domain=${token}`

/** DNS answers. `silent`: no server has answered, or only with failures. */
export interface Looked {
  /** The texts of the TXT records; none if the name does not exist. */
  readonly texts: ReadonlyArray<string> | "silent"
  /** Whether the host points to this installation. */
  readonly points: boolean | "silent"
}

export const isProven = ({ texts }: Looked, { token }: Pick<Domain, "token">): boolean =>
  texts !== "silent" && texts.some((text) => valueIn(text) === valueIn(recordValueOf(token)))

/** Providers' forms keep pasted quotation marks and spaces around a value, and some fold its case. */
const valueIn = (text: string): string => text.replace(/^[\s"']+|[\s"']+$/g, "").toLowerCase()

/** Undefined: the host is the merchant's, and points here. */
export const problemOf = (looked: Looked, domain: Pick<Domain, "token">): DomainProblem | undefined => {
  const { points, texts } = looked
  if (texts === "silent") return "no_answer"
  if (!isProven(looked, domain)) return texts.length === 0 ? "no_record" : "other_record"
  if (points === "silent") return "no_answer"
  return points ? undefined : "not_pointing"
}

// When to look ---------------------------------------------------------------------

/** How long a verified host is used without its proof. */
export const goesBackAfter = Duration.days(3)
const whileVerified = Duration.days(1)
const whileUnproven = Duration.hours(1)

/** How often a host without proof is checked, by how long it has been waiting. After that it is not checked. */
const whilePending = [
  { until: Duration.hours(1), every: Duration.minutes(1) },
  { until: Duration.days(1), every: Duration.minutes(15) },
  { until: Duration.days(30), every: Duration.hours(6) }
]

const nextOfPending = (since: DateTime.Utc, now: DateTime.Utc): DateTime.Utc | null => {
  const age = DateTime.distance(since, now)
  const step = whilePending.find(({ until }) => Duration.isLessThan(age, until))
  return step === undefined ? null : DateTime.addDuration(now, step.every)
}

/** The state after a merchant's request. Requesting the same host again keeps its record, and checks it again. */
export const askFor = (before: Domain | null, host: string, token: string, now: DateTime.Utc): Domain =>
  before?.host === host
    ? { ...before, pending_since: before.verified_at === null ? now : before.pending_since, next_check_at: now }
    : {
        host,
        token,
        pending_since: now,
        checked_at: null,
        verified_at: null,
        unproven_since: null,
        problem: null,
        next_check_at: now
      }

/** Until when a verified host is used without its proof; null for others. */
export const goesBackAt = ({ unproven_since }: Pick<Domain, "unproven_since">): DateTime.Utc | null =>
  unproven_since === null ? null : DateTime.addDuration(unproven_since, goesBackAfter)

/** The host after a check. A silent DNS revokes nothing: our own may be the silent one. */
export const afterLook = (domain: Domain, problem: DomainProblem | undefined, now: DateTime.Utc): Domain => {
  const looked = { ...domain, checked_at: now, problem: problem ?? null }
  if (problem === undefined) {
    const next_check_at = DateTime.addDuration(now, whileVerified)
    return { ...looked, verified_at: domain.verified_at ?? now, unproven_since: null, next_check_at }
  }
  if (domain.verified_at === null) return { ...looked, next_check_at: nextOfPending(domain.pending_since, now) }
  const next_check_at = DateTime.addDuration(now, whileUnproven)
  if (problem === "no_answer") return { ...looked, next_check_at }
  const unproven_since = domain.unproven_since ?? now
  return problem === "taken" || !DateTime.isLessThan(now, DateTime.addDuration(unproven_since, goesBackAfter))
    ? {
        ...looked,
        pending_since: now,
        verified_at: null,
        unproven_since: null,
        next_check_at: nextOfPending(now, now)
      }
    : { ...looked, unproven_since, next_check_at }
}

// Mails ----------------------------------------------------------------------------

/** A mail to the merchant: a verified host has lost its proof, or is no longer used. */
export const DomainMail = Schema.Literals(["unproven", "lost"])
export type DomainMail = typeof DomainMail.Type

/** The mail that a check causes. `none`: an earlier one is no longer true. Undefined: nothing new. */
export const mailAfter = (before: Domain, after: Domain): DomainMail | "none" | undefined => {
  if (after.verified_at === null) return before.verified_at === null ? undefined : "lost"
  if (after.unproven_since === null) return "none"
  return before.unproven_since === null ? "unproven" : undefined
}
