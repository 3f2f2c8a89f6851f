/** Changes to a merchant's settings: validation, and the merchant after the change. Pure. */
import { grounds } from "@coffer/console/tokens"
import type { UpdateMerchant } from "@coffer/contract/Operator"
import { createdAtOf, EndpointId, Mode } from "@coffer/model/Ids"
import { parseAllowlist } from "@coffer/rules/allowlist"
import { isHttpUrl } from "@coffer/rules/delivery/address"
import { urlProblem } from "@coffer/rules/delivery/urlProblem"
import { InvalidField } from "@coffer/rules/InvalidField"
import { zoneOf } from "@coffer/rules/reports/days"
import { accentProblem } from "@coffer/rules/shop/accent"
import { askFor, hostProblem } from "@coffer/rules/shop/domain"
import { type DateTime, Result } from "effect"
import { idAfter } from "../../platform/runtime/NewIds.ts"
import type { MerchantRow, ModeRow } from "./MerchantStore.ts"

/** Characters of a bad allowlist entry that the refusal repeats. */
const entryShownMax = 64

/** The settings that the operator may change, with the logo as its file is named. */
export interface MerchantPatch extends Omit<UpdateMerchant, "logo_url"> {
  readonly logo?: string | null
}

/** The parts of the installation on which settings depend. */
export interface Installation {
  readonly privateAllowed: boolean
  /** The target of a shop's own host. None: there are no such hosts. */
  readonly pointTo: ReadonlyArray<string>
  /** Hosts that are the installation's own. */
  readonly own: ReadonlySet<string>
}

/** The first problem of a patch; undefined for one that may be applied. */
export const settingsProblem = (patch: MerchantPatch, installation: Installation): InvalidField | undefined => {
  const { privateAllowed } = installation
  for (const mode of Mode.literals) {
    const problem =
      urlProblem(`${mode}.default_notify_url`, patch[mode]?.default_notify_url, { mode, privateAllowed }) ??
      allowlistProblem(`${mode}.ip_allowlist`, patch[mode]?.ip_allowlist)
    if (problem !== undefined) return problem
  }
  for (const param of ["support_url", "terms_url", "privacy_url"] as const) {
    const problem = linkProblem(param, patch[param])
    if (problem !== undefined) return problem
  }
  return (
    accentProblem(patch.accent_color, grounds.light) ??
    zoneProblem(patch.time_zone) ??
    domainProblem(patch.checkout_domain, installation)
  )
}

const domainProblem = (host: string | null | undefined, { own, pointTo }: Installation): InvalidField | undefined => {
  if (typeof host !== "string") return undefined
  if (pointTo.length > 0) return hostProblem(host, own)
  const problem = "can't be set: this installation does not offer custom domains (SHOP_DOMAINS_POINT_TO is not set)"
  return new InvalidField({ param: "checkout_domain", problem })
}

/** Only the buyer's browser goes there. */
const linkProblem = (param: string, url: string | null | undefined): InvalidField | undefined =>
  typeof url !== "string" || (isHttpUrl(url) && /^https:/i.test(url))
    ? undefined
    : new InvalidField({ param, problem: "must be an https URL" })

const zoneProblem = (name: string | undefined): InvalidField | undefined =>
  name === undefined || zoneOf(name) !== undefined
    ? undefined
    : new InvalidField({ param: "time_zone", problem: "must be the name of a time zone, such as Europe/Berlin" })

export const allowlistProblem = (param: string, text: string | undefined): InvalidField | undefined => {
  const list = parseAllowlist(text ?? "")
  if (Result.isSuccess(list)) return undefined
  const problem = `${list.failure.slice(0, entryShownMax)} is not an IPv4 address, an IPv4 range or an IPv6 address`
  return new InvalidField({ param, problem })
}

type ModePatch = NonNullable<UpdateMerchant["sandbox"]>

/** The time of each environment, and the number for its single address if it has none yet. */
export type Numbering = Readonly<Record<Mode, { readonly id: EndpointId; readonly now: DateTime.Utc }>> & {
  /** For the record that proves a host. */
  readonly token: string
}

/** A patch leaves out unchanged settings. */
export const withSettings = (
  merchant: MerchantRow,
  { accent_color, checkout_domain: host, dispute_fee, live, payout_fee, quotas, sandbox, ...own }: MerchantPatch,
  number: Numbering
): MerchantRow => {
  const changed = {
    ...merchant,
    ...own,
    domain:
      typeof host === "string"
        ? askFor(merchant.domain, host, number.token, number.live.now)
        : host === null
          ? null
          : merchant.domain,
    accent_color: accent_color === undefined ? merchant.accent_color : (accent_color?.toLowerCase() ?? null),
    dispute_fee: { ...merchant.dispute_fee, ...dispute_fee },
    payout_fee: { ...merchant.payout_fee, ...payout_fee },
    quotas: { ...merchant.quotas, ...quotas }
  }
  return withAddress(withAddress(changed, "sandbox", sandbox ?? {}, number), "live", live ?? {}, number)
}

/** The single address keeps its number for good. */
const withAddress = (
  merchant: MerchantRow,
  mode: Mode,
  patch: ModePatch,
  { [mode]: { id, now } }: Numbering
): MerchantRow => {
  const { default_endpoint: before, default_notify_url: url, webhooks } = merchant.modes[mode]
  const after = patch.default_notify_url ?? null
  if (after === null || after === url) return withMode(merchant, mode, patch)
  // Later than the merchant's own endpoints, with which it is listed.
  const others = webhooks.endpoints.map((endpoint) => endpoint.id)
  const fresh = EndpointId.make(idAfter(id, others))
  const createdAt = createdAtOf(fresh)
  const endpoint = before === null ? { id: fresh, createdAt, updatedAt: createdAt } : { ...before, updatedAt: now }
  return withMode(merchant, mode, { ...patch, default_endpoint: endpoint })
}

export const withMode = (merchant: MerchantRow, mode: Mode, patch: Partial<ModeRow>): MerchantRow => ({
  ...merchant,
  modes: { ...merchant.modes, [mode]: { ...merchant.modes[mode], ...patch } }
})
