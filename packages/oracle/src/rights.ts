/**
 * Who may call (spec: Authentication; silences: G10, U14, U26 to U30), and the operator's acts that decide it: keys
 * with scopes, and the merchant's state.
 */
import { allOf, bodyOf, freeText, integer, moment, oneLine, oneOf } from "./fields.ts"
import { type Account, newNo, type ScopedKey } from "./state.ts"
import type { Answer, Fields } from "./values.ts"
import { conflict, days, invalid, iso, missing, ok, Part, refused, sameTexts, textLike } from "./values.ts"

const resources: Readonly<Record<string, string>> = {
  orders: "orders",
  timelines: "orders",
  refunds: "refunds",
  disputes: "disputes",
  paymentLinks: "payment_links",
  webhookEndpoints: "webhooks",
  webhookSigningSecret: "webhooks",
  files: "disputes",
  deliveries: "webhooks",
  events: "events",
  ledger: "balance",
  balance: "balance",
  erasures: "erasures",
  exports: "exports",
  reports: "reports",
  testHelpers: "test_helpers"
}

/** The scope of an operation: its resource, and `read` unless it changes something or shows a secret. */
const scopeOf = (operation: string, method: string) => {
  const resource = resources[operation.split(".")[0]!]!
  const reads = resource === "exports" || (method === "GET" && operation !== "webhookSigningSecret.get")
  return `${resource}:${reads ? "read" : "write"}`
}

/** A key that may write a resource may read it. */
export const covers = (scopes: ReadonlyArray<string>, wanted: string) =>
  scopes.includes(wanted) || scopes.includes(wanted.replace(":read", ":write"))

const all = Object.values(resources)
  .filter((name, index, names) => names.indexOf(name) === index && name !== "exports")
  .flatMap((name) => (name === "events" || name === "balance" ? [`${name}:read`] : [`${name}:read`, `${name}:write`]))
export const scopesKnown: ReadonlyArray<string> = [...all, "exports:read", "logs:read"]

export const forbidden = () => refused(403, "forbidden")

const admits = (allowlist: string, { address }: Account) =>
  allowlist === "" || allowlist.split(/[\s,]+/).includes(address)

/** The calls that a closed merchant may no longer make. */
const closedScopes = ["orders:write", "payment_links:write", "webhooks:write", "test_helpers:write"]

export const statusOfKey = (key: ScopedKey, now: number) =>
  key.revoked ? "revoked" : key.expiresAt !== null && key.expiresAt <= now ? "expired" : "active"

/** What ends a secret is left to suspended and closed merchants (silences: U30, U41). */
const protects = (operation: string) => /\.endPrevious/.test(operation)

/** Why a merchant's call is refused before anything else; undefined: it is not. */
export const refusalOf = (
  account: Account,
  now: number,
  key: ScopedKey | "main" | "live",
  { method, name }: { readonly method: string; readonly name: string }
): Answer | undefined => {
  const wanted = scopeOf(name, method)
  if (typeof key === "object" && statusOfKey(key, now) !== "active") return refused(401, "invalid_api_key")
  if (key !== "live" && !admits(account.allowlist, account)) return refused(403, "ip_not_allowed")
  if (typeof key === "object" && !admits(key.allowlist, account)) return refused(403, "ip_not_allowed")
  if (account.closedAt !== undefined && now > account.closedAt + 90 * days) return forbidden()
  const isStopped = account.suspended || (account.closedAt !== undefined && closedScopes.includes(wanted))
  if (isStopped && !protects(name)) return forbidden()
  if (key === "live" && !account.approved) return refused(403, "merchant_not_approved")
  if (typeof key === "object" && !covers(key.scopes, wanted)) return forbidden()
  return undefined
}

// Keys with scopes ----------------------------------------------------------------

const scopesRule = (value: unknown) => {
  if (!Array.isArray(value) || value.length === 0) return ""
  const wrong = value.findIndex((scope) => !scopesKnown.includes(scope as string))
  return wrong === -1 ? undefined : `[${wrong}]`
}

const addresses = (value: unknown) =>
  typeof value === "string" && /^(\d{1,3}(\.\d{1,3}){3}[\s,]*)*$/.test(value) ? undefined : ""

/** The operator's API refuses unknown fields (silences: G33). */
const known = (body: unknown, rules: Parameters<typeof allOf>[1], required: ReadonlyArray<string> = []) => {
  const unknown = Object.keys(bodyOf(body)).filter((name) => !(name in rules))
  return unknown.length > 0 ? refused(400, "invalid_request") : allOf(body, rules, required)
}

const keyView = (key: ScopedKey, now: number) => ({
  object: "api_key",
  key_id: key.no,
  mode: key.mode,
  name: key.name,
  scopes: sameTexts(key.scopes),
  ip_allowlist: key.allowlist,
  status: statusOfKey(key, now),
  expires_at: key.expiresAt === null ? null : iso(key.expiresAt),
  created_by: key.by === null ? null : textLike(new RegExp(`^${key.by}`))
})

const keyMax = 50

/** `by`: the prefix of the creator's address; null: an operator. */
export const createKey = (account: Account, now: number, body: unknown, by: string | null = null): Answer => {
  const sent = bodyOf(body)
  const checked = known(
    body,
    {
      mode: oneOf(["sandbox", "live"]),
      name: oneLine(1, 100),
      scopes: scopesRule,
      ip_allowlist: addresses,
      expires_at: moment
    },
    ["mode", "name", "scopes"]
  )
  if (checked !== undefined) return checked
  const expiresAt = sent["expires_at"] == null ? null : Date.parse(sent["expires_at"] as string)
  if (expiresAt !== null && expiresAt <= now) return invalid("expires_at")
  const mode = sent["mode"] as ScopedKey["mode"]
  const working = account.keys.filter((key) => key.mode === mode && statusOfKey(key, now) === "active")
  if (working.length >= keyMax) return conflict()
  const key: ScopedKey = {
    no: newNo.key(),
    mode,
    by,
    secret: newNo.secret(mode),
    name: sent["name"] as string,
    scopes: [...new Set(sent["scopes"] as ReadonlyArray<string>)],
    expiresAt,
    allowlist: (sent["ip_allowlist"] ?? "") as string,
    revoked: false
  }
  account.keys.push(key)
  return ok(new Part({ ...keyView(key, now), key: key.secret }), 201)
}

export const actOnKey = (account: Account, now: number, ref: string, body: unknown): Answer => {
  const [no, act] = ref.split("/") as [string, string | undefined]
  const key = account.keys.find((each) => each.no.value === no)
  if (act === "roll") {
    const checked = known(body, { overlap_minutes: integer(0, 1440) }, ["overlap_minutes"])
    if (checked !== undefined) return checked
  }
  if (key === undefined) return missing("api_key")
  if (act === "revoke") key.revoked = true
  if (act === "roll") {
    if (statusOfKey(key, now) !== "active") return conflict()
    key.secret = newNo.secret(key.mode)
    return ok(new Part({ ...keyView(key, now), key: key.secret }))
  }
  return ok(new Part(keyView(key, now)))
}

// What a merchant may do ------------------------------------------------------------

const merchantView = (account: Account): Part =>
  new Part({
    object: "merchant",
    merchant_id: account.merchantId,
    approved: account.approved,
    note: account.note,
    suspended_at: account.suspended ? textLike(/^\d{4}-/) : null,
    closed_at: account.closedAt === undefined ? null : iso(account.closedAt),
    sandbox: new Part({ ip_allowlist: account.allowlist })
  })

export const readMerchant = (account: Account): Answer => ok(merchantView(account))

export const stand = (account: Account, now: number, act: string): Answer => {
  if (act === "suspend") account.suspended = true
  if (act === "resume") account.suspended = false
  if (act === "close") account.closedAt ??= now
  return ok(merchantView(account))
}

export const updateMerchant = (account: Account, body: unknown): Answer => {
  const sent = bodyOf(body)
  const isWrong = ([name, list]: [string, unknown]) => name !== "ip_allowlist" || addresses(list) !== undefined
  const ofSandbox = (value: unknown) => {
    const wrong = Object.entries(value as Fields).find(isWrong)
    return wrong === undefined ? undefined : `.${wrong[0]}`
  }
  const checked = known(body, {
    note: freeText(2_000),
    approved: (value) => (typeof value === "boolean" ? undefined : ""),
    sandbox: ofSandbox
  })
  if (checked !== undefined) return checked
  if ("note" in sent) account.note = sent["note"] as string | null
  if (sent["approved"] != null) account.approved = sent["approved"] as boolean
  account.allowlist = ((sent["sandbox"] as Fields | undefined)?.["ip_allowlist"] ?? account.allowlist) as string
  return ok(merchantView(account))
}
