/** Handlers about people: the console's `people` group, and the operator's. */
import { CurrentPerson } from "@coffer/contract/Caller"
import { OperatorApi } from "@coffer/contract/Operator"
import { installation, PersonRole } from "@coffer/model/PersonRole"
import { Role } from "@coffer/model/Role"
import { InvalidField } from "@coffer/rules/InvalidField"
import { Effect, Layer, Option, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { consoleGroup } from "../../shared/http/granting.ts"
import { commonRefusals } from "../../shared/http/refusals.ts"
import { reply, replyList } from "../../shared/http/replies.ts"
import { Merchants } from "../merchants/Merchants.ts"
import { merchantRefusals } from "../merchants/merchantRefusals.ts"
import { operatorWhoAsks } from "../merchants/stillGives.ts"
import { JustDone, NeedsSecondOperator } from "../operators/approvals.ts"
import { SecondOperator } from "../operators/SecondOperator.ts"
import { span } from "../../platform/runtime/span.ts"
import { type Invitation, People } from "./People.ts"
import { peopleRefusals } from "./peopleRefusals.ts"
import type { Inviter } from "./rolesThatInvite.ts"
import { invitationView, personView } from "./peopleViews.ts"

const { InvalidField: InvalidFieldRefusal } = commonRefusals
const { MerchantNotFound } = merchantRefusals
const { InvitationNotFound, MerchantStands, PersonNotFound, RoleConflict, TooManyInvitations, TooManyRecoveries } =
  peopleRefusals

/** The person who is signed in. */
const inviter = Effect.map(CurrentPerson, ({ personId, sessionId, shown }): Inviter => ({
  personIds: [personId],
  sessionId,
  email: shown.person.email
}))

const merchantPeople = consoleGroup(
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
        const invited = yield* people.invite(merchant_id, payload, yield* inviter)
        return yield* reply(personView(invited, merchant_id), 201)
      }, Effect.catchTags({ RoleConflict, MerchantNotFound, TooManyInvitations })),
      sendAgain: span("people.sendAgain")(function* ({ params: { merchant_id, person_id } }) {
        const by = yield* inviter
        return yield* reply(personView(yield* people.sendAgain(merchant_id, person_id, by), merchant_id))
      }, Effect.catchTags({ PersonNotFound, TooManyInvitations })),
      setRole: span("people.setRole")(function* ({ params: { merchant_id, person_id }, payload }) {
        const changed = yield* people.setRole(merchant_id, person_id, payload.role, yield* inviter)
        return yield* reply(personView(changed, merchant_id))
      }, Effect.catchTags({ PersonNotFound, RoleConflict })),
      remove: span("people.remove")(function* ({ params: { merchant_id, person_id } }) {
        const removed = yield* people.remove(merchant_id, person_id, { spares: true })
        return yield* reply(personView(removed, merchant_id))
      }, Effect.catchTags({ PersonNotFound, RoleConflict })),
      endSessions: span("people.endSessions")(function* ({ params: { merchant_id, person_id } }) {
        return yield* reply(personView(yield* people.endSessions(merchant_id, person_id), merchant_id))
      }, Effect.catchTags({ PersonNotFound })),
      recover: span("people.recover")(function* ({ params: { merchant_id, person_id } }) {
        const { personId } = yield* CurrentPerson
        return yield* reply(personView(yield* people.recoverAt(merchant_id, person_id, personId), merchant_id))
      }, Effect.catchTags({ PersonNotFound, RoleConflict, TooManyRecoveries }))
    })
  }),
  Effect.map(
    People,
    (people) =>
      ({ merchant_id, person_id }: { readonly merchant_id: string; readonly person_id: string }) =>
        Effect.map(people.offeredRole(merchant_id, person_id), (role) =>
          Option.isNone(role) ? undefined : ({ is: "person", role: role.value as PersonRole } as const)
        )
  )
)

const invitations = consoleGroup(
  "invitations",
  Effect.fnUntraced(function* (handlers) {
    const people = yield* People
    const merchants = yield* Merchants
    const view = Effect.fnUntraced(function* (invitation: Invitation) {
      const name = Effect.map(merchants.find(invitation.belongs_to), (merchant) => merchant.name)
      return invitationView(invitation, yield* Effect.catchTag(name, "MerchantNotFound", () => Effect.succeed(null)))
    })
    const self = Effect.map(CurrentPerson, ({ personId, shown }) => ({
      person_id: personId,
      email: shown.person.email
    }))

    return handlers.handleAll({
      list: span("invitations.list")(function* () {
        const data = yield* Effect.forEach(yield* people.invitationsOf(yield* self), view)
        return yield* replyList("invitation", "/console/api/invitations", { data, hasMore: false }, (shown) => shown)
      }),
      accept: span("invitations.accept")(function* ({ params: { invitation_id } }) {
        return yield* reply(yield* view(yield* people.accept(yield* self, invitation_id)))
      }, Effect.catchTags({ InvitationNotFound, MerchantStands })),
      decline: span("invitations.decline")(function* ({ params: { invitation_id } }) {
        return yield* reply(yield* view(yield* people.decline(yield* self, invitation_id)))
      }, Effect.catchTags({ InvitationNotFound }))
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
            return yield* new InvalidField({ param: "role", problem: `is not a role of ${place}` })
          }
          yield* second.confirm({ act: "people.invite", target: belongsTo, content: payload })
          return yield* reply(personView(yield* people.invite(belongsTo, payload, yield* operatorWhoAsks)))
        },
        Effect.catchTags({
          InvalidField: InvalidFieldRefusal,
          JustDone,
          MerchantNotFound,
          NeedsSecondOperator,
          RoleConflict,
          // Bounds are for merchants' people.
          TooManyInvitations: Effect.die
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
      }, Effect.catchTags({ PersonNotFound })),
      recover: span("people.recover")(function* ({ params: { person_id } }) {
        const recovers = yield* people.recovers(person_id)
        const content = { person_id, recovers }
        yield* second.confirm({ act: "people.recover", target: person_id, content })
        return yield* reply(personView(yield* people.recover(person_id)))
      }, Effect.catchTags({ JustDone, NeedsSecondOperator, PersonNotFound, TooManyRecoveries }))
    })
  })
)

export const layer = Layer.merge(merchantPeople, invitations)
export const layerOperator = operatorPeople
