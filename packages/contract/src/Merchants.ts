/** A merchant as operators see it. Its people see the same without the notes (`ConsoleMerchant.ts`). */
import { FeeSchedule } from "@coffer/model/Fees"
import { Currency, Minor } from "@coffer/model/Money"
import { OfferedMethods, PaymentMethod } from "@coffer/model/PaymentMethod"
import { Schema } from "effect"
import { instant, int, kind, orNull, text, withExample } from "./fields.ts"
import { sampleIds } from "./sampleIds.ts"
import { checkoutDomainSample, shopShown } from "./ShopSettings.ts"

const ModeSettings = Schema.Struct({
  ip_allowlist: text("Addresses from which keys are accepted, separated by commas or spaces; empty: any."),
  default_notify_url: orNull(Schema.String, "Default URL for events to which no endpoint is subscribed; null: none."),
  payment_methods: OfferedMethods.annotate({ description: "The methods that buyers may pay with." })
})

const inEachCurrency = (description: string) =>
  Schema.Struct({
    USD: Minor.annotate({ description: "For US dollars." }),
    HKD: Minor.annotate({ description: "For Hong Kong dollars." }),
    CNY: Minor.annotate({ description: "For renminbi." })
  }).annotate({ description })

export const merchantSample = {
  object: "merchant",
  merchant_id: sampleIds.merchant,
  name: "Corner Bookshop",
  logo_url: null,
  support_email: "help@shop.example",
  support_url: "https://shop.example/help",
  terms_url: "https://shop.example/terms",
  privacy_url: "https://shop.example/privacy",
  business_address: "Oderberger Str. 1, 10435 Berlin, Germany",
  tax_id: "DE123456789",
  accent_color: "#17614f",
  checkout_domain: checkoutDomainSample,
  checkout_domain_points_to: ["shops.pay.example"],
  contact_email: "developers@shop.example",
  time_zone: "Europe/Berlin",
  approved: true,
  live_currencies: ["USD", "HKD"],
  fees: [],
  default_fee: { basis_points: 290, fixed: 30, source: "service" },
  dispute_fee: { USD: 1500, HKD: 1500, CNY: 1500 },
  payout_fee: { USD: 0, HKD: 0, CNY: 0 },
  quotas: { writes: 120, reads: 600, csv: 10, helpers: 600 },
  sandbox: {
    ip_allowlist: "",
    default_notify_url: null,
    payment_methods: PaymentMethod.literals,
    mail_recipients: ["@shop.example"],
    clock_ahead_ms: 0
  },
  live: { ip_allowlist: "203.0.113.7", default_notify_url: null, payment_methods: ["card"] },
  suspended_at: null,
  closed_at: null,
  note: null,
  created_at: "2026-11-20T08:00:00.000Z"
} as const

export const MerchantResource = withExample(
  Schema.Struct({
    object: kind("merchant"),
    merchant_id: text("Number of the merchant."),
    name: text("The name that buyers see."),
    logo_url: orNull(Schema.String, "Shown next to the name on every page and in mails."),
    support_email: orNull(Schema.String, "Where buyers ask for help; also the reply address of receipt mails."),
    support_url: orNull(Schema.String, "Where buyers find help."),
    terms_url: orNull(Schema.String, "The shop's terms, linked from every page."),
    privacy_url: orNull(Schema.String, "The shop's privacy policy, linked from every page."),
    business_address: orNull(Schema.String, "The seller's postal address, on receipts."),
    tax_id: orNull(Schema.String, "The seller's tax number, on receipts."),
    accent_color: orNull(
      Schema.String,
      "The colour of buttons and links on pages, as `#rrggbb`; null: the default colour of the service."
    ),
    ...shopShown,
    contact_email: orNull(
      Schema.String,
      "The merchant's address for messages about its keys; while it is null, `support_email` is used. Buyers never " +
        "see it."
    ),
    time_zone: text("Time zone of the days in its reports, unless a call names another."),
    approved: Schema.Boolean.annotate({ description: "Whether its live key works." }),
    live_currencies: Schema.Array(Currency).annotate({
      description: "Currencies in which it may accept live payments."
    }),
    fees: FeeSchedule.annotate({
      description: "Its own acquiring fees; the first that matches a payment applies, otherwise `default_fee`."
    }),
    default_fee: Schema.Struct({
      basis_points: int("Hundredths of a percent of the amount."),
      fixed: Minor.annotate({ description: "Minor units, added to every payment." }),
      source: Schema.Literals(["merchant", "service"]).annotate({
        description:
          "`merchant`: an entry of its `fees` without criteria. `service`: 2.9 % and 30 minor units, if there is " +
          "no such entry."
      })
    }).annotate({ description: "The acquiring fee of a payment that matches no entry of `fees` with criteria." }),
    dispute_fee: inEachCurrency("For a lost dispute, in minor units, as it applies to this merchant."),
    payout_fee: inEachCurrency("For a payout that arrived, in minor units, as it applies to this merchant."),
    quotas: Schema.Struct({
      writes: int("POST and DELETE."),
      reads: int("GET, without CSV files."),
      csv: int("CSV files."),
      helpers: int("Calls of the test helpers, only in the sandbox.")
    }).annotate({ description: "Requests per minute in each environment, as they apply to this merchant." }),
    sandbox: Schema.Struct({
      ...ModeSettings.fields,
      mail_recipients: Schema.Array(Schema.String).annotate({
        description: "Addresses to which the sandbox may send mails."
      }),
      clock_ahead_ms: int("How far the sandbox's clock is ahead of real time, in milliseconds; 0 until it is advanced.")
    }).annotate({ description: "Settings of its sandbox." }),
    live: ModeSettings.annotate({ description: "Settings of its live environment." }),
    suspended_at: orNull(
      Schema.String,
      "Since when its keys are refused and its links create no orders; null unless it is suspended."
    ),
    closed_at: orNull(
      Schema.String,
      "Since when it is permanently closed to new business; its keys can still read for 90 days more. Null unless " +
        "it is closed."
    ),
    note: orNull(Schema.String, "The operators' notes on the merchant, which the merchant never sees."),
    created_at: instant("When it was created.")
  }).annotate({ identifier: "Merchant", description: "A merchant and its settings." }),
  merchantSample
)
export type MerchantResource = typeof MerchantResource.Encoded
