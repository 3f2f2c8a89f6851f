/**
 * Lets an operator through whose token is valid and whose role may do what is asked, unless too many of the operators'
 * requests are in work (docs/architecture.md, section 7; silences: U12). Acts are written to the audit log, before and
 * after.
 */
import { CurrentOperator, OperatorToken } from "@coffer/contract/Caller"
import * as Wire from "@coffer/contract/Errors"
import { acts, type ActName, actOf, isSeen, mayDo } from "@coffer/rules/operator/acts"
import { Effect, Layer, Option, Redacted } from "effect"
import { addressParty } from "../http/addressParty.ts"
import { Admission } from "../http/Admission.ts"
import { CurrentRecord, type RequestRecord } from "../http/CurrentRequest.ts"
import { busy, refuseWith } from "../http/replies.ts"
import { AuditLog, type Entry } from "../operators/AuditLog.ts"
import { type Identity, Operators } from "../operators/Operators.ts"
import { parseJson } from "../platform/runtime/codecs.ts"
import { withoutDeadline } from "../platform/runtime/Deadline.ts"
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
        return yield* acts[act].isLogged ? logged(log, entry, record, handled) : handled
      })
    })
  })
)

const notValid = refuseWith(
  (request_id) => new Wire.InvalidApiKey({ message: "Send the operator token as Authorization: Bearer.", request_id })
)

type Who = Pick<Entry, "actor" | "act" | "target">

const entryOf = ({ name, operatorId, role }: Identity, act: ActName, { path }: RequestRecord): Who => ({
  actor: { id: operatorId, name, role },
  act,
  target: path
})

/** The merchant whose data is shown; else the path, such as that of a search. */
const shownTarget = ({ path }: RequestRecord): string => /\/merchants\/([^/]+)/.exec(path)?.[1] ?? path.slice(1)

/**
 * Both entries are written even if the client hangs up during the act. The exchange writes the second one, since it
 * alone knows the status: the framework wraps what a handler fails with before this middleware sees it.
 */
const logged = <A, E, R>(
  log: AuditLog["Service"],
  entry: Who,
  record: RequestRecord,
  handled: Effect.Effect<A, E, R>
) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      yield* log.write({ ...entry, phase: "begun", details: yield* bodyOf(record) })
      record.closeAct = (status) =>
        log.write({ ...entry, phase: "done", status, details: record.change ?? {} }).pipe(
          withoutDeadline,
          // The act is done. Its first entry stands, and its answer is true.
          Effect.catchCause((cause) =>
            Effect.logError("an act has no second entry in the audit log", entry.act, cause)
          ),
          Effect.provideService(CurrentRecord, record)
        )
      return yield* restore(handled)
    })
  )

/** The body, where it is JSON and not refused. A form with a file is not read here. */
const bodyOf = (record: RequestRecord) =>
  /json/i.test(record.sent["content-type"] ?? "")
    ? Effect.map(Effect.option(record.text), (text) => ({
        body: Option.getOrUndefined(Option.flatMap(text, parseJson))
      }))
    : Effect.succeed({})
