/** The shop of a merchant as buyers see it, and the methods that they may pay with. Pure. */
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import type { Shop } from "../../shared/pages/shop.ts"
import type { Merchant } from "./Merchants.ts"

export const shopOf = (merchant: Merchant): Shop => ({
  name: merchant.name,
  logo: merchant.logo,
  supportEmail: merchant.support_email,
  supportUrl: merchant.support_url,
  termsUrl: merchant.terms_url,
  privacyUrl: merchant.privacy_url,
  businessAddress: merchant.business_address,
  taxId: merchant.tax_id,
  accentColor: merchant.accent_color,
  timeZone: merchant.time_zone
})

export const offeredIn = ({ payment_methods }: Merchant["modes"]["live"]): ReadonlyArray<PaymentMethod> =>
  payment_methods ?? PaymentMethod.literals
