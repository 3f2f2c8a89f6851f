/**
 * Every error the API can answer with: one class per row of the specification's table, in its order (spec: Errors).
 * These are wire shapes; the domain's errors are translated into them in the table of each room's refusals
 * (`src/money/orders/orderRefusals.ts`) and nowhere else. Ours beside the table: `insufficient_balance` (silences: R1),
 * `delivery_not_found`, `report_not_found`, `erasure_not_found`, for the operator `api_key_not_found`,
 * `merchant_not_found`, `operator_not_found`, `person_not_found`, `payout_not_found` and `stray_session_not_found`, for
 * the console `session_not_found`, `passkey_not_found` and `saved_view_not_found`, 416 `invalid_request` for a `Range`
 * of a file, and 503 `internal_error` with `Retry-After` when too many requests are under way, when Postgres or an
 * owner does not answer in time, or when a process ends during a call (silences: G23).
 */
import { Schema } from "effect"
import { refusedBody } from "./Envelope.ts"

export class InvalidRequest extends Schema.Error<InvalidRequest>("InvalidRequest")(
  refusedBody(400, "invalid_request", "A field is missing, malformed or not allowed here.", "amount"),
  { httpApiStatus: 400 }
) {}
export class IdempotencyError extends Schema.Error<IdempotencyError>("IdempotencyError")(
  refusedBody(400, "idempotency_error", "This Idempotency-Key was already used with a different body."),
  { httpApiStatus: 400 }
) {}
export class RefundWindowExpired extends Schema.Error<RefundWindowExpired>("RefundWindowExpired")(
  refusedBody(400, "refund_window_expired", "The payment method's refund period is over."),
  { httpApiStatus: 400 }
) {}
export class InsufficientBalance extends Schema.Error<InsufficientBalance>("InsufficientBalance")(
  refusedBody(400, "insufficient_balance", "The available balance is too low.", "amount"),
  { httpApiStatus: 400 }
) {}
export class MissingApiKey extends Schema.Error<MissingApiKey>("MissingApiKey")(
  refusedBody(401, "missing_api_key", "The X-Api-Key header is missing."),
  {
    httpApiStatus: 401
  }
) {}
export class InvalidApiKey extends Schema.Error<InvalidApiKey>("InvalidApiKey")(
  refusedBody(401, "invalid_api_key", "The key is unknown, expired, or was reset or revoked."),
  {
    httpApiStatus: 401
  }
) {}
export class MerchantNotApproved extends Schema.Error<MerchantNotApproved>("MerchantNotApproved")(
  refusedBody(403, "merchant_not_approved", "The merchant is not approved for live payments yet."),
  { httpApiStatus: 403 }
) {}
export class IpNotAllowed extends Schema.Error<IpNotAllowed>("IpNotAllowed")(
  refusedBody(403, "ip_not_allowed", "The caller's address is not on the allowlist of this key."),
  {
    httpApiStatus: 403
  }
) {}
export class Forbidden extends Schema.Error<Forbidden>("Forbidden")(
  refusedBody(403, "forbidden", "The merchant or the key's scopes don't allow this."),
  {
    httpApiStatus: 403
  }
) {}
export class OrderNotFound extends Schema.Error<OrderNotFound>("OrderNotFound")(
  refusedBody(404, "order_not_found", "No such order."),
  {
    httpApiStatus: 404
  }
) {}
export class RefundNotFound extends Schema.Error<RefundNotFound>("RefundNotFound")(
  refusedBody(404, "refund_not_found", "No such refund."),
  { httpApiStatus: 404 }
) {}
export class DisputeNotFound extends Schema.Error<DisputeNotFound>("DisputeNotFound")(
  refusedBody(404, "dispute_not_found", "No such dispute."),
  { httpApiStatus: 404 }
) {}
export class EventNotFound extends Schema.Error<EventNotFound>("EventNotFound")(
  refusedBody(404, "event_not_found", "No such event."),
  {
    httpApiStatus: 404
  }
) {}
export class PaymentLinkNotFound extends Schema.Error<PaymentLinkNotFound>("PaymentLinkNotFound")(
  refusedBody(404, "payment_link_not_found", "No such payment link."),
  { httpApiStatus: 404 }
) {}
export class EndpointNotFound extends Schema.Error<EndpointNotFound>("EndpointNotFound")(
  refusedBody(404, "endpoint_not_found", "No such webhook endpoint."),
  { httpApiStatus: 404 }
) {}
export class DeliveryNotFound extends Schema.Error<DeliveryNotFound>("DeliveryNotFound")(
  refusedBody(404, "delivery_not_found", "No such delivery."),
  { httpApiStatus: 404 }
) {}
export class MerchantNotFound extends Schema.Error<MerchantNotFound>("MerchantNotFound")(
  refusedBody(404, "merchant_not_found", "No such merchant."),
  { httpApiStatus: 404 }
) {}
export class OperatorNotFound extends Schema.Error<OperatorNotFound>("OperatorNotFound")(
  refusedBody(404, "operator_not_found", "No such operator."),
  { httpApiStatus: 404 }
) {}
export class PersonNotFound extends Schema.Error<PersonNotFound>("PersonNotFound")(
  refusedBody(404, "person_not_found", "No such person."),
  { httpApiStatus: 404 }
) {}
export class InvitationNotFound extends Schema.Error<InvitationNotFound>("InvitationNotFound")(
  refusedBody(404, "invitation_not_found", "No such invitation for you, or it has expired."),
  { httpApiStatus: 404 }
) {}
export class SessionNotFound extends Schema.Error<SessionNotFound>("SessionNotFound")(
  refusedBody(404, "session_not_found", "No such session, or it has ended."),
  { httpApiStatus: 404 }
) {}
export class PasskeyNotFound extends Schema.Error<PasskeyNotFound>("PasskeyNotFound")(
  refusedBody(404, "passkey_not_found", "No such passkey."),
  { httpApiStatus: 404 }
) {}
export class SavedViewNotFound extends Schema.Error<SavedViewNotFound>("SavedViewNotFound")(
  refusedBody(404, "saved_view_not_found", "No such saved view."),
  { httpApiStatus: 404 }
) {}
export class PayoutNotFound extends Schema.Error<PayoutNotFound>("PayoutNotFound")(
  refusedBody(404, "payout_not_found", "No such payout."),
  { httpApiStatus: 404 }
) {}
export class ReportNotFound extends Schema.Error<ReportNotFound>("ReportNotFound")(
  refusedBody(404, "report_not_found", "No such report, or it was deleted."),
  { httpApiStatus: 404 }
) {}
export class ErasureNotFound extends Schema.Error<ErasureNotFound>("ErasureNotFound")(
  refusedBody(404, "erasure_not_found", "No such erasure."),
  { httpApiStatus: 404 }
) {}
export class StraySessionNotFound extends Schema.Error<StraySessionNotFound>("StraySessionNotFound")(
  refusedBody(404, "stray_session_not_found", "No such session."),
  { httpApiStatus: 404 }
) {}
export class ApiKeyNotFound extends Schema.Error<ApiKeyNotFound>("ApiKeyNotFound")(
  refusedBody(404, "api_key_not_found", "No such API key."),
  { httpApiStatus: 404 }
) {}
export class RouteNotFound extends Schema.Error<RouteNotFound>("RouteNotFound")(
  refusedBody(404, "route_not_found", "No endpoint has this method and path."),
  {
    httpApiStatus: 404
  }
) {}
export class IdempotencyInProgress extends Schema.Error<IdempotencyInProgress>("IdempotencyInProgress")(
  refusedBody(409, "idempotency_in_progress", "The first request with this Idempotency-Key is still running."),
  { httpApiStatus: 409 }
) {}
export class DefaultEndpointSecretManaged extends Schema.Error<DefaultEndpointSecretManaged>(
  "DefaultEndpointSecretManaged"
)(
  refusedBody(
    409,
    "default_endpoint_secret_managed",
    "The default endpoint shares the account's secret; rotate that one instead."
  ),
  { httpApiStatus: 409 }
) {}
export class Conflict extends Schema.Error<Conflict>("Conflict")(
  refusedBody(409, "conflict", "The object's state does not allow this now."),
  {
    httpApiStatus: 409
  }
) {}
export class RangeNotSatisfiable extends Schema.Error<RangeNotSatisfiable>("RangeNotSatisfiable")(
  refusedBody(416, "invalid_request", "The requested range is beyond the end of the file.", "Range"),
  { httpApiStatus: 416 }
) {}
export class RateLimited extends Schema.Error<RateLimited>("RateLimited")(
  refusedBody(429, "rate_limited", "The quota of the minute is used up."),
  {
    httpApiStatus: 429
  }
) {}
export class InternalError extends Schema.Error<InternalError>("InternalError")(
  refusedBody(500, "internal_error", "Something failed on our side."),
  {
    httpApiStatus: 500
  }
) {}
export class ProcessorError extends Schema.Error<ProcessorError>("ProcessorError")(
  refusedBody(502, "processor_error", "The upstream channel failed; no money has moved here."),
  { httpApiStatus: 502 }
) {}
export class Unavailable extends Schema.Error<Unavailable>("Unavailable")(
  refusedBody(503, "internal_error", "Busy; retry the same request after `Retry-After` seconds."),
  {
    httpApiStatus: 503
  }
) {}
