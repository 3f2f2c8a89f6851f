/**
 * Handlers of the operator's `operators`, `approvals` and `audit_log` groups (docs/architecture.md, section 7), and of
 * the console's `audit_log`.
 */
import { CurrentOperator } from "@coffer/contract/Caller"
import { OperatorApi } from "@coffer/contract/Operator"
import { approvalsMax, AuditEntryResource } from "@coffer/contract/Operators"
import { Effect, Layer, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { replyCsv } from "../../shared/http/csv.ts"
import { consoleGroup, forbidden } from "../../shared/http/granting.ts"
import { commonRefusals } from "../../shared/http/refusals.ts"
import { reply, replyList } from "../../shared/http/replies.ts"
import { span } from "../../platform/runtime/span.ts"
import { approvalView, JustDone, NeedsSecondOperator } from "./approvals.ts"
import { AuditLog } from "./AuditLog.ts"
import { auditEntryView, merchantEntryView } from "./AuditLogView.ts"
import { operatorRefusals } from "./operatorRefusals.ts"
import { Operators } from "./Operators.ts"
import { operatorView } from "./OperatorView.ts"
import { SecondOperator } from "./SecondOperator.ts"

const { InvalidField } = commonRefusals
const { OperatorNotFound } = operatorRefusals

const operators = HttpApiBuilder.group(
  OperatorApi,
  "operators",
  Effect.fnUntraced(function* (handlers) {
    const operators = yield* Operators
    const second = yield* SecondOperator

    return handlers.handleAll({
      create: span("operators.create")(function* ({ payload }) {
        yield* operators.check(payload)
        const by = yield* CurrentOperator
        // The first admin of an installation has no second operator.
        const first = payload.role === "admin" ? yield* operators.createFirst(payload, by) : Option.none()
        if (Option.isNone(first)) {
          yield* second.confirm({ act: "operators.create", target: payload.name, content: payload })
        }
        const made = Option.isSome(first) ? first : yield* operators.create(payload, by)
        if (Option.isNone(made)) return yield* forbidden("You may not do this any more.")
        const { operator, token } = made.value
        return yield* reply({ ...operatorView(operator), token }, 201)
      }, Effect.catchTags({ InvalidField, JustDone, NeedsSecondOperator })),

      list: span("operators.list")(function* ({ query }) {
        return yield* replyList("operator", "/operator/v1/operators", yield* operators.list(query), operatorView)
      }, Effect.catchTags({ InvalidField })),

      revoke: span("operators.revoke")(function* ({ params }) {
        return yield* reply(operatorView(yield* operators.revoke(params.operator_id)))
      }, Effect.catchTags({ OperatorNotFound }))
    })
  })
)

const approvals = HttpApiBuilder.group(
  OperatorApi,
  "approvals",
  Effect.fnUntraced(function* (handlers) {
    const second = yield* SecondOperator

    return handlers.handleAll({
      list: span("approvals.list")(function* () {
        const found = yield* second.waiting(approvalsMax + 1)
        const page = { data: found.slice(0, approvalsMax), hasMore: found.length > approvalsMax }
        return yield* replyList("approval", "/operator/v1/approvals", page, approvalView)
      })
    })
  })
)

const auditLog = HttpApiBuilder.group(
  OperatorApi,
  "audit_log",
  Effect.fnUntraced(function* (handlers) {
    const log = yield* AuditLog

    return handlers.handleAll({
      list: span("audit_log.list")(function* ({ query }) {
        if (query.format === "csv") {
          return yield* replyCsv("audit_log", AuditEntryResource, yield* log.exported(query), auditEntryView)
        }
        return yield* replyList("audit_entry", "/operator/v1/audit_log", yield* log.page(query), auditEntryView)
      }, Effect.catchTags({ InvalidField }))
    })
  })
)

const merchantAuditLog = consoleGroup(
  "audit_log",
  Effect.fnUntraced(function* (handlers) {
    const log = yield* AuditLog

    return handlers.handleAll({
      list: span("audit_log.listOfMerchant")(function* ({ params: { merchant_id }, query }) {
        const url = `/console/api/merchants/${merchant_id}/audit_log`
        return yield* replyList("merchant_audit_entry", url, yield* log.pageOf(merchant_id, query), merchantEntryView)
      }, Effect.catchTags({ InvalidField }))
    })
  })
)

export const layer = Layer.mergeAll(operators, approvals, auditLog)
export const layerConsole = merchantAuditLog
