/** What the operations on payment links, webhook endpoints, and the operator's payouts answer. */
import { makeUnsure, post, usable } from "./books.ts"
import { allOf, bodyOf, bool, currency, integer, merged, metadata } from "./fields.ts"
import { moment, oneLine, oneOf, patch, url } from "./fields.ts"
import { amountMax, titleOf } from "./orders.ts"
import { type Account, type Currency, type Endpoint, type Link, newNo, type Payout, type Secrets } from "./state.ts"
import { type Answer, conflict, days, invalid, missing, ok, refused } from "./values.ts"
import { endpointView, linkView, payoutView, signingView } from "./views.ts"

export const createLink = (account: Account, now: number, body: unknown): Answer => {
  const sent = bodyOf(body)
  const checked = allOf(
    body,
    {
      amount: integer(1, amountMax),
      currency,
      subject: oneLine(0, 255),
      max_uses: integer(1, Number.MAX_SAFE_INTEGER),
      expires_at: moment,
      notify_url: url,
      return_url: url,
      metadata,
      capture: oneOf(["automatic", "manual"])
    },
    ["amount"]
  )
  if (checked !== undefined) return checked
  const expiresAt = sent["expires_at"] == null ? null : Date.parse(sent["expires_at"] as string)
  if (expiresAt !== null && expiresAt <= now) return invalid("expires_at")
  const link: Link = {
    no: newNo.link(),
    amount: sent["amount"] as number,
    currency: (sent["currency"] ?? "USD") as Currency,
    subject: titleOf(sent["subject"]),
    notifyUrl: (sent["notify_url"] ?? null) as string | null,
    returnUrl: (sent["return_url"] ?? null) as string | null,
    maxUses: (sent["max_uses"] ?? null) as number | null,
    expiresAt,
    metadata: merged({}, sent["metadata"]) ?? {},
    manual: sent["capture"] === "manual",
    createdAt: now,
    status: "active",
    used: 0
  }
  account.links.push(link)
  return ok(linkView(account, link), 201)
}

export const updateLink = (account: Account, _: number, link: Link | undefined, body: unknown): Answer => {
  const sent = bodyOf(body)
  const checked = allOf(body ?? {}, {
    status: oneOf(["active", "inactive"]),
    subject: oneLine(0, 255),
    max_uses: integer(1, Number.MAX_SAFE_INTEGER),
    expires_at: moment,
    metadata: patch
  })
  if (checked !== undefined) return checked
  if (link === undefined) return missing("payment_link")
  const after = merged(link.metadata, sent["metadata"])
  if (after === undefined) return invalid("metadata")
  link.metadata = after
  if (sent["status"] != null) link.status = sent["status"] as string
  if (sent["subject"] != null) link.subject = titleOf(sent["subject"])
  if (sent["max_uses"] != null) link.maxUses = sent["max_uses"] as number
  if (sent["expires_at"] != null) link.expiresAt = Date.parse(sent["expires_at"] as string)
  return ok(linkView(account, link))
}

const eventTypes = [
  ...["succeeded", "failed", "expired", "duplicate_refunded", "authorized", "captured", "canceled"].map(
    (word) => `payment.${word}`
  ),
  "payment.authorization_expired",
  ...["succeeded", "failed"].map((word) => `refund.${word}`),
  ...["created", "updated", "won", "lost", "closed"].map((word) => `dispute.${word}`)
]

const typesRule = (value: unknown) => {
  if (!Array.isArray(value) || value.length === 0) return ""
  if (value.length === 1 && value[0] === "*") return undefined
  const wrong = value.findIndex((type) => !eventTypes.includes(type as string))
  return wrong === -1 ? undefined : `[${wrong}]`
}

const endpointRules = {
  url,
  description: oneLine(0, 255),
  enabled_events: typesRule,
  disable_when_failing: bool,
  status: oneOf(["enabled", "paused", "disabled"]),
  disabled: bool
}

export const createEndpoint = (account: Account, now: number, body: unknown): Answer => {
  const { disabled: _, status: __, ...rules } = endpointRules
  const sent = bodyOf(body)
  const checked = allOf(body, rules, ["url"])
  if (checked !== undefined) return checked
  if (account.endpoints.length >= 16) return conflict()
  const endpoint: Endpoint = {
    no: newNo.endpoint(),
    createdAt: now,
    url: sent["url"] as string,
    description: (sent["description"] ?? null) as string | null,
    types: (sent["enabled_events"] ?? ["*"]) as ReadonlyArray<string>,
    status: "enabled",
    disableWhenFailing: sent["disable_when_failing"] === true,
    secrets: [{ secret: newNo.signing(), until: Infinity }]
  }
  account.endpoints.push(endpoint)
  return ok({ ...endpointView(account, endpoint), secret: endpoint.secrets[0]!.secret }, 201)
}

export const updateEndpoint = (account: Account, _: number, endpoint: Endpoint | undefined, body: unknown): Answer => {
  const sent = bodyOf(body)
  const checked = allOf(body ?? {}, endpointRules)
  if (checked !== undefined) return checked
  if (sent["status"] != null && sent["disabled"] != null) return refused(400, "invalid_request")
  if (endpoint === undefined) return missing("endpoint")
  makeUnsure(account, endpoint)
  if (sent["url"] != null) endpoint.url = sent["url"] as string
  if (sent["description"] != null) endpoint.description = sent["description"] as string
  if (sent["enabled_events"] != null) endpoint.types = sent["enabled_events"] as ReadonlyArray<string>
  if (sent["status"] != null) endpoint.status = sent["status"] as string
  if (sent["disabled"] != null) endpoint.status = sent["disabled"] === true ? "disabled" : "enabled"
  if (sent["disable_when_failing"] != null) endpoint.disableWhenFailing = sent["disable_when_failing"] === true
  return ok(endpointView(account, endpoint))
}

export const deleteEndpoint = (account: Account, _: number, endpoint: Endpoint | undefined): Answer => {
  if (endpoint === undefined) return missing("endpoint")
  account.endpoints.splice(account.endpoints.indexOf(endpoint), 1)
  makeUnsure(account, endpoint)
  return ok({ object: "webhook_endpoint", id: endpoint.no, deleted: true })
}

/** The old secret signs for another day, and at most five old ones do (silences: W10). */
const rotated = (secrets: Secrets, now: number): Secrets => {
  const old = secrets.map((each) => ({ ...each, until: Math.min(each.until, now + days) }))
  return [...old.filter(({ until }) => until >= now).slice(-5), { secret: newNo.signing(), until: Infinity }]
}

export const rotateEndpoint = (account: Account, now: number, endpoint: Endpoint | undefined): Answer => {
  if (endpoint === undefined) return missing("endpoint")
  endpoint.secrets = rotated(endpoint.secrets, now)
  return ok({ ...endpointView(account, endpoint), secret: endpoint.secrets.at(-1)!.secret })
}

/** Only the newest signs from now on. */
const newestOf = (secrets: Secrets, now: number): Secrets =>
  secrets.map((each) => (each.until === Infinity ? each : { ...each, until: Math.min(each.until, now) }))

export const endPreviousSecrets = (account: Account, now: number, endpoint: Endpoint | undefined): Answer => {
  if (endpoint === undefined) return missing("endpoint")
  endpoint.secrets = newestOf(endpoint.secrets, now)
  return ok({ ...endpointView(account, endpoint), previous_until: null, previous_ends: [] })
}

export const endPreviousSigning = (account: Account, now: number): Answer => {
  account.signing = newestOf(account.signing, now)
  const { secret: _, ...rotation } = signingView(account, now)
  return ok(rotation)
}

export const readSigning = (account: Account, now: number): Answer => ok(signingView(account, now))

export const rotateSigning = (account: Account, now: number): Answer => {
  account.signing = rotated(account.signing, now)
  account.rotatedAt = now
  return readSigning(account, now)
}

export const createPayout = (account: Account, now: number, sent: unknown): Answer => {
  const body = bodyOf(sent)
  const checked = allOf(body, { amount: integer(1, amountMax), currency, reference: oneLine(1, 128) })
  if (checked !== undefined) return checked
  const amount = body["amount"] as number
  const reference = (body["reference"] ?? null) as string | null
  const earlier = reference === null ? undefined : account.payouts.find((payout) => payout.reference === reference)
  if (earlier !== undefined) {
    const isSame = earlier.amount === amount && earlier.currency === body["currency"]
    return isSame ? ok(payoutView(account, earlier)) : conflict()
  }
  if (amount > usable(account, body["currency"] as Currency)) return refused(400, "insufficient_balance", "amount")
  const payout: Payout = {
    no: newNo.payout(),
    currency: body["currency"] as Currency,
    amount,
    fee: 0,
    reference,
    createdAt: now,
    updatedAt: now,
    state: "requested"
  }
  account.payouts.push(payout)
  post(account, now, payout, [["payout_freeze", -amount]])
  return ok(payoutView(account, payout), 201)
}

const steps: Readonly<Record<string, readonly [from: Payout["state"], to: Payout["state"]]>> = {
  approve: ["requested", "approved"],
  reject: ["requested", "rejected"],
  complete: ["approved", "succeeded"],
  fail: ["approved", "failed"]
}

export const reviewPayout = (account: Account, now: number, payout: Payout | undefined, step: string): Answer => {
  if (payout === undefined) return missing("payout")
  const [from, to] = steps[step]!
  if (payout.state === to) return ok(payoutView(account, payout))
  if (payout.state !== from) return conflict()
  payout.state = to
  payout.updatedAt = now
  const { amount, fee } = payout
  if (to === "succeeded") {
    post(account, now, payout, [
      ["payout_success", -amount],
      ["payout_fee", -fee]
    ])
  }
  if (to === "rejected" || to === "failed") post(account, now, payout, [["payout_unfreeze", amount]])
  return ok(payoutView(account, payout))
}
