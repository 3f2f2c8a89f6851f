/** Operators by name and the audit log of what they do (docs/architecture.md, section 7). */
import { optional, withoutNulls } from "@coffer/model/optional"
import { Role } from "@coffer/model/Role"
import { OneLine } from "@coffer/model/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, OperatorToken } from "./Caller.ts"
import { enveloped, listed } from "./Envelope.ts"
import { Conflict, InvalidRequest, OperatorNotFound } from "./Errors.ts"
import { instant, int, kind, orNull, text } from "./fields.ts"
import { ExportableQuery, ListQuery } from "./Lists.ts"

const role = Role.annotate({
  description: "What the operator may do: a viewer reads, support helps merchants, finance moves money, an admin all."
})

/** Days for which a token is valid unless said otherwise, and at most. */
export const tokenDays = { usual: 90, max: 365 }

const resource = {
  object: kind("operator"),
  operator_id: text("Number of the operator."),
  name: text("Whom the audit log names."),
  role,
  created_at: instant("When the operator was created."),
  expires_at: instant("When the token stops working."),
  revoked_at: orNull(Schema.String, "When the token was revoked; null while it was not.")
}
export const OperatorResource = Schema.Struct(resource).annotate({ identifier: "Operator" })
export type OperatorResource = typeof OperatorResource.Encoded

export const CreateOperator = withoutNulls(
  Schema.Struct({
    name: OneLine(1, 100),
    role,
    expires_in_days: optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: tokenDays.max })))
  })
)
export type CreateOperator = typeof CreateOperator.Type

/** Answered to the first of two operators (TWO_OPERATORS). */
export const ApprovalResource = Schema.Struct({
  object: kind("approval"),
  act: text("What was asked for."),
  target: text("What it is to be done to."),
  status: kind("waiting").annotate({ description: "Another operator has to send the same request." }),
  expires_at: instant("Until then.")
}).annotate({ identifier: "Approval" })
export type ApprovalResource = typeof ApprovalResource.Encoded

/** For endpoints that may need a second operator. */
export const needsApproval = enveloped(ApprovalResource).pipe(HttpApiSchema.status(202))

export const AuditEntryResource = Schema.Struct({
  object: kind("audit_entry"),
  id: text("Number of the entry."),
  sequence: int("Its place in the chain, from 1."),
  created_at: instant("When it was written."),
  actor_id: text("Number of the operator or merchant; empty when nobody is known."),
  actor: text("The operator's name, or the merchant's number."),
  role: text("The operator's role, or `merchant`."),
  ip: orNull(Schema.String, "Address that the request came from."),
  request_id: text("Number of the request."),
  act: text("What was done: `merchants.resetKey`."),
  phase: text(
    "`begun` before the act and `done` after it, with its status; `refused` when it was not allowed; `seen` for a " +
      "secret that was read."
  ),
  target: text("What it was done to."),
  status: orNull(Schema.Int, "HTTP status of the answer, once there is one."),
  details: Schema.Unknown.annotate({ description: "What was asked for, and the object before and after; no secrets." }),
  previous_hash: text("Hash of the entry before; empty for the first."),
  hash: text("SHA-256 of this entry and the hash before it, in hex (docs/security.md).")
}).annotate({ identifier: "AuditEntry" })
export type AuditEntryResource = typeof AuditEntryResource.Encoded

export const AuditLogQuery = Schema.Struct({
  ...ExportableQuery,
  actor_id: Schema.optionalKey(text("Acts of this operator or merchant.")),
  act: Schema.optionalKey(text("Acts of this name.")),
  target: Schema.optionalKey(text("Acts on this object."))
})
export type AuditLogQuery = typeof AuditLogQuery.Type

export class OperatorsGroup extends HttpApiGroup.make("operators")
  .add(
    HttpApiEndpoint.post("create", "/operator/v1/operators", {
      payload: CreateOperator,
      success: [
        enveloped(Schema.Struct({ ...resource, token: text("The operator's token, shown this once.") })).pipe(
          HttpApiSchema.status(201)
        ),
        needsApproval
      ],
      error: [Conflict, InvalidRequest]
    }).annotate(OpenApi.Summary, "Create an operator; the token is shown once, to the second where it takes two"),
    HttpApiEndpoint.get("list", "/operator/v1/operators", {
      query: Schema.Struct(ListQuery),
      success: listed(OperatorResource),
      error: InvalidRequest
    }).annotate(OpenApi.Summary, "List operators, newest first"),
    HttpApiEndpoint.post("revoke", "/operator/v1/operators/:operator_id/revoke", {
      params: { operator_id: Schema.String },
      success: enveloped(OperatorResource),
      error: OperatorNotFound
    }).annotate(OpenApi.Summary, "Revoke an operator's token; it stops working at once on all runners")
  )
  .middleware(Decoding)
  .middleware(OperatorToken) {}

export class AuditLogGroup extends HttpApiGroup.make("audit_log")
  .add(
    HttpApiEndpoint.get("list", "/operator/v1/audit_log", {
      query: AuditLogQuery,
      success: listed(AuditEntryResource),
      error: InvalidRequest
    }).annotate(OpenApi.Summary, "Who did what, newest first; `format=csv` answers a file")
  )
  .middleware(Decoding)
  .middleware(OperatorToken) {}
