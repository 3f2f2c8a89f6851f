/** The largest valid body of each endpoint that takes one, in the longest way that JSON can be written. */
import { Api } from "@coffer/contract/Api"
import { EventType, everyType } from "@coffer/model/EventType"
import { evidenceNames } from "@coffer/model/Evidence"
import * as Limits from "@coffer/model/Limits"
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import { Scope } from "@coffer/model/Scopes"
import { OpenApi } from "effect/http-api"
import type { Reply } from "../Api.ts"

const document = OpenApi.fromApi(Api)

/** A character that JSON may write in twelve bytes. */
const wide = "\u{1f600}"
const text = (length: number) => wide.repeat(length)
const ascii = (length: number) => "a".repeat(length)

const entries = (count: number, value: (index: number) => string | null) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const number = String(index)
      return [number + text(Limits.metadataKeyLengthMax - number.length), value(index)]
    })
  )
const metadata = entries(Limits.metadataKeysMax, () => text(Limits.metadataValueLengthMax))
/** Deletes as many keys as there can be, and writes as many others. */
const patch = {
  ...metadata,
  ...Object.fromEntries(Object.keys(metadata).map((key) => [wide + key.slice(0, -wide.length), null]))
}
const url = (host: string) => `https://${host}/${ascii(Limits.urlLengthMax - 9 - host.length)}`
const email = `${ascii(60)}@${ascii(60)}.${ascii(60)}.${ascii(Limits.emailLengthMax - 183)}`

/** As the published document describes a field. */
interface Described {
  readonly anyOf?: ReadonlyArray<Described>
  readonly type?: string
  readonly enum?: ReadonlyArray<string>
  readonly maxLength?: number
  readonly maximum?: number
}

/** The longest value of each field of a body that the published document bounds. */
const longest = (body: string): Readonly<Record<string, unknown>> => {
  const { properties } = document.components.schemas[body] as {
    readonly properties: Readonly<Record<string, Described>>
  }
  const valueOf = ({ anyOf = [], enum: words, maxLength, maximum }: Described): unknown => {
    const values = [maximum, words?.toSorted((a, b) => b.length - a.length)[0], ...anyOf.map(valueOf)]
    return values.find((value) => value !== undefined) ?? (maxLength === undefined ? undefined : text(maxLength))
  }
  const values = Object.entries(properties).map(([name, field]) => [name, valueOf(field)] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

const endpoint = {
  url: url("e.example"),
  description: text(Limits.endpointDescriptionLengthMax),
  enabled_events: [...EventType.literals, everyType]
}

export interface Known {
  readonly trade_no: string
  /** Addresses of files that were handed in. */
  readonly files: ReadonlyArray<string>
}

/** By method and path. */
export const largestBodies = ({ files, trade_no }: Known): Readonly<Record<string, unknown>> => ({
  "POST /v1/orders": {
    ...longest("CreateOrder"),
    notify_url: url("a.example"),
    return_url: url("b.example"),
    metadata,
    receipt_email: email
  },
  "POST /v1/orders/:ref": { metadata: patch, receipt_email: email },
  "POST /v1/orders/:ref/expire": {},
  "POST /v1/orders/:ref/capture": { amount: 1_000 },
  "POST /v1/refunds": {
    trade_no,
    out_refund_no: text(Limits.outTradeNoLengthMax),
    amount: 1,
    reason: text(Limits.refundReasonLengthMax),
    metadata
  },
  "POST /v1/refunds/:ref": { metadata: patch },
  "POST /v1/disputes/:ref/evidence": {
    evidence: Object.fromEntries(evidenceNames.map((name) => [name, text(Limits.evidenceTextLengthMax)])),
    files: Array.from({ length: Limits.evidenceFilesMax }, (_, index) => ({
      type: "recurring_transaction_agreement",
      url: files[index % files.length]
    })),
    submit: false
  },
  "POST /v1/disputes/:ref/accept": {},
  "POST /v1/webhook_endpoints": endpoint,
  "POST /v1/webhook_endpoints/:endpoint_id": { ...endpoint, status: "enabled" },
  "DELETE /v1/webhook_endpoints/:endpoint_id": {},
  "POST /v1/webhook_endpoints/:endpoint_id/rotate_secret": {},
  "POST /v1/webhook_signing_secret/rotate": {},
  "POST /v1/webhook_endpoints/:endpoint_id/end_previous_secrets": {},
  "POST /v1/webhook_signing_secret/end_previous": {},
  "POST /v1/webhook_deliveries/:delivery_id/resend": {},
  "POST /operator/v1/webhook_deliveries/:delivery_id/resend": {},
  "POST /v1/orders/:ref/send_receipt": { email },
  "POST /v1/payment_links": {
    amount: Limits.orderAmountMax,
    currency: "USD",
    subject: text(Limits.subjectLengthMax),
    max_uses: Number.MAX_SAFE_INTEGER,
    expires_at: "2999-12-31T23:59:59.999999999+00:00",
    notify_url: url("a.example"),
    return_url: url("b.example"),
    metadata
  },
  "POST /v1/payment_links/:link_id": { status: "active", subject: text(Limits.subjectLengthMax), metadata: patch },
  "POST /v1/reports": {
    report: "transactions",
    format: "beancount",
    from: "2026-01-01",
    to: "2026-01-02",
    currency: "USD",
    time_zone: "America/Argentina/ComodRivadavia"
  },
  "POST /v1/erasures": { email, dry_run: false },
  "POST /v1/exports": { email },
  "POST /operator/v1/exports": { email },
  "POST /operator/v1/merchants/:merchant_id/exports": { mode: "sandbox" },
  "POST /operator/v1/erasures": { email, dry_run: false },
  "POST /v1/test_helpers/orders/:ref/pay": { payment_method: "card", outcome: "succeed", amount: 1_000 },
  "POST /v1/test_helpers/orders/:ref/authorize": { payment_method: "card" },
  "POST /v1/test_helpers/orders/:ref/capture": { outcome: "succeed_unreported", amount: 1_000 },
  "POST /v1/test_helpers/refunds/:ref/settle": { outcome: "succeeded" },
  "POST /v1/test_helpers/orders/:ref/dispute": {
    amount: 100,
    reason: text(Limits.disputeReasonLengthMax),
    evidence_due_by: "2099-12-05T23:59:59.000+00:00"
  },
  "POST /v1/test_helpers/disputes/:ref/resolve": { outcome: "won" },
  "POST /v1/test_helpers/channel": { reachable: true },
  "POST /v1/test_helpers/clock/advance": { by: "1s" },
  "POST /operator/v1/merchants": { name: text(255) },
  "POST /operator/v1/merchants/:merchant_id": {
    name: text(255),
    approved: true,
    live_currencies: ["USD", "HKD", "CNY"],
    fees: Array.from({ length: 100 }, () => ({
      mode: "sandbox",
      method: "google_pay",
      currency: "USD",
      basis_points: 10_000,
      fixed: Limits.orderAmountMax
    })),
    dispute_fee: { USD: 1_500, HKD: 1_500, CNY: 1_500 },
    payout_fee: { USD: 1_500, HKD: 1_500, CNY: 1_500 },
    quotas: { writes: 1_000_000, reads: 1_000_000, csv: 1_000_000, helpers: 1_000_000 },
    logo_url: null,
    support_email: email,
    contact_email: email,
    time_zone: "America/Argentina/ComodRivadavia",
    support_url: url("e.example"),
    terms_url: `https://g.example/${"t".repeat(237)}`,
    privacy_url: `https://h.example/${"p".repeat(237)}`,
    business_address: text(Limits.businessAddressLengthMax),
    tax_id: text(Limits.taxIdLengthMax),
    accent_color: "#17614f",
    // It takes DNS, which no test of bodies has.
    checkout_domain: null,
    sandbox: {
      ip_allowlist: `127.0.0.1${" ".repeat(9_991)}`,
      default_notify_url: url("c.example"),
      payment_methods: PaymentMethod.literals,
      mail_recipients: Array.from({ length: 20 }, () => email)
    },
    live: { ip_allowlist: "", default_notify_url: url("d.example"), payment_methods: PaymentMethod.literals },
    note: text(2_000)
  },
  "POST /operator/v1/merchants/:merchant_id/api_keys": {
    mode: "sandbox",
    name: text(Limits.keyNameLengthMax),
    scopes: Scope.literals,
    ip_allowlist: `127.0.0.1${" ".repeat(9_991)}`,
    expires_at: "2999-12-31T23:59:59.999999999+00:00"
  },
  "POST /operator/v1/merchants/:merchant_id/api_keys/:key_id": {
    name: text(Limits.keyNameLengthMax),
    ip_allowlist: `127.0.0.1${" ".repeat(9_991)}`
  },
  "POST /operator/v1/merchants/:merchant_id/api_keys/:key_id/roll": { overlap_minutes: 1440 },
  "POST /operator/v1/merchants/:merchant_id/api_keys/:key_id/revoke": {},
  "POST /operator/v1/merchants/:merchant_id/suspend": {},
  "POST /operator/v1/merchants/:merchant_id/close": {},
  "POST /operator/v1/merchants/:merchant_id/resume": {},
  // Keys are tried at Stripe, which no test reaches.
  "POST /operator/v1/merchants/:merchant_id/channels/:mode": {
    channel: "none",
    secret_key: null,
    webhook_secret: null,
    account: null,
    rank: null,
    methods: null
  },
  "POST /operator/v1/operators": { name: text(100), role: "support", expires_in_days: 365, person_id: null },
  "POST /operator/v1/operators/:operator_id/revoke": {},
  "POST /operator/v1/people": { email, name: text(100), role: "viewer" },
  "POST /operator/v1/people/:person_id/remove": {},
  "POST /operator/v1/people/:person_id/end_sessions": {},
  "POST /operator/v1/people/:person_id/recover": {},
  "POST /operator/v1/merchants/:merchant_id/keys/:mode/reset": {},
  "POST /operator/v1/merchants/:merchant_id/payouts": {
    mode: "sandbox",
    currency: "USD",
    amount: 1,
    reference: text(128)
  },
  "POST /operator/v1/merchants/:merchant_id/channels/:mode/reconciliation": {},
  "POST /operator/v1/orders/:trade_no/payments/:payment_id/close": { note: text(500) },
  "POST /operator/v1/stray_sessions/:id/close": { note: text(500) },
  "POST /operator/v1/cluster/runners/:instance_id/drain": {},
  "POST /operator/v1/cluster/runners/:instance_id/kill": {},
  "POST /operator/v1/payouts/:payout_no/approve": {},
  "POST /operator/v1/payouts/:payout_no/complete": {},
  "POST /operator/v1/payouts/:payout_no/reject": {},
  "POST /operator/v1/payouts/:payout_no/fail": {}
})

/** Every character escaped, each value on a line of its own. */
export const escaped = (value: unknown, indent = "\n"): string => {
  const inner = `${indent}  `
  if (typeof value === "string") return `"${escapedText(value)}"`
  if (Array.isArray(value)) return `[${value.map((each) => inner + escaped(each, inner)).join(",")}${indent}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, each]) => `${inner}"${escapedText(name)}": ${escaped(each, inner)}`)
  return `{${members.join(",")}${indent}}`
}

const escapedText = (value: string) =>
  Array.from({ length: value.length }, (_, at) => `\\u${value.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")

/** Unknown fields, as many and as long as they may be in this body. */
export const filled = (json: string, limits: { readonly bytes: number; readonly values: number }): string => {
  const values = (text: string) => JSON.stringify(JSON.parse(text)).split(/[,[{]/).length
  const end = json.lastIndexOf("}")
  const isEmpty = /^\s*\{\s*\}\s*$/.test(json)
  const room = Math.min(limits.values - values(json) - 2, Math.floor((limits.bytes - json.length - 40) / 8))
  const fields = Array.from({ length: Math.max(0, room) }, (_, index) => `"~${index.toString(36).padStart(3, "~")}":0`)
  const open = json.slice(0, end) + (isEmpty || fields.length === 0 ? "" : ",") + fields.join(",")
  return `${open}${" ".repeat(Math.max(0, limits.bytes - Buffer.byteLength(open) - 1))}}`
}

/** The operators' API refuses the names of {@link filled}; a merchant's call ignores them. */
export const isOfFilling = ({ body, status }: Reply): boolean => status === 400 && String(body.param).startsWith("~~~")
