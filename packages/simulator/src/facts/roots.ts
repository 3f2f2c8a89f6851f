/** The Stripe types in the table of facts: objects by name, parameters by operation. */
import type Stripe from "stripe"

export interface Objects {
  account: Stripe.Account
  balance: Stripe.Balance
  balance_transaction: Stripe.BalanceTransaction
  charge: Stripe.Charge
  "checkout.session": Stripe.Checkout.Session
  dispute: Stripe.Dispute
  event: Stripe.Event
  file: Stripe.File
  item: Stripe.LineItem
  payment_intent: Stripe.PaymentIntent
  payment_method: Stripe.PaymentMethod
  price: Stripe.Price
  refund: Stripe.Refund
  webhook_endpoint: Stripe.WebhookEndpoint
}

export interface Parameters {
  "GET /v1/account": Stripe.AccountRetrieveCurrentParams
  "GET /v1/balance": Stripe.BalanceRetrieveParams
  "GET /v1/balance_transactions": Stripe.BalanceTransactionListParams
  "GET /v1/balance_transactions/:id": Stripe.BalanceTransactionRetrieveParams
  "GET /v1/charges": Stripe.ChargeListParams
  "GET /v1/charges/:id": Stripe.ChargeRetrieveParams
  "POST /v1/charges/:id": Stripe.ChargeUpdateParams
  "GET /v1/checkout/sessions": Stripe.Checkout.SessionListParams
  "POST /v1/checkout/sessions": Stripe.Checkout.SessionCreateParams
  "GET /v1/checkout/sessions/:id": Stripe.Checkout.SessionRetrieveParams
  "POST /v1/checkout/sessions/:id": Stripe.Checkout.SessionUpdateParams
  "POST /v1/checkout/sessions/:id/expire": Stripe.Checkout.SessionExpireParams
  "GET /v1/checkout/sessions/:id/line_items": Stripe.Checkout.SessionListLineItemsParams
  "GET /v1/disputes": Stripe.DisputeListParams
  "GET /v1/disputes/:id": Stripe.DisputeRetrieveParams
  "POST /v1/disputes/:id": Stripe.DisputeUpdateParams
  "POST /v1/disputes/:id/close": Stripe.DisputeCloseParams
  "GET /v1/events": Stripe.EventListParams
  "GET /v1/events/:id": Stripe.EventRetrieveParams
  "GET /v1/files": Stripe.FileListParams
  "POST /v1/files": Stripe.FileCreateParams
  "GET /v1/files/:id": Stripe.FileRetrieveParams
  "GET /v1/payment_intents": Stripe.PaymentIntentListParams
  "POST /v1/payment_intents": Stripe.PaymentIntentCreateParams
  "GET /v1/payment_intents/:id": Stripe.PaymentIntentRetrieveParams
  "POST /v1/payment_intents/:id": Stripe.PaymentIntentUpdateParams
  "POST /v1/payment_intents/:id/cancel": Stripe.PaymentIntentCancelParams
  "POST /v1/payment_intents/:id/capture": Stripe.PaymentIntentCaptureParams
  "POST /v1/payment_intents/:id/confirm": Stripe.PaymentIntentConfirmParams
  "POST /v1/payment_methods": Stripe.PaymentMethodCreateParams
  "GET /v1/payment_methods/:id": Stripe.PaymentMethodRetrieveParams
  "GET /v1/refunds": Stripe.RefundListParams
  "POST /v1/refunds": Stripe.RefundCreateParams
  "GET /v1/refunds/:id": Stripe.RefundRetrieveParams
  "POST /v1/refunds/:id": Stripe.RefundUpdateParams
  "POST /v1/refunds/:id/cancel": Stripe.RefundCancelParams
  "GET /v1/webhook_endpoints": Stripe.WebhookEndpointListParams
  "POST /v1/webhook_endpoints": Stripe.WebhookEndpointCreateParams
  "GET /v1/webhook_endpoints/:id": Stripe.WebhookEndpointRetrieveParams
  "POST /v1/webhook_endpoints/:id": Stripe.WebhookEndpointUpdateParams
  "DELETE /v1/webhook_endpoints/:id": Stripe.WebhookEndpointDeleteParams
}
