/** The settings that a merchant's own people may change in the console, as operators may. */
import {
  emailLengthMax,
  mailRecipientsMax,
  shopHostLengthMax,
  shopLinkLengthMax,
  businessAddressLengthMax,
  taxIdLengthMax,
  urlLengthMax
} from "@coffer/model/Limits"
import { optional, withoutNulls } from "@coffer/model/optional"
import { OfferedMethods } from "@coffer/model/PaymentMethod"
import { OneLine } from "@coffer/model/Text"
import { Schema } from "effect"
import { Email, orNull, text } from "./fields.ts"

const ModePatch = Schema.Struct({
  ip_allowlist: optional(
    OneLine(0, 10_000),
    "IPv4 addresses, IPv4 ranges and IPv6 addresses from which keys are accepted; empty: any."
  ),
  default_notify_url: Schema.optionalKey(
    orNull(OneLine(1, urlLengthMax), "Default URL for events to which no endpoint is subscribed. Null removes it.")
  ),
  payment_methods: Schema.optionalKey(
    orNull(OfferedMethods, "The methods that buyers may pay with; null: every method.")
  )
})
const LivePatch = withoutNulls(ModePatch, ["default_notify_url", "payment_methods"])

/** One address, or all of a domain. */
const Recipient = OneLine(3, emailLengthMax).check(
  Schema.isPattern(/^[^\s@<>(),;:"]*@[^\s@<>(),;:"]+\.[^\s@<>(),;:".]+$/, { expected: "an address, or @ and a domain" })
)
const SandboxPatch = withoutNulls(
  Schema.Struct({
    ...ModePatch.fields,
    mail_recipients: optional(
      Schema.Array(Recipient).check(Schema.isMaxLength(mailRecipientsMax)),
      "Addresses that the merchant has confirmed as its own, or domains as `@shop.example`, at most 20: its " +
        "sandbox sends mails only there and to `support_email`, and keeps all others without sending them."
    )
  }),
  ["default_notify_url", "payment_methods"]
)

export const shopSettings = {
  logo_url: Schema.optionalKey(
    orNull(
      OneLine(1, urlLengthMax),
      "The address of a PNG or JPEG that was uploaded for this merchant: at most 256 kB, and 2,048 pixels on each " +
        "side. Null removes it."
    )
  ),
  support_email: Schema.optionalKey(orNull(Email, "Null removes it.")),
  support_url: Schema.optionalKey(orNull(OneLine(1, urlLengthMax), "An https address. Null removes it.")),
  terms_url: Schema.optionalKey(orNull(OneLine(1, shopLinkLengthMax), "An https address. Null removes it.")),
  privacy_url: Schema.optionalKey(orNull(OneLine(1, shopLinkLengthMax), "An https address. Null removes it.")),
  business_address: Schema.optionalKey(
    orNull(OneLine(1, businessAddressLengthMax), "The seller's postal address, on receipts. Null removes it.")
  ),
  tax_id: Schema.optionalKey(
    orNull(OneLine(1, taxIdLengthMax), "The seller's tax number, on receipts, such as `DE123456789`. Null removes it.")
  ),
  accent_color: Schema.optionalKey(
    orNull(
      OneLine(1, 16),
      "A colour as `#rrggbb` with a contrast of 4.5 to 1 to the page (WCAG AA); text on it is white or black, " +
        "whichever is more legible. Dark pages use a lighter shade. Null: the default colour of the service."
    )
  ),
  checkout_domain: Schema.optionalKey(
    orNull(
      OneLine(1, shopHostLengthMax),
      "The shop's own host, such as `pay.shop.example`, which links for buyers use once it is verified. Lower " +
        "case, of three labels or more, and not a host of this installation. It replaces the previous one " +
        "immediately; setting the same one again checks it again. Null removes it."
    )
  ),
  contact_email: Schema.optionalKey(
    orNull(Email, "The merchant's address for messages about its keys. Null removes it; `support_email` is used then.")
  ),
  time_zone: optional(OneLine(1, 64), "Time zone of the days in its reports, such as `Europe/Berlin`; initially UTC.")
}

export const checkoutDomainSample = {
  host: "pay.shop.example",
  status: "pending",
  record_name: "_coffer.pay.shop.example",
  record_value: "coffer-domain=x0dBkXh3yW8pQv5mTz2rLc4N",
  checked_at: "2026-11-26T09:30:00.000Z",
  verified_at: null,
  unproven_since: null,
  goes_back_at: null,
  problem: "no_record",
  message: "TXT record not found at _coffer.pay.shop.example."
} as const

/** The domain as merchants and operators see it. */
export const shopShown = {
  checkout_domain: orNull(
    Schema.Struct({
      host: text("The host."),
      status: Schema.Literals(["pending", "verified"]).annotate({
        description:
          "`verified`: links for buyers use it. `pending`: they do not yet; its TXT record has to exist, and it " +
          "has to point to this installation."
      }),
      record_name: text("The name of the required TXT record."),
      record_value: text("The value of that record. It is specific to this merchant and host, and has to stay in DNS."),
      checked_at: orNull(Schema.String, "When DNS was last checked; null before the first check."),
      verified_at: orNull(Schema.String, "Since when it has been verified; null while it is pending."),
      unproven_since: orNull(
        Schema.String,
        "Since when checks of a verified host have found no proof; null if there is one, and while it is pending."
      ),
      goes_back_at: orNull(
        Schema.String,
        "When a verified host without proof becomes pending: three days after `unproven_since`. Null for others."
      ),
      problem: orNull(
        Schema.Literals(["no_record", "other_record", "not_pointing", "no_answer", "taken", "no_room"]),
        "What the last check found wrong; null: nothing. `taken`: another merchant has the host with its proof. " +
          "`no_answer`: DNS did not answer."
      ),
      message: orNull(Schema.String, "The same as a sentence; null: nothing.")
    }).annotate({ identifier: "CheckoutDomain", description: "A shop's own host for checkout." }),
    "The shop's own host for checkout; null: links for buyers use the address of the service."
  ),
  checkout_domain_points_to: Schema.Array(Schema.String).annotate({
    description:
      "Names (for a CNAME record) and addresses (for A and AAAA records) to which a shop's host has to point. " +
      "Empty: this installation does not offer shop hosts."
  })
}

/** Settings that null removes. */
export const shopNulls = [
  "logo_url",
  "support_email",
  "support_url",
  "terms_url",
  "privacy_url",
  "business_address",
  "tax_id",
  "accent_color",
  "checkout_domain",
  "contact_email"
] as const

export const modeSettings = {
  sandbox: optional(SandboxPatch, "Settings of its sandbox; omitted ones are unchanged."),
  live: optional(LivePatch, "Settings of its live environment; omitted ones are unchanged.")
}
