/**
 * The console's own operations for a merchant, beside those of `/v1` that its pages call: settings, the merchant's
 * audit log, its payouts, the figures of the home page and the quotas of this minute.
 */
import { withoutNulls } from "@coffer/model/optional"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { BalanceResource } from "./Balance.ts"
import { Decoding, PersonSession } from "./Caller.ts"
import { enveloped, listed } from "./Envelope.ts"
import { Conflict, InvalidRequest, PayoutNotFound, Unavailable } from "./Errors.ts"
import {
  anyMode,
  currency,
  instant,
  int,
  kind,
  merchantId,
  minor,
  ofMerchant,
  orNull,
  text,
  withExample
} from "./fields.ts"
import { HeldCounts } from "./HeldUp.ts"
import { ListQuery, sortedField } from "./Lists.ts"
import { MerchantResource, merchantSample } from "./Merchants.ts"
import { AuditEntryResource, auditEntrySample } from "./Operators.ts"
import { PayoutQuery, PayoutResource } from "./Payouts.ts"
import { sampleIds } from "./sampleIds.ts"
import { modeSettings, shopNulls, shopSettings } from "./ShopSettings.ts"

const ofConsole = "/console/api/merchants/:merchant_id"

// Settings -----------------------------------------------------------------------

const { note: _words, object: _merchant, ...shown } = MerchantResource.fields
const { note: _sampleWords, ...shownSample } = merchantSample

/** The merchant as operators see it, without their notes. */
export const MerchantSettingsResource = withExample(
  Schema.Struct({
    object: kind("merchant_settings"),
    ...shown,
    version: text("Version of these settings: a change with `If-Match` and another version is 409.")
  }).annotate({
    identifier: "MerchantSettings",
    description: "A merchant and its settings, as its people see them."
  }),
  { ...shownSample, object: "merchant_settings", version: "5f0c9d1e7a3b" }
)
export type MerchantSettingsResource = typeof MerchantSettingsResource.Encoded

/** Only operators set approval, currencies, fees, quotas and the name that buyers read. */
export const UpdateMerchantSettings = withoutNulls(
  Schema.Struct({ ...shopSettings, ...modeSettings }).annotate({ examples: [{ time_zone: "Europe/Berlin" }] }),
  [...shopNulls]
)
export type UpdateMerchantSettings = typeof UpdateMerchantSettings.Type

export class MerchantSettingsGroup extends HttpApiGroup.make("settings")
  .add(
    HttpApiEndpoint.get("get", `${ofConsole}/settings`, {
      params: ofMerchant,
      success: enveloped(MerchantSettingsResource)
    }).annotateMerge(OpenApi.annotations({ summary: "The merchant's settings", description: "In both environments." })),
    HttpApiEndpoint.post("update", `${ofConsole}/settings`, {
      params: ofMerchant,
      payload: UpdateMerchantSettings,
      success: enveloped(MerchantSettingsResource),
      error: [Conflict, InvalidRequest, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Change settings",
        description:
          "Omitted fields are unchanged. A developer may change those of the sandbox, and " +
          "`live.default_notify_url`; all others need an owner. `live.ip_allowlist` needs a session younger than 15 " +
          "minutes. Addresses added to `mail_recipients` must belong to people of this merchant who have signed in. " +
          "With `If-Match` and the `version` that was read, a concurrent change is 409."
      })
    ),
    HttpApiEndpoint.post("checkDomain", `${ofConsole}/settings/checkout_domain/check`, {
      params: ofMerchant,
      success: enveloped(MerchantSettingsResource),
      error: [Conflict, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Check the shop's host now",
        description:
          "Looks up the checkout host in DNS and returns the resulting settings. It takes at most five seconds; " +
          "within five seconds of the previous check its result is returned. 409: no host is set, or this " +
          "installation does not offer shop hosts. 503: too many checks at the same time."
      })
    )
  )
  .middleware(Decoding)
  .middleware(PersonSession)
  .annotate(OpenApi.Description, "Settings of a merchant.") {}

// Audit log ----------------------------------------------------------------------

const { previous_hash: _before, hash: _hash, object: _entry, sequence: _place, ...ofEntry } = AuditEntryResource.fields
const { hash: _sampleHash, previous_hash: _sampleBefore, sequence: _samplePlace, ...entrySample } = auditEntrySample

export const MerchantAuditEntryResource = withExample(
  Schema.Struct({
    object: kind("merchant_audit_entry"),
    ...ofEntry,
    by: Schema.Literals(["person", "operator"]).annotate({
      description:
        "`person`: a team member of this merchant. `operator`: an operator of the service, whose name, role, " +
        "address and request are not shown."
    })
  }).annotate({ identifier: "MerchantAuditEntry", description: "One entry of the audit log about this merchant." }),
  {
    ...entrySample,
    object: "merchant_audit_entry",
    actor_id: sampleIds.person,
    actor: "ada@shop.example",
    role: "owner",
    act: "console:main_keys.reset",
    target: `/console/api/merchants/${sampleIds.merchant}/main_keys/live/reset`,
    by: "person"
  }
)
export type MerchantAuditEntryResource = typeof MerchantAuditEntryResource.Encoded

export const MerchantAuditQuery = Schema.Struct({
  ...ListQuery,
  act: Schema.optionalKey(text("Only entries of this action."))
})
export type MerchantAuditQuery = typeof MerchantAuditQuery.Type

export class MerchantAuditLogGroup extends HttpApiGroup.make("audit_log")
  .add(
    HttpApiEndpoint.get("list", `${ofConsole}/audit_log`, {
      params: ofMerchant,
      query: MerchantAuditQuery,
      success: listed(MerchantAuditEntryResource),
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Audit log of this merchant, newest first",
        description:
          "What its people did, and what operators did to it and to its money. Each action has one entry, with its " +
          "outcome; `begun` where there is none yet."
      })
    )
  )
  .middleware(Decoding)
  .middleware(PersonSession)
  .annotate(OpenApi.Description, "Actions on a merchant, and who did them.") {}

// Payouts ------------------------------------------------------------------------

export class MerchantPayoutsGroup extends HttpApiGroup.make("payouts")
  .add(
    HttpApiEndpoint.get("list", `${ofConsole}/payouts`, {
      params: ofMerchant,
      query: PayoutQuery,
      success: listed(PayoutResource, sortedField),
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Payouts, newest first",
        description: "In the environment that `mode` names. Operators make them."
      })
    ),
    HttpApiEndpoint.get("get", `${ofConsole}/payouts/:payout_no`, {
      params: { ...ofMerchant, payout_no: text("The payout's number.") },
      success: enveloped(PayoutResource),
      error: PayoutNotFound
    }).annotateMerge(OpenApi.annotations({ summary: "Read a payout", description: "Where it is now." }))
  )
  .middleware(Decoding)
  .middleware(PersonSession)
  .annotate(OpenApi.Description, "A transfer to the merchant's bank.") {}

// Home page ----------------------------------------------------------------------

/** The days that the home page offers. Today alone has its hours, beside those of the same day a week before. */
export const overviewDays = ["1", "7", "30", "90"] as const

/** Disputes are counted up to this. */
export const overviewDisputesMax = 1_000
/** How many failing endpoints are listed. */
export const overviewEndpointsMax = 20

const OverviewDay = Schema.Struct({
  day: text("The day, `2026-11-24`, in the merchant's time zone."),
  orders_created: int("Orders that were created on this day."),
  orders_paid: int("Payments that were credited on this day."),
  volume: minor("The amount of these payments"),
  refunds: int("Refunds that succeeded on this day."),
  refunded: minor("The amount of these refunds")
}).annotate({ identifier: "OverviewDay", description: "Figures of a day in one currency." })

const OverviewHour = Schema.Struct({
  hour: int("The hour, 0 to 23, in the merchant's time zone."),
  orders_paid: int("Payments that were credited in this hour."),
  volume: minor("The amount of these payments")
}).annotate({ identifier: "OverviewHour", description: "Payments of an hour in one currency." })

const OverviewCurrency = Schema.Struct({
  currency,
  balance: BalanceResource.annotate({ description: "The wallet as it is now." }),
  days: Schema.Array(OverviewDay).annotate({
    description: "Each day that was counted, oldest first, including days without activity."
  }),
  earlier: Schema.Array(OverviewDay).annotate({
    description: "As many days before them, as far as they are counted; for one day, the same day a week before."
  }),
  hours: Schema.Array(OverviewHour).annotate({ description: "For one day: its hours with payments." }),
  earlier_hours: Schema.Array(OverviewHour).annotate({ description: "For one day: those of a week before." })
}).annotate({ identifier: "OverviewCurrency", description: "Figures in one currency." })

const FailingEndpoint = Schema.Struct({
  endpoint_id: text("Number of the endpoint."),
  url: orNull(Schema.String, "Its address; null if it has been removed since."),
  failing_since: instant("When the first attempt failed after the last successful one."),
  reason: text("Why the latest attempt failed.")
}).annotate({ identifier: "FailingEndpoint", description: "A failing webhook endpoint." })

export const OverviewResource = withExample(
  Schema.Struct({
    object: kind("overview"),
    merchant_id: merchantId,
    mode: anyMode,
    time_zone: text("The zone whose days are counted."),
    from: text("The first day that was asked for."),
    to: text("Today."),
    counted_at: instant("When it was counted; the result is cached for a few seconds."),
    is_complete: Schema.Boolean.annotate({
      description: "False while older days are still to be counted; the next call continues with them."
    }),
    has_channel: Schema.Boolean.annotate({ description: "Whether a channel takes payments in this environment." }),
    currencies: Schema.Array(OverviewCurrency).annotate({
      description: "Currencies with activity in these days, and those whose wallet was ever used."
    }),
    disputes: Schema.Struct({
      needs_response: int(`Disputes that wait for evidence; counting stops at ${overviewDisputesMax}.`),
      next_due_at: orNull(Schema.String, "The nearest deadline; null when none has one.")
    }).annotate({ description: "Disputes that need an answer." }),
    failing_endpoints: Schema.Array(FailingEndpoint).annotate({
      description: `Currently failing webhook endpoints, at most ${overviewEndpointsMax}.`
    }),
    held_up: HeldCounts.annotate({ description: "Objects that need attention, by kind, as operators see them." })
  }).annotate({ identifier: "Overview", description: "The figures of the home page." }),
  {
    object: "overview",
    merchant_id: sampleIds.merchant,
    mode: "sandbox",
    time_zone: "Europe/Berlin",
    from: "2026-11-21",
    to: "2026-11-21",
    counted_at: "2026-11-21T09:32:00.000Z",
    is_complete: true,
    has_channel: true,
    currencies: [
      {
        currency: "USD",
        balance: {
          merchant_id: sampleIds.merchant,
          currency: "USD",
          mode: "sandbox",
          available_balance: 1911,
          frozen_balance: 0,
          total_revenue: 1999,
          total_fee: 88,
          total_payout: 0,
          total_refund: 0,
          updated_at: "2026-11-21T09:31:12.502Z"
        },
        days: [{ day: "2026-11-21", orders_created: 2, orders_paid: 1, volume: 1999, refunds: 0, refunded: 0 }],
        earlier: [{ day: "2026-11-14", orders_created: 1, orders_paid: 0, volume: 0, refunds: 0, refunded: 0 }],
        hours: [{ hour: 9, orders_paid: 1, volume: 1999 }],
        earlier_hours: []
      }
    ],
    disputes: { needs_response: 1, next_due_at: "2026-12-05T23:59:59.000Z" },
    failing_endpoints: [],
    held_up: {
      refund: 0,
      dispute: 1,
      payout: 0,
      delivery: 0,
      hold: 0,
      unapplied_payment: 0,
      stray_session: 0,
      mail: 0,
      report: 0
    }
  }
)
export type OverviewResource = typeof OverviewResource.Encoded

export class OverviewGroup extends HttpApiGroup.make("overview")
  .add(
    HttpApiEndpoint.get("get", `${ofConsole}/overview`, {
      params: ofMerchant,
      query: {
        mode: anyMode,
        days: Schema.Literals(overviewDays).annotate({ description: "How many days, today included." })
      },
      success: enveloped(OverviewResource),
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({
        summary: "The figures of the home page",
        description: "Days are in the merchant's time zone; in a sandbox, by its own clock."
      })
    )
  )
  .middleware(Decoding)
  .middleware(PersonSession)
  .annotate(OpenApi.Description, "The home page.") {}

// Quotas -------------------------------------------------------------------------

export const QuotaUse = Schema.Struct({
  kind: Schema.Literals(["writes", "reads", "csv", "helpers", "waits"]).annotate({
    description: "The kind of request. `waits` are reads of lists with `wait`."
  }),
  by: Schema.Literals(["keys", "console"]).annotate({
    description: "Programs with keys (`program`), or people in the console."
  }),
  limit: int("Allowed requests per minute of this kind."),
  used: orNull(Schema.Int, "Requests in the last minute; null while the runners cannot share their counts.")
}).annotate({ identifier: "QuotaUse", description: "A quota and how much of it is used." })
export type QuotaUse = typeof QuotaUse.Type

export const QuotasResource = withExample(
  Schema.Struct({
    object: kind("quotas"),
    mode: anyMode,
    window_seconds: int("The period over which requests are counted."),
    quotas: Schema.Array(QuotaUse).annotate({ description: "Each kind, for programs and for people." })
  }).annotate({ identifier: "Quotas", description: "Quotas and how much of them is used." }),
  {
    object: "quotas",
    mode: "sandbox",
    window_seconds: 60,
    quotas: [{ kind: "writes", by: "keys", limit: 120, used: 17 }]
  }
)
export type QuotasResource = typeof QuotasResource.Encoded

export class MerchantQuotasGroup extends HttpApiGroup.make("quotas")
  .add(
    HttpApiEndpoint.get("get", `${ofConsole}/quotas`, {
      params: ofMerchant,
      query: { mode: anyMode },
      success: enveloped(QuotasResource),
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Quotas of this minute",
        description:
          "Reading this does not count against a quota. Kinds that do not exist in the environment, such as the " +
          "test helpers in live, are left out."
      })
    )
  )
  .middleware(Decoding)
  .middleware(PersonSession)
  .annotate(OpenApi.Description, "Requests a minute.") {}
