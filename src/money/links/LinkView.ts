/** A payment link as merchants see it: the one encoder. Pure. */
import { isoText, isoTextOrNull } from "@coffer/model/isoText"
import type { PaymentLinkResource } from "@coffer/contract/PaymentLinks"
import { byKey } from "@coffer/model/Metadata"
import type { PaymentLink } from "@coffer/rules/link/PaymentLink"

/**
 * `base`: PUBLIC_URL, or the shop's own host. The address behind it is where buyers go; its number is as hard to guess
 * as a signature.
 */
export const linkView = (link: PaymentLink, base: string): PaymentLinkResource => ({
  object: "payment_link",
  link_id: link.linkId,
  merchant_id: link.merchantId,
  url: `${base}/pay/${link.linkId}`,
  mode: link.mode,
  amount: link.amount,
  currency: link.currency,
  subject: link.subject,
  status: link.status,
  max_uses: link.maxUses,
  used_count: link.usedCount,
  notify_url: link.notifyUrl,
  return_url: link.returnUrl,
  expires_at: isoTextOrNull(link.expiresAt),
  metadata: byKey(link.metadata),
  created_at: isoText(link.createdAt)
})
