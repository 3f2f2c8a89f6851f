/** Operators and the audit log of their acts (docs/architecture.md, section 7). */
import { optional, withoutNulls } from "@coffer/model/optional"
import { Role } from "@coffer/model/Role"
import { OneLine } from "@coffer/model/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, OperatorToken } from "./Caller.ts"
import { enveloped, listed } from "./Envelope.ts"
import { Conflict, InvalidRequest, OperatorNotFound } from "./Errors.ts"
import { instant, int, kind, orNull, text, withExample } from "./fields.ts"
import { ExportableQuery, ListQuery } from "./Lists.ts"
import { sampleIds } from "./sampleIds.ts"

const role = Role.annotate({
  description:
    "The operator's rights: a viewer reads, support helps merchants, finance moves money, an admin does everything."
})

/** Days for which a token is valid by default, and at most. */
export const tokenDays = { usual: 90, max: 365 }

const resource = {
  object: kind("operator"),
  operator_id: text("Number of the operator."),
  name: text("The name in the audit log."),
  role,
  person_ids: Schema.Array(Schema.String).annotate({
    description:
      "People who may act by this token: the person to whom it belongs, and the one who was shown it. For " +
      "requests by any of them it does not count as a second operator."
  }),
  created_at: instant("When the operator was created."),
  expires_at: instant("When the token stops working."),
  revoked_at: orNull(Schema.String, "When the token was revoked; null: it was not.")
}
const sample = {
  object: "operator",
  operator_id: sampleIds.operator,
  name: "Ada",
  role: "support",
  person_ids: [sampleIds.person],
  created_at: "2026-11-20T08:00:00.000Z",
  expires_at: "2027-02-18T08:00:00.000Z",
  revoked_at: null
} as const

export const OperatorResource = withExample(
  Schema.Struct(resource).annotate({ identifier: "Operator", description: "A person who runs the service." }),
  sample
)
export type OperatorResource = typeof OperatorResource.Encoded

export const CreateOperator = withoutNulls(
  Schema.Struct({
    name: OneLine(1, 100).annotate({ description: "The name in the audit log." }),
    role,
    expires_in_days: optional(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: tokenDays.max })),
      `Days until the token stops working. Default: ${tokenDays.usual}.`
    ),
    person_id: optional(
      OneLine(1, 30),
      "The person to whom the token belongs, with a role of the installation. A signed-in person who is shown the " +
        "token counts as well."
    )
  }).annotate({ examples: [{ name: "Ada", role: "support" }] })
)
export type CreateOperator = typeof CreateOperator.Type

/** How many approvals are listed. */
export const approvalsMax = 100

/** Answered to the first of two operators (TWO_OPERATORS), and listed until another sends the same request. */
export const ApprovalResource = withExample(
  Schema.Struct({
    object: kind("approval"),
    act: text("The action that was requested."),
    target: text("The object of the action."),
    content: Schema.Record(Schema.String, Schema.Unknown).annotate({
      description: "The exact request, without secrets. Another operator has to send exactly the same."
    }),
    operator_id: text("Number of the operator who asked."),
    operator: text("The name of the operator who asked."),
    status: kind("waiting").annotate({ description: "Another operator has to send the same request." }),
    created_at: instant("When it was requested."),
    expires_at: instant("Until then.")
  }).annotate({ identifier: "Approval", description: "A request that another operator has to send as well." }),
  {
    object: "approval",
    act: "merchants.resetKey",
    target: sampleIds.merchant,
    content: { mode: "live" },
    operator_id: sampleIds.operator,
    operator: "Ada",
    status: "waiting",
    created_at: "2026-11-21T09:00:00.000Z",
    expires_at: "2026-11-22T09:00:00.000Z"
  }
)
export type ApprovalResource = typeof ApprovalResource.Encoded

/** For endpoints that may need a second operator. */
export const needsApproval = enveloped(ApprovalResource).pipe(HttpApiSchema.status(202))

export const auditEntrySample = {
  object: "audit_entry",
  id: sampleIds.auditEntry,
  sequence: 41,
  created_at: "2026-11-21T09:29:40.117Z",
  actor_id: sampleIds.operator,
  actor: "Ada",
  role: "admin",
  ip: "203.0.113.7",
  request_id: sampleIds.request,
  act: "merchants.resetKey",
  phase: "done",
  target: `/operator/v1/merchants/${sampleIds.merchant}/keys/live/reset`,
  status: 200,
  details: {},
  previous_hash: "2b4c3b01a441bd7260f0a06e94c7c1301e0f2d4fc02148f04fb4c4e3b15c8dd7",
  hash: "9f0f7a3f6a1f6c1f3cf0cb5b8a4a0d0e5e7cf1d3a3a1e5d0b8f5d9a0c4e7b216"
} as const

export const AuditEntryResource = withExample(
  Schema.Struct({
    object: kind("audit_entry"),
    id: text("Number of the entry."),
    sequence: int("Its place in the chain, from 1."),
    created_at: instant("When it was written."),
    actor_id: text("Number of the operator or merchant; empty when unknown."),
    actor: text("The operator's name, or the merchant's number."),
    role: text("The operator's role, or `merchant`."),
    ip: orNull(Schema.String, "Address that the request came from."),
    request_id: text("Number of the request."),
    act: text("The act: `merchants.resetKey`."),
    phase: text(
      "`begun` before the action and `done` after it, with its status; `refused` if it was not allowed; `seen` " +
        "when a secret or a merchant's data was read, once an hour."
    ),
    target: text("The object of the action."),
    status: orNull(Schema.Int, "HTTP status of the answer, if there is one yet."),
    details: Schema.Record(Schema.String, Schema.Unknown).annotate({
      description: "The request, and the object before and after; no secrets."
    }),
    previous_hash: text("Hash of the previous entry; empty for the first."),
    hash: text("SHA-256 of this entry and the previous hash, in hex (docs/security.md).")
  }).annotate({ identifier: "AuditEntry", description: "One entry of the audit log." }),
  auditEntrySample
)
export type AuditEntryResource = typeof AuditEntryResource.Encoded

export const AuditLogQuery = Schema.Struct({
  ...ExportableQuery,
  actor_id: Schema.optionalKey(text("Actions of this operator or merchant.")),
  act: Schema.optionalKey(text("Only entries of this action.")),
  per: Schema.optionalKey(
    Schema.Literal("act").annotate({
      description:
        "`act`: one entry an action, the one after it with the request from the one before; an action without an " +
        "outcome yet has the one before."
    })
  ),
  target: Schema.optionalKey(
    text(
      "Actions on this object: the number of a merchant, an order, a refund, a payout or the like, or the " +
        "complete path of a request."
    )
  )
})
export type AuditLogQuery = typeof AuditLogQuery.Type

export class OperatorsGroup extends HttpApiGroup.make("operators")
  .add(
    HttpApiEndpoint.post("create", "/operator/v1/operators", {
      payload: CreateOperator,
      success: [
        enveloped(
          withExample(
            Schema.Struct({ ...resource, token: text("The operator's token, shown only this once.") }).annotate({
              description: "The operator and its token."
            }),
            { ...sample, token: `opt_${"x".repeat(43)}` }
          )
        ).pipe(HttpApiSchema.status(201)),
        needsApproval
      ],
      error: [Conflict, InvalidRequest]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Create an operator",
        description: "The token is shown once. 202: it needs two operators; the second one gets the token."
      })
    ),
    HttpApiEndpoint.get("list", "/operator/v1/operators", {
      query: Schema.Struct(ListQuery),
      success: listed(OperatorResource),
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List operators, newest first",
        description: "Without their tokens, which can't be read again."
      })
    ),
    HttpApiEndpoint.post("revoke", "/operator/v1/operators/:operator_id/revoke", {
      params: { operator_id: text("The operator's number.") },
      success: enveloped(OperatorResource),
      error: OperatorNotFound
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Revoke an operator's token",
        description: "It stops working immediately on all runners."
      })
    )
  )
  .middleware(Decoding)
  .middleware(OperatorToken)
  .annotate(OpenApi.Description, "Operators by name, and their tokens.") {}

export class ApprovalsGroup extends HttpApiGroup.make("approvals")
  .add(
    HttpApiEndpoint.get("list", "/operator/v1/approvals", { success: listed(ApprovalResource) }).annotateMerge(
      OpenApi.annotations({
        summary: "Requests that wait for a second operator, newest first",
        description:
          `At most ${approvalsMax}. A request leaves the list when another operator has sent the same, after a day, ` +
          "or when the operator who sent it has lost access."
      })
    )
  )
  .middleware(Decoding)
  .middleware(OperatorToken)
  .annotate(OpenApi.Description, "Requests that wait for a second operator.") {}

export class AuditLogGroup extends HttpApiGroup.make("audit_log")
  .add(
    HttpApiEndpoint.get("list", "/operator/v1/audit_log", {
      query: AuditLogQuery,
      success: listed(AuditEntryResource),
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Audit log, newest first",
        description:
          "Each action has two entries: one before it and one after it, or one with `per=act`. `format=csv` returns " +
          "a file."
      })
    )
  )
  .middleware(Decoding)
  .middleware(OperatorToken)
  .annotate(OpenApi.Description, "Actions of operators, and who did them.") {}
