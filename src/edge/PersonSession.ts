/**
 * Lets a person through who is signed in and whose role may do what is asked (docs/security.md). Calls of the console
 * without a session are counted by the client's address, and so are sessions that do not exist. Acts are written to
 * the audit log, before and after.
 */
import { ConsoleGuest, CurrentPerson, PersonSession } from "@coffer/contract/Caller"
import * as Wire from "@coffer/contract/Errors"
import {
  type ConsoleActName,
  consoleActOf,
  consoleActs,
  hiddenFrom,
  isFresh,
  isOfClosed,
  isOpen,
  ofWhom,
  personMayDo
} from "@coffer/rules/people/consoleActs"
import { closedProblem } from "@coffer/rules/operator/closing"
import { freshFor, triesAMinute } from "@coffer/rules/people/signIn"
import type { PersonRole } from "@coffer/model/PersonRole"
import { DateTime, Duration, Effect, Layer, Option } from "effect"
import { addressParty } from "../http/addressParty.ts"
import { Admission } from "../http/Admission.ts"
import { CurrentRecord, type RequestRecord } from "../http/CurrentRequest.ts"
import { busy, refuseWith } from "../http/replies.ts"
import { Merchants } from "../merchants/Merchants.ts"
import { AuditLog } from "../operators/AuditLog.ts"
import { makeConsoleUrl, makeCookies } from "../people/cookies.ts"
import { signedInView } from "../people/peopleViews.ts"
import { SignIn, type SignedIn } from "../people/SignIn.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { Settings } from "../platform/runtime/Settings.ts"
import { logged, type Who } from "./auditedAct.ts"
import { FailedCredentials } from "./FailedCredentials.ts"
import { kindOf, makeLimitOfVisitors } from "./PublicAdmission.ts"

/**
 * A page of another site can send neither this header nor, by `SameSite`, the cookie. Its browser says where a write
 * comes from.
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
      message: "Send the header Coffer-Console: 1, and the Origin of the console with each write.",
      request_id
    })
)
export const notSignedIn = refuseWith(
  (request_id) => new Wire.InvalidApiKey({ message: "Sign in: there is no session, or it has ended.", request_id })
)

/** Everything of the console is work of the client's address, like a page. */
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
        yield* limit("sign in", triesAMinute, "Too many tries to sign in from this address.")
        return yield* httpEffect
      })
    )
  })
)

/** The person whose session a request of the console brings. */
export const makeSignedIn = Effect.gen(function* () {
  const signIn = yield* SignIn
  const enter = yield* makeEnter
  const isFromConsole = yield* makeIsFromConsole
  const cookiesOf = makeCookies(yield* Settings)
  const failed = yield* FailedCredentials

  return Effect.fnUntraced(function* (record: RequestRecord) {
    if (!enter(record)) return yield* busy
    if (!isFromConsole(record)) return yield* notFromConsole
    const secret = Option.getOrUndefined(cookiesOf(record).read(record.sent["cookie"], "session"))
    // A secret that is nobody's is not looked up again, and an address that sends many is refused before.
    if (secret === undefined || (yield* failed.isRemembered("person", secret))) return yield* notSignedIn
    yield* failed.check("person", record.ip)
    const found = yield* signIn.bySecret(secret)
    if (Option.isSome(found)) return found.value
    yield* failed.note("person", record.ip, secret)
    return yield* notSignedIn
  })
})

export const layer = Layer.effect(
  PersonSession,
  Effect.gen(function* () {
    const signedInOf = yield* makeSignedIn
    const log = yield* AuditLog
    const merchants = yield* Merchants

    /** A merchant that there is not has nobody with a role. */
    const closed = (act: ConsoleActName, { path }: RequestRecord) =>
      typeof ofWhom(act) === "string"
        ? Effect.undefined
        : Effect.map(Effect.all([Effect.option(merchants.find(merchantIn(path))), currentTime]), ([found, now]) =>
            Option.isNone(found) ? undefined : closedProblem(found.value.closed_at, now, isOfClosed(act))
          )

    return PersonSession.of(
      Effect.fnUntraced(function* (httpEffect, { endpoint, group }) {
        const record = yield* CurrentRecord
        const signedIn = yield* signedInOf(record)
        const act = consoleActOf(group.identifier, endpoint.identifier)
        const role = roleFor(signedIn, act, record)
        if (role === undefined) {
          return yield* refuseWith(
            (request_id) => new Wire.MerchantNotFound({ message: "You have no role at this merchant.", request_id })
          )
        }
        const entry = entryOf(signedIn, role, act, record)
        if (!personMayDo(role as PersonRole, act)) {
          yield* log.writeOnce({ ...entry, phase: "refused", status: 403 })
          return yield* forbidden(`The role ${role} may not do ${act}.`)
        }
        const isClosed = yield* closed(act, record)
        if (isClosed !== undefined) return yield* forbidden(isClosed)
        const tooEarly = yield* refusedSession(signedIn, act)
        if (tooEarly !== undefined) return yield* forbidden(tooEarly)
        const { person_id: personId } = signedIn.person
        const { session_id: sessionId } = signedIn.session
        const shown = signedInView(signedIn)
        const handled = Effect.provideService(httpEffect, CurrentPerson, { personId, sessionId, shown })
        return yield* consoleActs[act].isLogged ? logged(log, entry, record, handled, hiddenFrom(act)) : handled
      })
    )
  })
)

export const forbidden = (message: string) => refuseWith((request_id) => new Wire.Forbidden({ message, request_id }))

export const registerFirst = "This installation demands a passkey: register one first."

/** The reason why this session may not do it; undefined if it may. */
const refusedSession = ({ needsPasskey, session }: SignedIn, act: ConsoleActName) =>
  Effect.map(currentTime, (now) => {
    if (needsPasskey && !isOpen(act)) return registerFirst
    return isFresh(act) && Duration.isGreaterThan(DateTime.distance(session.created_at, now), freshFor)
      ? "This session is older than 15 minutes. Sign in again for that."
      : undefined
  })

const merchantIn = (path: string): string => /\/merchants\/([^/]+)/.exec(path)?.[1] ?? ""

/** `person`: it is about the person alone. Undefined: no role at the merchant that the path names. */
const roleFor = ({ person }: SignedIn, act: ConsoleActName, { path }: RequestRecord): string | undefined => {
  if (typeof ofWhom(act) === "string") return "person"
  return roleAt(person, merchantIn(path))
}

export const roleAt = ({ roles }: SignedIn["person"], merchantId: string | undefined) =>
  roles.find(({ belongs_to }) => belongs_to === merchantId)?.role

/** `act`: of the console's own table, or an operation of `/v1`. */
export const entryOf = ({ person }: SignedIn, role: string, act: string, { path }: RequestRecord): Who => ({
  actor: { id: person.person_id, name: person.email, role },
  act: `console:${act}`,
  target: path
})
