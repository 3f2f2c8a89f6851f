/**
 * Lets an operator through whose token is valid and whose role may do what is asked, unless too many of the operators'
 * requests are in work (docs/architecture.md, section 7; silences: U12). Acts are written to the audit log, before and
 * after.
 */
import { CurrentOperator, OperatorToken } from "@coffer/contract/Caller"
import * as Wire from "@coffer/contract/Errors"
import { acts, type ActName, actOf, hiddenIn, isSeen, mayDo } from "@coffer/rules/operator/acts"
import { Effect, Layer, Option, Redacted } from "effect"
import { addressParty } from "../http/addressParty.ts"
import { Admission } from "../http/Admission.ts"
import { CurrentRecord, type RequestRecord } from "../http/CurrentRequest.ts"
import { busy, refuseWith } from "../http/replies.ts"
import { AuditLog } from "../operators/AuditLog.ts"
import { type Identity, Operators } from "../operators/Operators.ts"
import { logged, type Who } from "./auditedAct.ts"
import { FailedCredentials } from "./FailedCredentials.ts"
import { kindOf } from "./Quotas.ts"

export const layer = Layer.effect(
  OperatorToken,
  Effect.gen(function* () {
    const operators = yield* Operators
    const admission = yield* Admission
    const log = yield* AuditLog
    const failed = yield* FailedCredentials

    return OperatorToken.of({
      bearer: Effect.fnUntraced(function* (httpEffect, { credential, endpoint, group }) {
        const record = yield* CurrentRecord
        const token = Redacted.value(credential)
        const bearer = operators.byToken(token)
        const { behind, ip } = record
        const from = addressParty(ip)
        const kind = kindOf(record)
        record.visit = bearer.isRecalled
          ? admission.enter({ group: "operator", party: "operator", kind, behind })
          : admission.enter({ group: "public", party: from, kind, behind })
        if (record.visit === undefined) return yield* busy
        if (!bearer.isRecalled) {
          if (yield* failed.isRemembered("operator", token)) return yield* notValid
          yield* failed.check("operator", record.ip)
        }
        const found = yield* bearer.operator
        if (Option.isNone(found)) {
          yield* failed.note("operator", record.ip, token, yield* bearer.hasEnded)
          return yield* notValid
        }
        const operator = found.value
        const act = actOf(group.identifier, endpoint.identifier)
        const entry = entryOf(operator, act, record)
        if (!mayDo(operator.role, act)) {
          yield* log.writeOnce({ ...entry, phase: "refused", status: 403 })
          return yield* refuseWith(
            (request_id) =>
              new Wire.Forbidden({ message: `A token of the role ${operator.role} may not do ${act}.`, request_id })
          )
        }
        if (isSeen(act)) yield* log.writeOnce({ ...entry, phase: "seen", target: shownTarget(record) })
        const handled = Effect.provideService(httpEffect, CurrentOperator, operator)
        return yield* acts[act].isLogged ? logged(log, entry, record, handled, hiddenIn(act)) : handled
      })
    })
  })
)

const notValid = refuseWith(
  (request_id) => new Wire.InvalidApiKey({ message: "Send the operator token as Authorization: Bearer.", request_id })
)

const entryOf = ({ name, operatorId, role }: Identity, act: ActName, { path }: RequestRecord): Who => ({
  actor: { id: operatorId, name, role },
  act,
  target: path
})

/** The merchant whose data is shown; else the path, such as that of a search. */
const shownTarget = ({ path }: RequestRecord): string => /\/merchants\/([^/]+)/.exec(path)?.[1] ?? path.slice(1)
