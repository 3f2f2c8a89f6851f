/**
 * Lets an operator through whose token is valid and whose role may do what is asked, unless too many of the operators'
 * requests are in work (docs/architecture.md, section 7; silences: U12). Acts are written to the audit log, before and
 * after.
 */
import { CurrentOperator, OperatorToken } from "@coffer/contract/Caller"
import * as Wire from "@coffer/contract/Errors"
import { acts, type ActName, actOf, mayDo } from "@coffer/rules/operator/acts"
import { Cause, Effect, Exit, Layer, Option, Redacted } from "effect"
import type { HttpServerResponse } from "effect/http"
import { addressParty } from "../http/addressParty.ts"
import { Admission } from "../http/Admission.ts"
import { CurrentRecord, type RequestRecord } from "../http/CurrentRequest.ts"
import { busy, isRefusal, refuseWith } from "../http/replies.ts"
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
          yield* failed.note("operator", record.ip, token)
          return yield* notValid
        }
        const operator = found.value
        const act = actOf(group.identifier, endpoint.identifier)
        const entry = entryOf(operator, act, record)
        if (!mayDo(operator.role, act)) {
          yield* log.write({ ...entry, phase: "refused", status: 403 })
          return yield* refuseWith(
            (request_id) =>
              new Wire.Forbidden({ message: `A token of the role ${operator.role} may not do ${act}.`, request_id })
          )
        }
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

/** Both entries are written even if the client hangs up during the act. */
const logged = <E, R>(
  log: AuditLog["Service"],
  entry: Who,
  record: RequestRecord,
  handled: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      yield* log.write({ ...entry, phase: "begun", details: yield* askedFor(record) })
      const exit = yield* Effect.exit(restore(handled))
      yield* log.write({ ...entry, phase: "done", status: statusOf(exit), details: record.change ?? {} }).pipe(
        withoutDeadline,
        // The act is done. Its first entry stands, and its answer is true.
        Effect.catchCause((cause) => Effect.logError("an act has no second entry in the audit log", entry.act, cause))
      )
      return yield* exit
    })
  )

/** The body, where it is JSON and not refused. A form with a file is not read here. */
const askedFor = (record: RequestRecord) =>
  /json/i.test(record.sent["content-type"] ?? "")
    ? Effect.map(Effect.option(record.text), (text) => ({
        body: Option.getOrUndefined(Option.flatMap(text, parseJson))
      }))
    : Effect.succeed({})

const statusOf = <E>(exit: Exit.Exit<HttpServerResponse.HttpServerResponse, E>): number => {
  if (Exit.isSuccess(exit)) return exit.value.status
  // The client has left, or was told to come back: nobody knows what was done.
  if (Cause.hasInterruptsOnly(exit.cause)) return 503
  const error = Option.getOrUndefined(Exit.findErrorOption(exit))
  return isRefusal(error) ? error.code : 500
}
