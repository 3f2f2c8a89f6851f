/** Handlers about signing in: the console's `sign_in`, `session` and `passkeys` groups. */
import { isoText } from "@coffer/model/isoText"
import { CurrentPerson } from "@coffer/contract/Caller"
import { Effect, Layer, Option } from "effect"
import { consoleGroup } from "../../shared/http/granting.ts"
import { CurrentRecord } from "../../shared/http/CurrentRequest.ts"
import { reply, replyList } from "../../shared/http/replies.ts"
import { AuditLog } from "../operators/AuditLog.ts"
import { storableText } from "../../platform/postgres/storable.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import { makeConsoleUrl, makeCookies } from "./cookies.ts"
import { type Identity, OpenId } from "./OpenId.ts"
import { People } from "./People.ts"
import { UnknownPerson } from "./peopleProblems.ts"
import { PasskeyNotValid, Passkeys } from "./Passkeys.ts"
import { peopleRefusals } from "./peopleRefusals.ts"
import { passkeyView, sessionView, signedInView } from "./peopleViews.ts"
import { type Browser, type Opened, SignIn } from "./SignIn.ts"

const { LinkNotValid, OpenIdFailed, PasskeyConflict, PasskeyNotFound, PasskeyRequired, SessionNotFound } =
  peopleRefusals

/** Cookies for the browser that asks. */
const cookies = Effect.map(Settings, (settings) => {
  const cookiesOf = makeCookies(settings)
  type Cookies = ReturnType<typeof cookiesOf>
  const set = (...change: Parameters<Cookies["set"]>) =>
    Effect.map(CurrentRecord, (record) => cookiesOf(record).set(...change))
  const clear = (...change: Parameters<Cookies["clear"]>) =>
    Effect.map(CurrentRecord, (record) => cookiesOf(record).clear(...change))
  const kept = Effect.map(CurrentRecord, (record) => cookiesOf(record).read(record.sent["cookie"], "browser"))
  return { set, clear, kept }
})

const browserOf = Effect.gen(function* () {
  const { ip, sent } = yield* CurrentRecord
  const secret = Option.getOrUndefined(yield* (yield* cookies).kept)
  return { ip, userAgent: sent["user-agent"] ?? "", secret } satisfies Browser
})

/** The answer to a browser whose session was just opened. The body of the request, a secret, is not in the entry. */
const makeWelcome = Effect.gen(function* () {
  const log = yield* AuditLog
  const { set } = yield* cookies
  return Effect.fnUntraced(function* (opened: Opened, act: string, details: object = {}) {
    const { person_id: id, email: name } = opened.person
    yield* log.write({
      actor: { id, name, role: "person" },
      act: `console:${act}`,
      phase: "done",
      target: opened.session.session_id,
      status: 201,
      details: opened.accepted === undefined ? details : { ...details, accepted: opened.accepted }
    })
    return yield* set(yield* reply({ object: "signed_in", ...signedInView(opened) }, 201), "session", opened.secret)
  })
})

/** The person of an OpenID provider's answer. The claim may change roles, so it is in the audit log before that. */
const makeKnown = Effect.gen(function* () {
  const people = yield* People
  const log = yield* AuditLog
  return Effect.fnUntraced(function* (identity: Identity) {
    const { email, issuer, subject: target } = identity
    const entry = { act: "console:sign_in.useOpenId", target }
    const details = { issuer, email: Option.getOrNull(email) }
    yield* log.write({ ...entry, phase: "begun", details })
    return yield* Effect.tapError(people.byIdentity(identity), ({ why }) =>
      log.writeOnce({ ...entry, phase: "refused", status: 403, details: { ...details, why } })
    )
  })
})

const signIn = consoleGroup(
  "sign_in",
  Effect.fnUntraced(function* (handlers) {
    const signIn = yield* SignIn
    const passkeys = yield* Passkeys
    const secrets = yield* Secrets
    const log = yield* AuditLog
    const welcome = yield* makeWelcome
    const openId = yield* OpenId
    const known = yield* makeKnown
    const { kept, set } = yield* cookies
    const urlOf = makeConsoleUrl(yield* Settings)
    const here = Effect.map(CurrentRecord, urlOf)

    const keptOrNone = Effect.map(
      kept,
      Option.getOrElse(() => "")
    )
    /** The secret in the browser's cookie, which it gets unless it has one. */
    const browserSecret = Effect.flatMap(kept, (found) =>
      Option.isSome(found) ? Effect.succeed(found.value) : secrets.random(32)
    )
    /** An invalid answer of a known passkey may be a copy, or an attack. */
    const noteFailed = ({ passkey, why }: PasskeyNotValid) =>
      passkey === undefined
        ? Effect.void
        : log.writeOnce({
            actor: { id: passkey.person_id, name: "", role: "person" },
            act: "console:sign_in.usePasskey",
            phase: "refused",
            target: passkey.passkey_id,
            status: 400,
            details: { why }
          })

    return handlers.handleAll({
      ask: span("sign_in.ask")(function* ({ payload }) {
        const browser = yield* browserSecret
        const { ip } = yield* CurrentRecord
        const expiresAt = yield* signIn.ask(payload.email, { ip, secret: browser }, yield* here)
        const answer = yield* reply({ object: "sign_in_request", expires_at: isoText(expiresAt) }, 202)
        return yield* set(answer, "browser", browser)
      }),

      use: span("sign_in.use")(function* ({ payload }) {
        const opened = yield* signIn.use(payload.token, yield* browserOf)
        return yield* welcome(opened, "sign_in.use")
      }, Effect.catchTags({ LinkNotValid, PasskeyRequired })),

      askPasskey: span("sign_in.askPasskey")(function* () {
        const browser = yield* browserSecret
        const options = yield* passkeys.askToSignIn(browser, yield* here)
        return yield* set(yield* reply({ object: "passkey_options", options }), "browser", browser)
      }, Effect.catchTags({ PasskeyConflict })),

      usePasskey: span("sign_in.usePasskey")(
        function* ({ payload }) {
          const { passkey_id: passkeyId, person_id } = yield* passkeys.signIn(payload.credential, yield* keptOrNone)
          const opened = yield* signIn.openBy(person_id, { way: "passkey", passkeyId }, yield* browserOf)
          return Option.isSome(opened)
            ? yield* welcome(opened.value, "sign_in.usePasskey")
            : yield* new PasskeyNotValid({ why: "the person has no role" })
        },
        Effect.tapErrorTag("PasskeyNotValid", noteFailed),
        // A passkey needs no second factor.
        Effect.catchTags({ PasskeyNotValid: peopleRefusals.PasskeyNotValid, PasskeyRequired: Effect.die })
      ),

      askOpenId: span("sign_in.askOpenId")(function* () {
        const browser = yield* browserSecret
        const url = yield* openId.begin(browser, yield* here)
        return yield* set(yield* reply({ object: "openid_request", url }), "browser", browser)
      }, Effect.catchTags({ OpenIdFailed })),

      useOpenId: span("sign_in.useOpenId")(
        function* ({ payload }) {
          const identity = yield* openId.finish(payload, yield* keptOrNone, yield* here)
          const { changes, person } = yield* known(identity)
          const opener = { way: "openid", passkeyId: null, is_strong: identity.isStrong } as const
          const opened = yield* signIn.openBy(person.person_id, opener, yield* browserOf)
          if (Option.isNone(opened)) return yield* new UnknownPerson({ why: "the person has no role" })
          return yield* welcome(opened.value, "sign_in.useOpenId", changes.length === 0 ? {} : { changes })
        },
        Effect.tapErrorTag(["OpenIdFailed", "UnknownPerson"], ({ why }) =>
          Effect.logInfo(`the sign-in by OpenID Connect failed: ${why.slice(0, 300)}`)
        ),
        Effect.catchTags({ UnknownPerson: peopleRefusals.UnknownPerson, OpenIdFailed, PasskeyRequired })
      )
    })
  })
)

const session = consoleGroup(
  "session",
  Effect.fnUntraced(function* (handlers) {
    const signIn = yield* SignIn
    const { clear } = yield* cookies
    const replySessions = Effect.fnUntraced(function* (found: Effect.Success<ReturnType<typeof signIn.sessionsOf>>) {
      const { sessionId } = yield* CurrentPerson
      return yield* replyList("session", "/console/api/sessions", { data: found, hasMore: false }, (each) =>
        sessionView(each, sessionId)
      )
    })
    const end = Effect.fnUntraced(function* (sessionId: string) {
      const { personId, sessionId: current } = yield* CurrentPerson
      return yield* reply(sessionView(yield* signIn.end(personId, sessionId), current))
    })

    return handlers.handleAll({
      get: span("session.get")(function* () {
        return yield* reply({ object: "signed_in", ...(yield* CurrentPerson).shown })
      }),
      end: span("session.end")(
        function* () {
          return yield* clear(yield* end((yield* CurrentPerson).sessionId), "session")
        },
        Effect.catchTags({ SessionNotFound: Effect.die })
      ),
      list: span("session.list")(function* () {
        return yield* replySessions(yield* signIn.sessionsOf((yield* CurrentPerson).personId))
      }),
      endOther: span("session.endOther")(function* ({ params }) {
        return yield* end(params.session_id)
      }, Effect.catchTags({ SessionNotFound })),
      endAll: span("session.endAll")(function* () {
        const ended = yield* signIn.endAll((yield* CurrentPerson).personId)
        return yield* clear(yield* replySessions(ended), "session")
      })
    })
  })
)

const personOf = ({ personId, sessionId, shown }: CurrentPerson["Service"]) => ({
  personId,
  sessionId,
  person: { ...shown.person, person_id: personId },
  isOperator: shown.person.roles.some(({ merchant_id }) => merchant_id === null),
  needsPasskey: shown.needs_passkey
})

const passkeys = consoleGroup(
  "passkeys",
  Effect.fnUntraced(function* (handlers) {
    const passkeys = yield* Passkeys
    const signIn = yield* SignIn
    const { set } = yield* cookies
    const urlOf = makeConsoleUrl(yield* Settings)
    const { PasskeyNotValid } = peopleRefusals

    return handlers.handleAll({
      list: span("passkeys.list")(function* () {
        const page = { data: yield* passkeys.of((yield* CurrentPerson).personId), hasMore: false }
        return yield* replyList("passkey", "/console/api/passkeys", page, passkeyView)
      }),

      ask: span("passkeys.ask")(function* () {
        const { person, sessionId } = personOf(yield* CurrentPerson)
        const options = yield* passkeys.askToRegister(person, sessionId, urlOf(yield* CurrentRecord))
        return yield* reply({ object: "passkey_options", options })
      }, Effect.catchTags({ PasskeyConflict })),

      register: span("passkeys.register")(
        function* ({ payload: { credential, name = "Passkey" } }) {
          const { needsPasskey, person, personId, sessionId } = personOf(yield* CurrentPerson)
          const registered = { person, sessionId, name: storableText(name), credential, isFirst: needsPasskey }
          const passkey = yield* passkeys.register(registered)
          yield* signIn.tellPasskey(person, "added", passkey)
          const answer = yield* reply(passkeyView(passkey), 201)
          if (!needsPasskey) return answer
          // Session secrets from before the registration of the passkey stop working.
          const opener = { way: "passkey", passkeyId: passkey.passkey_id } as const
          const opened = yield* signIn.openBy(personId, opener, yield* browserOf)
          yield* Effect.ignore(signIn.end(personId, sessionId))
          return Option.isSome(opened) ? yield* set(answer, "session", opened.value.secret) : answer
        },
        Effect.catchTags({ PasskeyConflict, PasskeyNotValid, PasskeyRequired: Effect.die })
      ),

      rename: span("passkeys.rename")(function* ({ params, payload }) {
        const { personId } = yield* CurrentPerson
        const renamed = yield* passkeys.rename(personId, storableText(params.passkey_id), storableText(payload.name))
        return yield* reply(passkeyView(renamed))
      }, Effect.catchTags({ PasskeyNotFound })),

      remove: span("passkeys.remove")(function* ({ params }) {
        const { isOperator, person, personId, sessionId } = personOf(yield* CurrentPerson)
        const sparesLast = yield* signIn.isDemanded(personId, isOperator)
        const options = { sparesLast, keepsSession: sessionId }
        const removed = yield* passkeys.remove(personId, storableText(params.passkey_id), options)
        yield* signIn.tellPasskey(person, "removed", removed)
        return yield* reply(passkeyView(removed))
      }, Effect.catchTags({ PasskeyConflict, PasskeyNotFound }))
    })
  })
)

export const layer = Layer.mergeAll(signIn, session, passkeys)
