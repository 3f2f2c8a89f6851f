/** The shop of a merchant as buyers see it, and the methods that they may pay with. Pure. */
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import type { Shop } from "../pages/shop.ts"
import type { Merchant } from "./Merchants.ts"

export const shopOf = ({ logo, name, support_email, support_url }: Merchant): Shop => ({
  name,
  logo,
  supportEmail: support_email,
  supportUrl: support_url
})

export const offeredIn = ({ payment_methods }: Merchant["modes"]["live"]): ReadonlyArray<PaymentMethod> =>
  payment_methods ?? PaymentMethod.literals
