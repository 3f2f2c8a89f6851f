/** A payment link as merchants see it: the one encoder. Pure. */
import type { PaymentLinkResource } from "@coffer/contract/PaymentLinks"
import { byKey } from "@coffer/model/Metadata"
import type { PaymentLink } from "@coffer/rules/link/PaymentLink"
import { DateTime } from "effect"

/** Where buyers go. The number is as hard to guess as a signature. */
export const linkUrl = ({ linkId }: Pick<PaymentLink, "linkId">, publicUrl: string): string =>
  `${publicUrl}/pay/${linkId}`

export const linkView = (link: PaymentLink, publicUrl: string): PaymentLinkResource => ({
  object: "payment_link",
  link_id: link.linkId,
  merchant_id: link.merchantId,
  url: linkUrl(link, publicUrl),
  mode: link.mode,
  amount: link.amount,
  currency: link.currency,
  subject: link.subject,
  status: link.status,
  max_uses: link.maxUses,
  used_count: link.usedCount,
  notify_url: link.notifyUrl,
  return_url: link.returnUrl,
  expires_at: link.expiresAt === null ? null : DateTime.formatIso(link.expiresAt),
  metadata: byKey(link.metadata),
  created_at: DateTime.formatIso(link.createdAt)
})
