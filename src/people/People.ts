/**
 * Front door to people and their roles. Every request of a session reads the roles from the database, so a role that is
 * taken away is gone for the next request, on all runners. A merchant has an owner as long as its people see to it: the
 * last one cannot be removed by them, but by an operator.
 */
import type { InvalidField } from "@coffer/rules/InvalidField"
import { installation } from "@coffer/model/PersonRole"
import { type ListParameters, type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import { normalEmail } from "@coffer/rules/people/signIn"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Merchants, type MerchantNotFound } from "../merchants/Merchants.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { span } from "../platform/runtime/span.ts"
import { storableText } from "../platform/postgres/storable.ts"
import * as PeopleStore from "./PeopleStore.ts"
import { SignIn } from "./SignIn.ts"

export type { Person } from "./PeopleStore.ts"

export class PersonNotFound extends Schema.TaggedError<PersonNotFound>()("PersonNotFound", {
  personId: Schema.String
}) {}

/** The role cannot be given or taken. */
export class RoleConflict extends Schema.TaggedError<RoleConflict>()("RoleConflict", {
  reason: Schema.Literals(["has_role", "too_many", "last_owner"])
}) {}

interface Invited {
  readonly email: string
  readonly name?: string | undefined
  readonly role: string
}

interface Options {
  /** Whether a person who has a role there gets the new one; otherwise that is a conflict. */
  readonly replaces: boolean
}

type Person = PeopleStore.Person

export class People extends Context.Service<
  People,
  {
    /** Newest first. */
    readonly list: (query: ListParameters & PeopleStore.PeopleQuery) => Effect.Effect<Page<Person>, InvalidField>
    /** People of a merchant, or of the installation. */
    readonly of: (belongsTo: string) => Effect.Effect<ReadonlyArray<Person>>
    /** Gives a role, and sends a mail that says where to sign in. */
    readonly invite: (
      belongsTo: string,
      invited: Invited,
      options: Options
    ) => Effect.Effect<Person, RoleConflict | MerchantNotFound>
    /** Of somebody who has a role there. */
    readonly setRole: (
      belongsTo: string,
      personId: string,
      role: string
    ) => Effect.Effect<Person, PersonNotFound | RoleConflict>
    /** Takes the role away. All sessions of a person without any role end, and the person cannot sign in. */
    readonly remove: (
      belongsTo: string,
      personId: string,
      options: { readonly spares: boolean }
    ) => Effect.Effect<Person, PersonNotFound | RoleConflict>
    /** Of somebody who has a role there; undefined: wherever. */
    readonly endSessions: (belongsTo: string | undefined, personId: string) => Effect.Effect<Person, PersonNotFound>
  }
>()("@coffer/people/People") {}

export const layer = Layer.effect(
  People,
  Effect.gen(function* () {
    const store = yield* PeopleStore.PeopleStore
    const merchants = yield* Merchants
    const signIn = yield* SignIn

    const member = Effect.fnUntraced(function* (belongsTo: string | undefined, personId: string) {
      const found = yield* store.find(personId)
      return Option.isSome(found) &&
        (belongsTo === undefined || found.value.roles.some(({ belongs_to }) => belongs_to === belongsTo))
        ? found.value
        : yield* new PersonNotFound({ personId })
    })

    return People.of({
      list: span("People.list")(function* (query) {
        return yield* store.page(yield* Effect.fromResult(readPageRequest(query)), query)
      }),
      of: store.of,
      invite: span("People.invite")(function* (belongsTo, { email, name, role }, { replaces }) {
        const merchant = belongsTo === installation ? undefined : yield* merchants.find(belongsTo)
        const outcome = yield* store.give({
          email: storableText(normalEmail(email)),
          name: name === undefined ? undefined : storableText(name),
          belongsTo,
          role,
          now: yield* currentTime,
          replaces
        })
        if (typeof outcome === "string") return yield* new RoleConflict({ reason: outcome })
        yield* signIn.tellInvited(outcome, merchant?.name)
        return outcome
      }),
      setRole: span("People.setRole")(function* (belongsTo, personId, role) {
        yield* member(belongsTo, personId)
        const refused = yield* store.setRole(personId, belongsTo, role)
        if (Option.isSome(refused)) return yield* new RoleConflict({ reason: refused.value })
        return yield* member(belongsTo, personId)
      }),
      remove: span("People.remove")(function* (belongsTo, personId, options) {
        const taken = yield* store.take(personId, belongsTo, options)
        if (Option.isNone(taken)) return yield* new PersonNotFound({ personId })
        return typeof taken.value === "string" ? yield* new RoleConflict({ reason: taken.value }) : taken.value
      }),
      endSessions: span("People.endSessions")(function* (belongsTo, personId) {
        const person = yield* member(belongsTo, personId)
        yield* signIn.endAll(person.person_id)
        return person
      })
    })
  })
).pipe(Layer.provide(PeopleStore.layer))
