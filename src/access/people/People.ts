/**
 * Front door to people and their roles. A role is offered, and counts once the person has accepted it: until then the
 * inviter sees and changes nothing of a person (docs/decisions/0092). Every request of a session reads the roles from
 * the database, so a removed role is gone for the next request, on all runners. A merchant's people cannot remove its
 * last owner, but an operator can.
 */
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { PersonId } from "@coffer/model/Ids"
import { installation } from "@coffer/model/PersonRole"
import { type ListParameters, type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import { rolesByClaim } from "@coffer/rules/people/openId"
import { invitationsADay, invitationValidity, normalEmail } from "@coffer/rules/people/signIn"
import { isOneLine } from "@coffer/model/Text"
import { Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import { MailBudget, untilTomorrow } from "../../shared/mail/MailBudget.ts"
import { type Merchant, Merchants, type MerchantNotFound } from "../merchants/Merchants.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { span } from "../../platform/runtime/span.ts"
import { storableText } from "../../platform/postgres/storable.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import * as InvitationStore from "./InvitationStore.ts"
import type { Identity } from "./OpenId.ts"
import {
  InvitationNotFound,
  PersonNotFound,
  RoleConflict,
  TooManyInvitations,
  TooManyRecoveries,
  UnknownPerson
} from "./peopleProblems.ts"
import * as PeopleStore from "./PeopleStore.ts"
import type { Inviter } from "./rolesThatInvite.ts"
import { SignIn } from "./SignIn.ts"
import { signInSettings } from "./signInSettings.ts"

export type { Invitation } from "./InvitationStore.ts"
export type { Person } from "./PeopleStore.ts"

interface Invited {
  readonly email: string
  readonly name?: string | undefined
  readonly role: string
}

export interface ByIdentity {
  readonly person: Person
  /** The roles that the claim has changed. */
  readonly changes: ReadonlyArray<{ readonly belongs_to: string; readonly role: string | null }>
}

/** A signed-in person of a merchant. */
interface Self {
  readonly person_id: PersonId
  readonly email: string
}

type Invitation = InvitationStore.Invitation
type Person = PeopleStore.Person

/** An invitation for its inviters: the typed values, and nothing of a person. */
const invitedPerson = ({ belongs_to, created_at, email, invitation_id, name, role }: Invitation): Person => ({
  person_id: invitation_id,
  email,
  name: name ?? email,
  created_at,
  last_seen_at: null,
  roles: [{ belongs_to, role, created_at, sessions_after: null }],
  isInvited: true
})

export class People extends Context.Service<
  People,
  {
    /** Newest first. */
    readonly list: (query: ListParameters & PeopleStore.PeopleQuery) => Effect.Effect<Page<Person>, InvalidField>
    /** People of a merchant, or of the installation, and those who are invited. Newest first. */
    readonly of: (belongsTo: string) => Effect.Effect<ReadonlyArray<Person>>
    /**
     * Offers a role, and sends a mail. By an operator, a person who has a role there gets the new one, and an
     * invitation is sent again.
     */
    readonly invite: (
      belongsTo: string,
      invited: Invited,
      by: Inviter
    ) => Effect.Effect<Person, RoleConflict | MerchantNotFound | TooManyInvitations>
    /** The offered role. None: not or no longer offered. */
    readonly offeredRole: (belongsTo: string, invitationId: string) => Effect.Effect<Option.Option<string>>
    readonly sendAgain: (
      belongsTo: string,
      invitationId: string,
      by: Inviter
    ) => Effect.Effect<Person, PersonNotFound | TooManyInvitations>
    /** The roles offered to the person. */
    readonly invitationsOf: (self: Self) => Effect.Effect<ReadonlyArray<Invitation>>
    readonly accept: (
      self: Self,
      invitationId: string
    ) => Effect.Effect<Invitation, InvitationNotFound | InvitationStore.MerchantStands>
    readonly decline: (self: Self, invitationId: string) => Effect.Effect<Invitation, InvitationNotFound>
    /** For a person who has a role there, or is offered one. `by`: who gives it. */
    readonly setRole: (
      belongsTo: string,
      personId: string,
      role: string,
      by: Inviter
    ) => Effect.Effect<Person, PersonNotFound | RoleConflict>
    /**
     * Removes the role, or withdraws the invitation. All sessions of a person without any role end, and the person
     * cannot sign in.
     */
    readonly remove: (
      belongsTo: string,
      personId: string,
      options: { readonly spares: boolean }
    ) => Effect.Effect<Person, PersonNotFound | RoleConflict>
    /** Whose access would be reset: `other` is neither an operator nor the last owner of a merchant. */
    readonly recovers: (personId: string) => Effect.Effect<"operator" | "last_owner" | "other", PersonNotFound>
    /** Resets the access of a person who cannot sign in: revokes all of it, and sends a link. */
    readonly recover: (personId: string) => Effect.Effect<Person, PersonNotFound | TooManyRecoveries>
    /** The same, by an owner of the merchant, for another person who has no role elsewhere. */
    readonly recoverAt: (
      belongsTo: string,
      personId: string,
      by: string
    ) => Effect.Effect<Person, PersonNotFound | RoleConflict | TooManyRecoveries>
    /**
     * The person that an OpenID provider knows, with the roles that its claim gives and takes. A new person is made
     * only where the claim gives a role.
     */
    readonly byIdentity: (identity: Identity) => Effect.Effect<ByIdentity, UnknownPerson>
    /**
     * For a person with a role there; undefined: anywhere. Sessions with roles elsewhere continue: they only end for
     * this place.
     */
    readonly endSessions: (belongsTo: string | undefined, personId: string) => Effect.Effect<Person, PersonNotFound>
  }
>()("@coffer/people/People") {}

export const layer = Layer.effect(
  People,
  Effect.gen(function* () {
    const store = yield* PeopleStore.PeopleStore
    const invitations = yield* InvitationStore.InvitationStore
    const offering = yield* makeOffering
    const signIn = yield* SignIn
    const resetAccess = yield* makeResetAccess

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
      of: Effect.fnUntraced(function* (belongsTo) {
        const open = yield* invitations.of(belongsTo, yield* currentTime)
        return [...(yield* store.of(belongsTo)), ...open.map(invitedPerson)].toSorted((one, other) =>
          one.person_id < other.person_id ? 1 : -1
        )
      }),
      ...offering,
      setRole: span("People.setRole")(function* (belongsTo, personId, role, by) {
        const now = yield* currentTime
        if (Option.isSome(yield* invitations.find(belongsTo, personId, now))) {
          if (!(yield* invitations.setRole(belongsTo, personId, role, by))) {
            return yield* new RoleConflict({ reason: "left" })
          }
          const changed = yield* invitations.find(belongsTo, personId, now)
          // Accepted or withdrawn in between.
          return Option.isSome(changed) ? invitedPerson(changed.value) : yield* new PersonNotFound({ personId })
        }
        yield* member(belongsTo, personId)
        const refused = yield* store.setRole(personId, belongsTo, role, by)
        if (Option.isSome(refused)) return yield* new RoleConflict({ reason: refused.value })
        return yield* member(belongsTo, personId)
      }),
      remove: span("People.remove")(function* (belongsTo, personId, options) {
        const withdrawn = yield* invitations.withdraw({ invitationId: personId, belongsTo })
        if (Option.isSome(withdrawn)) return { ...invitedPerson(withdrawn.value), roles: [] }
        const taken = yield* store.take(personId, belongsTo, options)
        if (Option.isNone(taken)) return yield* new PersonNotFound({ personId })
        return typeof taken.value === "string" ? yield* new RoleConflict({ reason: taken.value }) : taken.value
      }),
      recovers: Effect.fnUntraced(function* (personId) {
        const { person_id, roles } = yield* member(undefined, personId)
        if (roles.some(({ belongs_to }) => belongs_to === installation)) return "operator" as const
        return (yield* store.isLastOwner(person_id)) ? ("last_owner" as const) : ("other" as const)
      }),
      recover: (personId) =>
        Effect.flatMap(member(undefined, personId), (person) => resetAccess(person)).pipe(
          Effect.catchTag("RoleConflict", Effect.die)
        ),
      recoverAt: Effect.fnUntraced(function* (belongsTo, personId, by) {
        const person = yield* member(belongsTo, personId)
        if (personId === by) return yield* new RoleConflict({ reason: "yourself" })
        if (person.roles.length > 1) return yield* new RoleConflict({ reason: "elsewhere" })
        // A role may be accepted elsewhere meanwhile.
        return yield* resetAccess(person, belongsTo)
      }),
      byIdentity: span("People.byIdentity")(yield* makeByIdentity),
      endSessions: span("People.endSessions")(function* (belongsTo, personId) {
        const person = yield* member(belongsTo, personId)
        const isHereAlone = person.roles.every(({ belongs_to }) => belongs_to === belongsTo)
        if (belongsTo === undefined || isHereAlone) yield* signIn.endAll(person.person_id)
        else yield* store.endSessionsAt(person.person_id, belongsTo, yield* currentTime)
        return person
      })
    })
  })
).pipe(Layer.provide([PeopleStore.layer, InvitationStore.layer]))

/** `onlyAt`: refused for a person who has a role elsewhere, too. */
const makeResetAccess = Effect.gen(function* () {
  const store = yield* PeopleStore.PeopleStore
  const signIn = yield* SignIn
  return span("People.resetAccess")(function* (person: Person, onlyAt?: string) {
    if (!(yield* signIn.mayRecover(person))) {
      return yield* new TooManyRecoveries({ lasts: Duration.millis(yield* untilTomorrow) })
    }
    if (!(yield* store.revokeAllAccess(person.person_id, onlyAt))) {
      return yield* new RoleConflict({ reason: "elsewhere" })
    }
    yield* signIn.tellRecovered(person)
    return person
  })
})

/** By an operator: changes the role of a person who has one there. */
const makeChange = Effect.gen(function* () {
  const store = yield* PeopleStore.PeopleStore
  const signIn = yield* SignIn
  return Effect.fnUntraced(function* (belongsTo: string, { email, role }: Invited, by: Inviter) {
    const changed = yield* store.change({ email, belongsTo, role, by })
    if (Option.isNone(changed)) return changed
    const person = changed.value
    if (typeof person === "string") return yield* new RoleConflict({ reason: person })
    yield* signIn.tellRole(person, belongsTo, role)
    return Option.some(person)
  })
})

/** Makes the functions for invitations. */
const makeOffering = Effect.gen(function* () {
  const invitations = yield* InvitationStore.InvitationStore
  const merchants = yield* Merchants
  const signIn = yield* SignIn
  const budget = yield* MailBudget
  const secrets = yield* Secrets

  /** Operators are trusted. Sandboxes are open to all, so they share the limit for one address. */
  const boundsOf = (by: Inviter, merchant: Merchant | undefined, email: string) => {
    if (by.email === null || merchant === undefined) return []
    const to = secrets.keyHash(`invitations to ${email}`)
    const own = `invitations of ${merchant.merchant_id}`
    return [
      { counted: own, max: invitationsADay.merchant },
      { counted: `${own} to ${to}`, max: invitationsADay.recipient },
      ...(merchant.approved ? [] : [{ counted: `invitations to ${to}`, max: invitationsADay.strangers }])
    ]
  }
  const merchantOf = (belongsTo: string) => (belongsTo === installation ? Effect.undefined : merchants.find(belongsTo))

  const offer = Effect.fnUntraced(function* (
    belongsTo: string,
    { email, name, role }: Invited,
    by: Inviter,
    replaces: boolean
  ) {
    const merchant = yield* merchantOf(belongsTo)
    const now = yield* currentTime
    const send = Effect.fnUntraced(function* (invitation: Invitation) {
      if (!(yield* budget.take(boundsOf(by, merchant, email)))) {
        return yield* new TooManyInvitations({ lasts: Duration.millis(yield* untilTomorrow) })
      }
      yield* signIn.tellInvited(invitation)
    })
    const expiresAt = DateTime.addDuration(now, invitationValidity)
    const made = yield* invitations.offer({ email, name, belongsTo, role, now, replaces, by, expiresAt }, send)
    yield* signIn.wake
    return made
  })

  const change = yield* makeChange
  const self = (found: Option.Option<Invitation>, invitationId: string) =>
    Option.isSome(found) ? Effect.succeed(found.value) : Effect.fail(new InvitationNotFound({ invitationId }))

  return {
    invite: span("People.invite")(function* (belongsTo: string, typed: Invited, by: Inviter) {
      const { name } = typed
      const isByOperator = by.email === null
      const invited = {
        ...typed,
        email: storableText(normalEmail(typed.email)),
        name: name === undefined ? undefined : storableText(name)
      }
      const made = yield* offer(belongsTo, invited, by, isByOperator)
      if (typeof made !== "string") return invitedPerson(made)
      if (made === "has_role" && isByOperator) {
        const changed = yield* change(belongsTo, invited, by)
        if (Option.isSome(changed)) return changed.value
      }
      // Includes a person who has left meanwhile.
      return yield* new RoleConflict({ reason: made })
    }),
    sendAgain: span("People.sendAgain")(function* (belongsTo: string, invitationId: string, by: Inviter) {
      const found = yield* invitations.find(belongsTo, invitationId, yield* currentTime)
      if (Option.isNone(found)) return yield* new PersonNotFound({ personId: invitationId })
      const { email, name, role } = found.value
      const made = yield* Effect.catchTags(offer(belongsTo, { email, name: name ?? undefined, role }, by, true), {
        MerchantNotFound: Effect.die
      })
      // Accepted in between, or ended with the inviter's right.
      if (typeof made === "string") return yield* new PersonNotFound({ personId: invitationId })
      return invitedPerson(made)
    }),
    offeredRole: Effect.fnUntraced(function* (belongsTo: string, invitationId: string) {
      const found = yield* invitations.find(belongsTo, invitationId, yield* currentTime)
      return Option.map(found, ({ role }) => role)
    }),
    invitationsOf: ({ email }: Self) => Effect.flatMap(currentTime, (now) => invitations.to(email, now)),
    accept: span("People.accept")(function* (person: Self, invitationId: string) {
      return yield* self(yield* invitations.accept(invitationId, person, yield* currentTime), invitationId)
    }),
    decline: span("People.decline")(function* ({ email }: Self, invitationId: string) {
      return yield* self(yield* invitations.withdraw({ invitationId, email }), invitationId)
    })
  }
})

/** `email` is in lower case. */
const makeByIdentity = Effect.gen(function* () {
  const store = yield* PeopleStore.PeopleStore
  const invitations = yield* InvitationStore.InvitationStore
  const { openId } = (yield* Settings).of(signInSettings)

  const find = Effect.fnUntraced(function* ({ email, issuer, subject }: Identity) {
    const known = yield* store.byIdentity(issuer, subject)
    if (Option.isSome(known)) return { known: true, found: known }
    // An unverified address may belong to another person.
    if (Option.isNone(email)) return { known: false, found: Option.none() }
    const found = yield* store.byEmail(normalEmail(email.value))
    if (Option.isSome(found)) return { known: false, found }
    yield* invitations.enter(normalEmail(email.value), yield* currentTime)
    return { known: false, found: yield* store.byEmail(normalEmail(email.value)) }
  })

  return function* (identity: Identity): Effect.fn.Return<ByIdentity, UnknownPerson> {
    const { found, known } = yield* find(identity)
    // A missing claim is unknown, and removes nothing.
    const claimed = identity.values === undefined ? [] : rolesByClaim(openId?.roles ?? [], identity.values)
    const had = (belongsTo: string) =>
      Option.getOrUndefined(found)?.roles.find(({ belongs_to }) => belongs_to === belongsTo)?.role ?? null
    const changes = claimed.filter(({ belongsTo, role }) => role !== had(belongsTo))
    const email = Option.isSome(found) ? found.value.email : Option.getOrUndefined(identity.email)
    const now = yield* currentTime
    if (email === undefined) return yield* new UnknownPerson({ why: "the address is not verified" })
    const isInvited = (yield* invitations.to(normalEmail(email), now)).length > 0
    const hasRole = isInvited || (Option.isSome(found) && found.value.roles.length > 0)
    if (!hasRole && changes.every(({ role }) => role === null)) {
      return yield* new UnknownPerson({ why: "no person has this address" })
    }
    const link = Effect.fnUntraced(function* ({ person_id }: Person) {
      if (known || (yield* store.link(person_id, identity.issuer, identity.subject, now))) return
      return yield* new UnknownPerson({ why: "the person has another identity at this provider" })
    })
    // Before any role is given: the address may have been reassigned to another person.
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
    const isHere = person !== undefined && (isInvited || person.roles.length > 0)
    if (!isHere) {
      return yield* new UnknownPerson({ why: "the claim leaves the person no role" })
    }
    if (Option.isNone(found)) yield* link(person)
    return { person, changes: done }
  }
})
