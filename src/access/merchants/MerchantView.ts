/** A merchant's settings as the operator sees them: without keys and secrets. Pure. */
import { isoText, isoTextOrNull } from "@coffer/model/isoText"
import type { MerchantResource } from "@coffer/contract/Merchants"
import { effectiveDisputeFees, effectiveFee, effectivePayoutFees } from "@coffer/model/Fees"
import { effectiveQuotas } from "@coffer/model/Quotas"
import { type Domain, type DomainProblem, goesBackAt, recordNameOf, recordValueOf } from "@coffer/rules/shop/domain"
import type { Merchant } from "./Merchants.ts"
import { offeredIn } from "./shopOf.ts"

interface Surroundings {
  /** The address of the file with this name. */
  readonly logoUrl: (name: string) => string
  /** How far the sandbox's clock is ahead, in milliseconds. */
  readonly ahead: number
  /** The target of shops' own hosts. */
  readonly pointTo: ReadonlyArray<string>
}

export const merchantView = (merchant: Merchant, { ahead, logoUrl, pointTo }: Surroundings): MerchantResource => ({
  object: "merchant",
  merchant_id: merchant.merchant_id,
  name: merchant.name,
  logo_url: merchant.logo === null ? null : logoUrl(merchant.logo),
  support_email: merchant.support_email,
  support_url: merchant.support_url,
  terms_url: merchant.terms_url,
  privacy_url: merchant.privacy_url,
  business_address: merchant.business_address,
  tax_id: merchant.tax_id,
  accent_color: merchant.accent_color,
  checkout_domain: merchant.domain === null ? null : domainView(merchant.domain, pointTo),
  checkout_domain_points_to: pointTo,
  contact_email: merchant.contact_email,
  time_zone: merchant.time_zone,
  approved: merchant.approved,
  live_currencies: merchant.live_currencies,
  fees: merchant.fees,
  default_fee: effectiveFee(merchant),
  dispute_fee: effectiveDisputeFees(merchant),
  payout_fee: effectivePayoutFees(merchant),
  quotas: effectiveQuotas(merchant.quotas),
  sandbox: {
    ...modeView(merchant.modes.sandbox),
    mail_recipients: merchant.modes.sandbox.mail_recipients,
    clock_ahead_ms: ahead
  },
  live: modeView(merchant.modes.live),
  suspended_at: isoTextOrNull(merchant.suspended_at),
  closed_at: isoTextOrNull(merchant.closed_at),
  note: merchant.note,
  created_at: isoText(merchant.created_at)
})

const domainView = (domain: Domain, pointTo: ReadonlyArray<string>) => ({
  host: domain.host,
  status: domain.verified_at === null ? ("pending" as const) : ("verified" as const),
  record_name: recordNameOf(domain.host),
  record_value: recordValueOf(domain.token),
  checked_at: isoTextOrNull(domain.checked_at),
  verified_at: isoTextOrNull(domain.verified_at),
  unproven_since: isoTextOrNull(domain.unproven_since),
  goes_back_at: isoTextOrNull(goesBackAt(domain)),
  problem: domain.problem,
  message: domain.problem === null ? null : messageOf[domain.problem](domain.host, pointTo.join(" or "))
})

export const messageOf: Readonly<Record<DomainProblem, (host: string, pointTo: string) => string>> = {
  no_record: (host) => `TXT record not found at ${recordNameOf(host)}.`,
  other_record: (host) => `The TXT record at ${recordNameOf(host)} has a different value.`,
  not_pointing: (host, pointTo) => `${host} does not point to ${pointTo}.`,
  no_answer: (host) => `The name servers of ${host} did not respond.`,
  taken: (host) =>
    `Another merchant uses ${host}, and its TXT record still exists. Remove that record to claim the domain.`,
  no_room: () => "This installation has reached its limit of custom domains. Contact the operator."
}

const modeView = (mode: Merchant["modes"]["live"]) => ({
  ip_allowlist: mode.ip_allowlist,
  default_notify_url: mode.default_notify_url,
  payment_methods: offeredIn(mode)
})
