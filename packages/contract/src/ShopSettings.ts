/** The settings that a merchant's own people may change in the console, as operators may. */
import {
  emailLengthMax,
  mailRecipientsMax,
  shopHostLengthMax,
  shopLinkLengthMax,
  urlLengthMax
} from "@coffer/model/Limits"
import { optional, withoutNulls } from "@coffer/model/optional"
import { OfferedMethods } from "@coffer/model/PaymentMethod"
import { OneLine } from "@coffer/model/Text"
import { Schema } from "effect"
import { orNull, text } from "./fields.ts"
import { Email } from "./Orders.ts"

const ModePatch = Schema.Struct({
  ip_allowlist: optional(
    OneLine(0, 10_000),
    "IPv4 addresses, IPv4 ranges and IPv6 addresses that keys are taken from; empty: from anywhere."
  ),
  default_notify_url: Schema.optionalKey(
    orNull(OneLine(1, urlLengthMax), "Where events go that no endpoint takes. Null removes it.")
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
      "Addresses that the merchant has confirmed as its own, or domains as `@shop.example`, at most 20: its sandbox " +
        "sends mails there and to `support_email`, and keeps all others."
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
  accent_color: Schema.optionalKey(
    orNull(
      OneLine(1, 16),
      "A colour as `#rrggbb` that has a contrast of 4.5 to 1 to the page (WCAG AA); text on it is white or black, " +
        "whichever is read better. Dark pages show a lighter one. Null: the service's own."
    )
  ),
  checkout_domain: Schema.optionalKey(
    orNull(
      OneLine(1, shopHostLengthMax),
      "A host of the shop's own, such as `pay.shop.example`, that links for buyers begin with once it is verified. " +
        "In small letters, of three parts or more, and none of this installation. It replaces the one before at " +
        "once; setting the same one again checks it again. Null removes it."
    )
  ),
  contact_email: Schema.optionalKey(
    orNull(Email, "The merchant's address for messages about its keys. Null removes it: then `support_email` is used.")
  ),
  time_zone: optional(
    OneLine(1, 64),
    "Name of the time zone that its reports count days in, such as `Europe/Berlin`; UTC at first."
  )
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
          "`verified`: links for buyers begin with it. `pending`: they do not, until its TXT record is there and it " +
          "points to this installation."
      }),
      record_name: text("Where a TXT record has to be."),
      record_value: text("The text of that record. It was made for this merchant and this host, and has to stay."),
      checked_at: orNull(Schema.String, "When DNS was last asked; null before the first time."),
      verified_at: orNull(Schema.String, "Since when it has been verified; null while it is pending."),
      unproven_since: orNull(
        Schema.String,
        "Since when each look at a verified host has found no proof; null while there is one, and while it is pending."
      ),
      goes_back_at: orNull(
        Schema.String,
        "When a verified host without its proof becomes pending: three days after `unproven_since`. Null for others."
      ),
      problem: orNull(
        Schema.Literals(["no_record", "other_record", "not_pointing", "no_answer", "taken", "no_room"]),
        "What the last look found wrong; null for nothing. `taken`: another merchant has the host and its proof. " +
          "`no_answer`: DNS did not answer."
      ),
      message: orNull(Schema.String, "The same in words; null for nothing.")
    }).annotate({ identifier: "CheckoutDomain", description: "A shop's own host for checkout." }),
    "The shop's own host for checkout; null: links for buyers begin with the address of the service."
  ),
  checkout_domain_points_to: Schema.Array(Schema.String).annotate({
    description:
      "Names (for a CNAME record) and addresses (for A and AAAA) that a shop's host has to point to. Empty: this " +
      "installation has no hosts of shops."
  })
}

/** Settings that null removes. */
export const shopNulls = [
  "logo_url",
  "support_email",
  "support_url",
  "terms_url",
  "privacy_url",
  "accent_color",
  "checkout_domain",
  "contact_email"
] as const

export const modeSettings = {
  sandbox: optional(SandboxPatch, "Settings of its sandbox; what is left out stays."),
  live: optional(LivePatch, "Settings of its live environment; what is left out stays.")
}
