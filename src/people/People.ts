/**
 * Front door to people and their roles. Every request of a session reads the roles from the database, so a role that is
 * taken away is gone for the next request, on all runners. A merchant has an owner as long as its people see to it: the
 * last one cannot be removed by them, but by an operator.
 */
import type { InvalidField } from "@coffer/rules/InvalidField"
import { installation } from "@coffer/model/PersonRole"
import { type ListParameters, type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import { rolesByClaim } from "@coffer/rules/people/openId"
import { normalEmail } from "@coffer/rules/people/signIn"
import { isOneLine } from "@coffer/model/Text"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Merchants, type MerchantNotFound } from "../merchants/Merchants.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { span } from "../platform/runtime/span.ts"
import { storableText } from "../platform/postgres/storable.ts"
import { Settings } from "../platform/runtime/Settings.ts"
import type { Identity } from "./OpenId.ts"
import * as PeopleStore from "./PeopleStore.ts"
import { SignIn } from "./SignIn.ts"
import { signInSettings } from "./signInSettings.ts"

export type { Person } from "./PeopleStore.ts"

export class PersonNotFound extends Schema.TaggedError<PersonNotFound>()("PersonNotFound", {
  personId: Schema.String
}) {}

/** The role cannot be given or taken. */
export class RoleConflict extends Schema.TaggedError<RoleConflict>()("RoleConflict", {
  reason: Schema.Literals(["has_role", "too_many", "last_owner", "yourself", "elsewhere"])
}) {}

interface Invited {
  readonly email: string
  readonly name?: string | undefined
  readonly role: string
}

/** A person without a role here, or another one than the provider has told of before. */
export class NobodyThere extends Schema.TaggedError<NobodyThere>()("NobodyThere", { why: Schema.String }) {}

export interface ByIdentity {
  readonly person: Person
  /** The roles that the claim has changed. */
  readonly changes: ReadonlyArray<{ readonly belongs_to: string; readonly role: string | null }>
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
    /** For a person who has a role there. */
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
    /** Whom it would let in again: `other` is neither an operator nor the last owner of a merchant. */
    readonly recovers: (personId: string) => Effect.Effect<"operator" | "last_owner" | "other", PersonNotFound>
    /** Takes every way in of somebody who cannot sign in, and sends a link. */
    readonly recover: (personId: string) => Effect.Effect<Person, PersonNotFound>
    /** The same, by an owner of the merchant, for somebody else who has no role elsewhere. */
    readonly recoverAt: (
      belongsTo: string,
      personId: string,
      by: string
    ) => Effect.Effect<Person, PersonNotFound | RoleConflict>
    /**
     * The person that an OpenID provider knows, with the roles that its claim gives and takes. A new person is made
     * only where the claim gives a role.
     */
    readonly byIdentity: (identity: Identity) => Effect.Effect<ByIdentity, NobodyThere>
    /** For a person who has a role there; undefined: anywhere. */
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

    const letBeginAnew = span("People.letBeginAnew")(function* (person: Person) {
      yield* store.shutOut(person.person_id)
      yield* signIn.tellRecovered(person)
      return person
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
      recovers: Effect.fnUntraced(function* (personId) {
        const { person_id, roles } = yield* member(undefined, personId)
        if (roles.some(({ belongs_to }) => belongs_to === installation)) return "operator" as const
        return (yield* store.isLastOwner(person_id)) ? ("last_owner" as const) : ("other" as const)
      }),
      recover: (personId) => Effect.flatMap(member(undefined, personId), letBeginAnew),
      recoverAt: Effect.fnUntraced(function* (belongsTo, personId, by) {
        const person = yield* member(belongsTo, personId)
        if (personId === by) return yield* new RoleConflict({ reason: "yourself" })
        if (person.roles.length > 1) return yield* new RoleConflict({ reason: "elsewhere" })
        return yield* letBeginAnew(person)
      }),
      byIdentity: span("People.byIdentity")(yield* makeByIdentity),
      endSessions: span("People.endSessions")(function* (belongsTo, personId) {
        const person = yield* member(belongsTo, personId)
        yield* signIn.endAll(person.person_id)
        return person
      })
    })
  })
).pipe(Layer.provide(PeopleStore.layer))

/** `email` is in lower case. */
const makeByIdentity = Effect.gen(function* () {
  const store = yield* PeopleStore.PeopleStore
  const { openId } = (yield* Settings).of(signInSettings)

  const find = Effect.fnUntraced(function* ({ email, issuer, subject }: Identity) {
    const known = yield* store.byIdentity(issuer, subject)
    if (Option.isSome(known)) return { known: true, found: known }
    // An address that the provider has not verified may be anybody's.
    return {
      known: false,
      found: Option.isSome(email) ? yield* store.byEmail(normalEmail(email.value)) : Option.none()
    }
  })

  return function* (identity: Identity): Effect.fn.Return<ByIdentity, NobodyThere> {
    const { found, known } = yield* find(identity)
    const claimed = rolesByClaim(openId?.roles ?? [], identity.values)
    const had = (belongsTo: string) =>
      Option.getOrUndefined(found)?.roles.find(({ belongs_to }) => belongs_to === belongsTo)?.role ?? null
    const changes = claimed.filter(({ belongsTo, role }) => role !== had(belongsTo))
    const email = Option.isSome(found) ? found.value.email : Option.getOrUndefined(identity.email)
    const hasRole = Option.isSome(found) && found.value.roles.length > 0
    if (email === undefined) return yield* new NobodyThere({ why: "the address is not verified" })
    if (!hasRole && changes.every(({ role }) => role === null)) {
      return yield* new NobodyThere({ why: "nobody here has this address" })
    }
    const now = yield* currentTime
    const link = Effect.fnUntraced(function* ({ person_id }: Person) {
      if (known || (yield* store.link(person_id, identity.issuer, identity.subject, now))) return
      return yield* new NobodyThere({ why: "the person is somebody else at this provider" })
    })
    // Before any role is given: the address may have been given on to somebody else.
    if (Option.isSome(found)) yield* link(found.value)
    const done: Array<ByIdentity["changes"][number]> = []
    for (const { belongsTo, role } of changes) {
      const name = identity.name !== undefined && isOneLine(identity.name, 1, 100) ? identity.name : undefined
      const outcome =
        role === null
          ? Option.getOrUndefined(yield* store.take(Option.getOrThrow(found).person_id, belongsTo, { spares: true }))
          : yield* store.give({ email: normalEmail(email), name, belongsTo, role, now, replaces: true })
      if (typeof outcome === "object") done.push({ belongs_to: belongsTo, role })
      else yield* Effect.logWarning(`a claim did not change a role at ${belongsTo}: ${outcome ?? "no such role"}`)
    }
    const person = Option.getOrUndefined(yield* store.byEmail(normalEmail(email)))
    if (person === undefined || person.roles.length === 0) {
      return yield* new NobodyThere({ why: "the claim leaves the person no role" })
    }
    if (Option.isNone(found)) yield* link(person)
    return { person, changes: done }
  }
})
