/** Handlers about people: the console's `sign_in`, `session` and `people` groups, and the operator's `people` group. */
import { CurrentPerson } from "@coffer/contract/Caller"
import { ConsoleApi } from "@coffer/contract/Console"
import { OperatorApi } from "@coffer/contract/Operator"
import { installation, PersonRole } from "@coffer/model/PersonRole"
import { Role } from "@coffer/model/Role"
import { InvalidField } from "@coffer/rules/InvalidField"
import { DateTime, Effect, Layer, Option, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentRecord } from "../http/CurrentRequest.ts"
import { commonRefusals } from "../http/refusals.ts"
import { reply, replyList } from "../http/replies.ts"
import { merchantRefusals } from "../merchants/merchantRefusals.ts"
import { JustDone, NeedsSecondOperator } from "../operators/approvals.ts"
import { AuditLog } from "../operators/AuditLog.ts"
import { SecondOperator } from "../operators/SecondOperator.ts"
import { Secrets } from "../platform/runtime/Secrets.ts"
import { Settings } from "../platform/runtime/Settings.ts"
import { span } from "../platform/runtime/span.ts"
import { makeCookies } from "./cookies.ts"
import { People } from "./People.ts"
import { peopleRefusals } from "./peopleRefusals.ts"
import { personView, sessionView } from "./peopleViews.ts"
import { SignIn, type SignedIn } from "./SignIn.ts"

const { InvalidField: InvalidFieldRefusal } = commonRefusals
const { MerchantNotFound } = merchantRefusals
const { LinkNotValid, PersonNotFound, RoleConflict, SessionNotFound } = peopleRefusals

const signedInView = ({ person, session }: SignedIn) => ({
  object: "signed_in" as const,
  person: personView(person),
  session: sessionView(session, session.session_id)
})

const cookies = Effect.map(Settings, ({ publicUrl }) => makeCookies(publicUrl))

const signIn = HttpApiBuilder.group(
  ConsoleApi,
  "sign_in",
  Effect.fnUntraced(function* (handlers) {
    const signIn = yield* SignIn
    const secrets = yield* Secrets
    const log = yield* AuditLog
    const { read, set } = yield* cookies

    return handlers.handleAll({
      ask: span("sign_in.ask")(function* ({ payload }) {
        const { sent } = yield* CurrentRecord
        const kept = read(sent["cookie"], "browser")
        const browser = Option.isSome(kept) ? kept.value : yield* secrets.random(32)
        const expiresAt = yield* signIn.ask(payload.email, browser)
        const answer = yield* reply({ object: "sign_in_request", expires_at: DateTime.formatIso(expiresAt) }, 202)
        return set(answer, "browser", browser)
      }),

      use: span("sign_in.use")(function* ({ payload }) {
        const { ip, sent } = yield* CurrentRecord
        const browser = Option.getOrElse(read(sent["cookie"], "browser"), () => "")
        const opened = yield* signIn.use(payload.token, browser, { ip, userAgent: sent["user-agent"] ?? "" })
        const { person_id: id, email: name } = opened.person
        // The body, which is a secret, is not in the entry.
        yield* log.write({
          actor: { id, name, role: "person" },
          act: "console:sign_in.use",
          phase: "done",
          target: opened.session.session_id,
          status: 201
        })
        return set(yield* reply(signedInView(opened), 201), "session", opened.secret)
      }, Effect.catchTags({ LinkNotValid }))
    })
  })
)

const session = HttpApiBuilder.group(
  ConsoleApi,
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
      retrieve: span("session.retrieve")(function* () {
        return yield* reply({ object: "signed_in", ...(yield* CurrentPerson).shown })
      }),
      end: span("session.end")(
        function* () {
          return clear(yield* end((yield* CurrentPerson).sessionId), "session")
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
        return clear(yield* replySessions(ended), "session")
      })
    })
  })
)

const merchantPeople = HttpApiBuilder.group(
  ConsoleApi,
  "people",
  Effect.fnUntraced(function* (handlers) {
    const people = yield* People

    return handlers.handleAll({
      list: span("people.list")(function* ({ params: { merchant_id } }) {
        const page = { data: yield* people.of(merchant_id), hasMore: false }
        return yield* replyList("person", `/console/api/merchants/${merchant_id}/people`, page, (person) =>
          personView(person, merchant_id)
        )
      }),
      invite: span("people.invite")(function* ({ params: { merchant_id }, payload }) {
        const invited = yield* people.invite(merchant_id, payload, { replaces: false })
        return yield* reply(personView(invited, merchant_id), 201)
      }, Effect.catchTags({ RoleConflict, MerchantNotFound })),
      setRole: span("people.setRole")(function* ({ params: { merchant_id, person_id }, payload }) {
        return yield* reply(personView(yield* people.setRole(merchant_id, person_id, payload.role), merchant_id))
      }, Effect.catchTags({ PersonNotFound, RoleConflict })),
      remove: span("people.remove")(function* ({ params: { merchant_id, person_id } }) {
        const removed = yield* people.remove(merchant_id, person_id, { spares: true })
        return yield* reply(personView(removed, merchant_id))
      }, Effect.catchTags({ PersonNotFound, RoleConflict })),
      endSessions: span("people.endSessions")(function* ({ params: { merchant_id, person_id } }) {
        return yield* reply(personView(yield* people.endSessions(merchant_id, person_id), merchant_id))
      }, Effect.catchTags({ PersonNotFound }))
    })
  })
)

const isRoleOf = (belongsTo: string, role: string) => Schema.is(belongsTo === installation ? Role : PersonRole)(role)

const operatorPeople = HttpApiBuilder.group(
  OperatorApi,
  "people",
  Effect.fnUntraced(function* (handlers) {
    const people = yield* People
    const second = yield* SecondOperator

    return handlers.handleAll({
      list: span("people.list")(
        function* ({ query }) {
          return yield* replyList("person", "/operator/v1/people", yield* people.list(query), (person) =>
            personView(person)
          )
        },
        Effect.catchTags({ InvalidField: InvalidFieldRefusal })
      ),
      invite: span("people.invite")(
        function* ({ payload }) {
          const { merchant_id: belongsTo = installation, role } = payload
          if (!isRoleOf(belongsTo, role)) {
            const place = belongsTo === installation ? "the installation" : "a merchant"
            return yield* new InvalidField({ param: "role", problem: `is no role of ${place}` })
          }
          yield* second.confirm({ act: "people.invite", target: belongsTo, content: payload })
          return yield* reply(personView(yield* people.invite(belongsTo, payload, { replaces: true })))
        },
        Effect.catchTags({
          InvalidField: InvalidFieldRefusal,
          JustDone,
          MerchantNotFound,
          NeedsSecondOperator,
          RoleConflict
        })
      ),
      remove: span("people.remove")(
        function* ({ params: { person_id }, payload }) {
          const { merchant_id: belongsTo = installation } = payload
          return yield* reply(personView(yield* people.remove(belongsTo, person_id, { spares: false })))
        },
        Effect.catchTags({ PersonNotFound, RoleConflict: Effect.die })
      ),
      endSessions: span("people.endSessions")(function* ({ params: { person_id } }) {
        return yield* reply(personView(yield* people.endSessions(undefined, person_id)))
      }, Effect.catchTags({ PersonNotFound }))
    })
  })
)

export const layer = Layer.mergeAll(signIn, session, merchantPeople)
export const layerOperator = operatorPeople
