/**
 * Authentication and authorization of people. The console's door requires a session and a role with the right. The
 * operator API's door requires a valid token and a role with the right, and sheds requests when too many operators'
 * requests are under way (docs/architecture.md, section 7; docs/security.md; silences: U12). Calls without a valid
 * session or token are counted by the client's address; all others by caller (`countedCalls.ts`). Acts are written to
 * the audit log, before and after.
 */
import * as Wire from "@coffer/contract/Errors"
import { ConsoleGuest, CurrentOperator, CurrentPerson, OperatorToken, PersonSession } from "@coffer/contract/Caller"
import { consoleAct, type ConsoleActName, operatorAct, type OperatorActName } from "@coffer/contract/acts"
import { isForFresh, mayDo, personMayDo } from "@coffer/rules/people/mayDo"
import { standingProblem } from "@coffer/rules/operator/standing"
import { triesAMinute } from "@coffer/rules/people/signIn"
import { installation, type PersonRole } from "@coffer/model/PersonRole"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { addressParty } from "../../shared/http/addressParty.ts"
import { Admission } from "../../shared/http/Admission.ts"
import { CurrentRecord, type RequestRecord } from "../../shared/http/CurrentRequest.ts"
import { forbidden, isFreshNow, tooOld } from "../../shared/http/granting.ts"
import { busy, refuseWith } from "../../shared/http/replies.ts"
import { Merchants } from "../../access/merchants/Merchants.ts"
import { AuditLog } from "../../access/operators/AuditLog.ts"
import { makeConsoleUrl, makeCookies } from "../../access/people/cookies.ts"
import { signedInView } from "../../access/people/peopleViews.ts"
import { type SignedIn, SignIn } from "../../access/people/SignIn.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { logAct, type Who } from "./auditedAct.ts"
import { makeOfCaller as makeCountOfCaller } from "./countedCalls.ts"
import { tokenProblem } from "./keyProblem.ts"
import { FailedCredentials, kindOf, makeLimitOfVisitors } from "./PublicAdmission.ts"
import { Role } from "@coffer/model/Role"
import { type Identity, Operators } from "../../access/operators/Operators.ts"

/**
 * CSRF: a page of another site can send neither this header nor, by `SameSite`, the cookie, and its browser sends the
 * origin of a write.
 */
export const makeIsFromConsole = Effect.map(Settings, (settings) => {
  const urlOf = makeConsoleUrl(settings)
  return (record: RequestRecord): boolean => {
    const { method, sent } = record
    const { origin } = new URL(urlOf(record))
    return (
      sent["coffer-console"] === "1" &&
      (sent["origin"] === origin || (sent["origin"] === undefined && (method === "GET" || method === "HEAD"))) &&
      (sent["sec-fetch-site"] ?? "same-origin") === "same-origin"
    )
  }
})

export const notFromConsole = refuseWith(
  (request_id) =>
    new Wire.Forbidden({
      message: "Send the header Coffer-Console: 1 and, with writes, the console's Origin.",
      request_id
    })
)
export const notSignedIn = refuseWith(
  (request_id) => new Wire.InvalidApiKey({ message: "Sign in: there is no session, or it has expired.", request_id })
)

/** All calls of the console take room of the client's address, like a page. */
const makeEnter = Effect.map(Admission, (admission) => (record: RequestRecord): boolean => {
  const { behind, ip } = record
  record.visit = admission.enter({ group: "public", party: addressParty(ip), kind: kindOf(record), behind })
  return record.visit !== undefined
})

export const layerGuest = Layer.effect(
  ConsoleGuest,
  Effect.gen(function* () {
    const enter = yield* makeEnter
    const isFromConsole = yield* makeIsFromConsole
    const limit = yield* makeLimitOfVisitors

    return ConsoleGuest.of(
      Effect.fnUntraced(function* (httpEffect) {
        const record = yield* CurrentRecord
        if (!enter(record)) return yield* busy
        if (!isFromConsole(record)) return yield* notFromConsole
        yield* limit("sign in", triesAMinute, "Too many sign-in attempts from this address.")
        return yield* httpEffect
      })
    )
  })
)

/** The person of a console request's session. */
export const makeSignedIn = Effect.gen(function* () {
  const signIn = yield* SignIn
  const enter = yield* makeEnter
  const isFromConsole = yield* makeIsFromConsole
  const cookiesOf = makeCookies(yield* Settings)
  const failed = yield* FailedCredentials
  const count = yield* makeCountOfCaller

  return Effect.fnUntraced(function* (record: RequestRecord) {
    if (!enter(record)) return yield* busy
    if (!isFromConsole(record)) return yield* notFromConsole
    const secret = Option.getOrUndefined(cookiesOf(record).read(record.sent["cookie"], "session"))
    // An unknown session is not looked up again, and an address that sends many is refused before.
    if (secret === undefined || (yield* failed.isRemembered("person", secret))) return yield* notSignedIn
    yield* failed.check("person", record.ip)
    const found = yield* signIn.bySecret(secret)
    if (Option.isNone(found)) {
      yield* failed.note("person", record.ip, secret)
      return yield* notSignedIn
    }
    yield* count(record, "person", found.value.person.person_id)
    return found.value
  })
})

export const layerPerson = Layer.effect(
  PersonSession,
  Effect.gen(function* () {
    const signedInOf = yield* makeSignedIn
    const log = yield* AuditLog
    const merchants = yield* Merchants

    /** For an unknown merchant no person has a role. */
    const problemAt = (act: ConsoleActName, { params }: RequestRecord) =>
      typeof consoleAct(act).by === "string"
        ? Effect.undefined
        : Effect.map(
            Effect.all([Effect.option(merchants.find(params["merchant_id"] ?? "")), currentTime]),
            ([found, now]) =>
              Option.isNone(found) ? undefined : standingProblem(found.value, now, consoleAct(act).state ?? "new")
          )

    return PersonSession.of(
      Effect.fnUntraced(function* (httpEffect, { endpoint, group }) {
        const record = yield* CurrentRecord
        const signedIn = yield* signedInOf(record)
        const act = `${group.identifier}.${endpoint.identifier}` as ConsoleActName
        const role = roleFor(signedIn, act, record)
        if (role === undefined) {
          return yield* refuseWith(
            (request_id) => new Wire.MerchantNotFound({ message: "You have no role at this merchant.", request_id })
          )
        }
        const entry = entryOf(signedIn, role, act, record)
        if (!personMayDo(role as PersonRole, act)) {
          yield* log.writeOnce({ ...entry, phase: "refused", status: 403 })
          return yield* forbidden(`The role ${role} can't do ${act}.`)
        }
        const problem = yield* problemAt(act, record)
        if (problem !== undefined) return yield* forbidden(problem)
        const tooEarly = yield* refusedSession(signedIn, act)
        if (tooEarly !== undefined) return yield* forbidden(tooEarly)
        const { person_id: personId } = signedIn.person
        const { session_id: sessionId } = signedIn.session
        const shown = signedInView(signedIn)
        const handled = Effect.provideService(httpEffect, CurrentPerson, { personId, sessionId, shown })
        const { hidesWords, isLogged } = consoleAct(act)
        return yield* isLogged ? logAct(log, entry, record, handled, hidesWords) : handled
      })
    )
  })
)

export const registerFirst = "A passkey is required here: register one first."

/** Why this session may not perform the act; undefined if it may. */
const refusedSession = ({ needsPasskey, session }: SignedIn, act: ConsoleActName) =>
  Effect.map(isFreshNow(session.created_at), (isNew) => {
    if (needsPasskey && consoleAct(act).isOpen !== true) return registerFirst
    return isForFresh(consoleAct(act).fresh) && !isNew ? tooOld : undefined
  })

/** `person`: an act of the person alone. Undefined: no role at the merchant of the path. */
const roleFor = ({ person }: SignedIn, act: ConsoleActName, { params }: RequestRecord): string | undefined => {
  if (typeof consoleAct(act).by === "string") return "person"
  return roleAt(person, params["merchant_id"])
}

export const roleAt = ({ roles }: SignedIn["person"], merchantId: string | undefined) =>
  roles.find(({ belongs_to }) => belongs_to === merchantId)?.role

/** `act`: of the console's own table, or an operation of `/v1`. */
export const entryOf = ({ person }: SignedIn, role: string, act: string, { path }: RequestRecord): Who => ({
  actor: { id: person.person_id, name: person.email, role },
  act: `console:${act}`,
  target: path
})

// An operator --------------------------------------------------------------------
// Under `/console/api/operator` the session of a person with a role of the installation replaces a token, and tokens
// are not accepted.

export const layerOperator = Layer.effect(
  OperatorToken,
  Effect.gen(function* () {
    const operators = yield* Operators
    const admission = yield* Admission
    const log = yield* AuditLog
    const failed = yield* FailedCredentials

    const cookiesOf = makeCookies(yield* Settings)
    const isFromConsole = yield* makeIsFromConsole
    const signIn = yield* SignIn
    const count = yield* makeCountOfCaller

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
      // An unknown token is not looked up again, and an address that sends many is refused before.
      if (!bearer.isRecalled) {
        if (yield* failed.isRemembered("operator", token)) return yield* notValid(record)
        yield* failed.check("operator", record.ip)
      }
      const found = yield* bearer.operator
      if (Option.isSome(found)) return found.value
      yield* failed.note("operator", record.ip, token, yield* bearer.hasEnded)
      return yield* notValid(record)
    })

    /** A person is one operator, in however many sessions. */
    const bySession = Effect.fnUntraced(function* (record: RequestRecord, act: OperatorActName) {
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
      const { needsPasskey, person, session } = found.value
      if (needsPasskey) return yield* forbidden(registerFirst)
      const role = person.roles.find(({ belongs_to }) => belongs_to === installation)?.role
      if (!Schema.is(Role)(role)) return yield* forbidden("You have no operator role.")
      if (mayDo(role, act) && isForFresh(operatorAct(act).fresh) && !(yield* isFreshNow(session.created_at)))
        return yield* forbidden(tooOld)
      const { person_id: personId } = person
      return {
        operatorId: personId,
        name: person.email,
        role,
        personIds: [personId],
        sessionId: session.session_id,
        openedAt: session.created_at
      }
    })

    return OperatorToken.of({
      bearer: Effect.fnUntraced(function* (httpEffect, { credential, endpoint, group }) {
        const record = yield* CurrentRecord
        const act = `${group.identifier}.${endpoint.identifier}` as OperatorActName
        const operator = yield* record.isOfOperatorsPage === true
          ? bySession(record, act)
          : byToken(record, Redacted.value(credential))
        yield* count(record, "operator", operator.operatorId)
        const entry = operatorEntryOf(operator, act, record)
        if (!mayDo(operator.role, act)) {
          yield* log.writeOnce({ ...entry, phase: "refused", status: 403 })
          return yield* forbidden(`The role ${operator.role} can't do ${act}.`)
        }
        const { hidesWords, isLogged, isSeen } = operatorAct(act)
        if (isSeen === true) yield* log.writeOnce({ ...entry, phase: "seen", target: shownTarget(record) })
        const handled = Effect.provideService(httpEffect, CurrentOperator, operator)
        return yield* isLogged ? logAct(log, entry, record, handled, hidesWords) : handled
      })
    })
  })
)

const notValid = ({ sent }: RequestRecord) =>
  refuseWith((request_id) => new Wire.InvalidApiKey({ message: tokenProblem(sent["authorization"]), request_id }))

const operatorEntryOf = ({ name, operatorId, role }: Identity, act: OperatorActName, record: RequestRecord): Who => ({
  actor: { id: operatorId, name, role },
  act,
  target:
    record.isOfOperatorsPage === true ? `/console/api/operator${record.path.slice("/operator/v1".length)}` : record.path
})

/** The merchant whose data is shown; otherwise the path, for example for a search. */
const shownTarget = ({ params, path }: RequestRecord): string => params["merchant_id"] ?? path.slice(1)
