/** The call that makes a merchant's first order. It comes with the contract once it is looked at. */
import { callOf } from "./MerchantAct.tsx"

export const firstCall = callOf(
  "orders.create",
  { payload: { amount: 1999, currency: "USD", subject: "Two books", out_trade_no: "cart-1" } },
  "orders create --amount 1999"
)
