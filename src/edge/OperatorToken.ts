/**
 * Lets an operator through whose token is valid and whose role may do what is asked, unless too many of the operators'
 * requests are in work (docs/architecture.md, section 7; silences: U12). Under `/console/api/operator` the session of a
 * person who has a role of the installation stands for a token, and no token counts. Acts are written to the audit log,
 * before and after.
 */
import { CurrentOperator, OperatorToken } from "@coffer/contract/Caller"
import * as Wire from "@coffer/contract/Errors"
import { acts, type ActName, actOf, hiddenIn, isSeen, mayDo } from "@coffer/rules/operator/acts"
import { installation } from "@coffer/model/PersonRole"
import { Role } from "@coffer/model/Role"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { addressParty } from "../http/addressParty.ts"
import { Admission } from "../http/Admission.ts"
import { CurrentRecord, type RequestRecord } from "../http/CurrentRequest.ts"
import { busy, refuseWith } from "../http/replies.ts"
import { makeCookies } from "../people/cookies.ts"
import { SignIn } from "../people/SignIn.ts"
import { Settings } from "../platform/runtime/Settings.ts"
import { AuditLog } from "../operators/AuditLog.ts"
import { type Identity, Operators } from "../operators/Operators.ts"
import { logged, type Who } from "./auditedAct.ts"
import { FailedCredentials } from "./FailedCredentials.ts"
import { forbidden, makeIsFromConsole, notFromConsole, notSignedIn, registerFirst } from "./PersonSession.ts"
import { kindOf } from "./PublicAdmission.ts"

export const layer = Layer.effect(
  OperatorToken,
  Effect.gen(function* () {
    const operators = yield* Operators
    const admission = yield* Admission
    const log = yield* AuditLog
    const failed = yield* FailedCredentials

    const cookiesOf = makeCookies(yield* Settings)
    const isFromConsole = yield* makeIsFromConsole
    const signIn = yield* SignIn

    const enter = (record: RequestRecord, isRecalled: boolean) => {
      const { behind, ip } = record
      const kind = kindOf(record)
      record.visit = isRecalled
        ? admission.enter({ group: "operator", party: "operator", kind, behind })
        : admission.enter({ group: "public", party: addressParty(ip), kind, behind })
      return record.visit === undefined ? busy : Effect.void
    }
    const byToken = Effect.fnUntraced(function* (record: RequestRecord, token: string) {
      const bearer = operators.byToken(token)
      yield* enter(record, bearer.isRecalled)
      // A token that is nobody's is not looked up again, and an address that sends many is refused before.
      if (!bearer.isRecalled) {
        if (yield* failed.isRemembered("operator", token)) return yield* notValid
        yield* failed.check("operator", record.ip)
      }
      const found = yield* bearer.operator
      if (Option.isSome(found)) return found.value
      yield* failed.note("operator", record.ip, token, yield* bearer.hasEnded)
      return yield* notValid
    })

    /** A person is one operator, in however many sessions. */
    const bySession = Effect.fnUntraced(function* (record: RequestRecord) {
      yield* enter(record, false)
      if (!isFromConsole(record)) return yield* notFromConsole
      const secret = Option.getOrUndefined(cookiesOf(record).read(record.sent["cookie"], "session"))
      if (secret === undefined) return yield* notSignedIn
      if (yield* failed.isRemembered("operator", secret)) return yield* notSignedIn
      yield* failed.check("operator", record.ip)
      const found = yield* signIn.bySecret(secret)
      if (Option.isNone(found)) {
        yield* failed.note("operator", record.ip, secret)
        return yield* notSignedIn
      }
      const { needsPasskey, person } = found.value
      if (needsPasskey) return yield* forbidden(registerFirst)
      const role = person.roles.find(({ belongs_to }) => belongs_to === installation)?.role
      if (!Schema.is(Role)(role)) return yield* forbidden("You have no role of this installation.")
      return { operatorId: person.person_id, name: person.email, role, personIds: [person.person_id] }
    })

    return OperatorToken.of({
      bearer: Effect.fnUntraced(function* (httpEffect, { credential, endpoint, group }) {
        const record = yield* CurrentRecord
        const operator = yield* record.isOfOperatorsPage === true
          ? bySession(record)
          : byToken(record, Redacted.value(credential))
        const act = actOf(group.identifier, endpoint.identifier)
        const entry = entryOf(operator, act, record)
        if (!mayDo(operator.role, act)) {
          yield* log.writeOnce({ ...entry, phase: "refused", status: 403 })
          return yield* forbidden(`The role ${operator.role} may not do ${act}.`)
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

const entryOf = ({ name, operatorId, role }: Identity, act: ActName, record: RequestRecord): Who => ({
  actor: { id: operatorId, name, role },
  act,
  target:
    record.isOfOperatorsPage === true ? `/console/api/operator${record.path.slice("/operator/v1".length)}` : record.path
})

/** The merchant whose data is shown; else the path, such as that of a search. */
const shownTarget = ({ path }: RequestRecord): string => /\/merchants\/([^/]+)/.exec(path)?.[1] ?? path.slice(1)
