/** A payment link as merchants see it: the one encoder. Pure. */
import type { PaymentLinkResource } from "@coffer/contract/PaymentLinks"
import { paymentLinks } from "@coffer/resources/links"
import { makeView } from "@coffer/resources/view"
import type { PaymentLink } from "@coffer/rules/link/PaymentLink"

/**
 * `base`: PUBLIC_URL, or the shop's own host. The address behind it is where buyers go; its number is as hard to guess
 * as a signature.
 */
export const linkView: (link: PaymentLink, base: string) => PaymentLinkResource = makeView<
  PaymentLink,
  [base: string]
>()(paymentLinks, {
  url: ({ linkId }, base) => `${base}/pay/${linkId}`,
  capture: () => "manual" as const
})
