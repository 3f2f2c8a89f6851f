/** Rows of people and of their roles. They are written rarely: plain statements, and no owner. */
import { isoText } from "@coffer/model/isoText"
import { createdAtOf, PersonId, personPrefix } from "@coffer/model/Ids"
import { installation } from "@coffer/model/PersonRole"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { Page, PageRequest } from "@coffer/rules/lists/pageRequest"
import { peopleMax } from "@coffer/rules/people/signIn"
import { Context, type DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import * as numbersInOrder from "../../platform/postgres/numbersInOrder.ts"
import * as Pages from "../../platform/postgres/Pages.ts"
import { equals } from "../../platform/postgres/scans.ts"
import * as oneAtATime from "../../platform/postgres/oneAtATime.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import { makeEnds } from "./endAccess.ts"
import { type Inviter, makeInvites, makeWithdraw } from "./rolesThatInvite.ts"

export const Membership = Schema.Struct({
  /** The number of a merchant, or `installation`. */
  belongs_to: Schema.String,
  role: Schema.String,
  created_at: TimeColumn,
  /** Sessions opened before do not have this role: an owner has ended them there. */
  sessions_after: Schema.NullOr(TimeColumn)
})
export type Membership = typeof Membership.Type

const PersonRow = Schema.Struct({
  person_id: PersonId,
  email: Schema.String,
  name: Schema.String,
  created_at: TimeColumn,
  last_seen_at: Schema.NullOr(TimeColumn)
})

export interface Person extends Schema.Schema.Type<typeof PersonRow> {
  readonly roles: ReadonlyArray<Membership>
  /** A typed invitation: the role is not accepted yet, and nothing of a person is in it. */
  readonly isInvited?: true
}

/** A person, or an invitation. */
const ListedRow = Schema.Struct({
  ...PersonRow.fields,
  invited_to: Schema.NullOr(Schema.String),
  invited_as: Schema.NullOr(Schema.String)
})

export interface PeopleQuery {
  readonly merchant_id?: string
  readonly role?: string
  readonly search?: string
}

export interface NewRole {
  /** As `normalEmail` has it. */
  readonly email: string
  readonly name: string | undefined
  readonly belongsTo: string
  readonly role: string
  readonly now: DateTime.Utc
  /** True: replaces an existing role of the person there; otherwise nothing is written. */
  readonly replaces: boolean
}

/** The role of a member. */
export interface ChangedRole extends Pick<NewRole, "email" | "belongsTo" | "role"> {
  /** The operator who changes it. */
  readonly by: Inviter
}

/** The reason why nothing was written. */
export type NotGiven = "has_role" | "too_many" | "last_owner" | "left"

export class PeopleStore extends Context.Service<
  PeopleStore,
  {
    readonly find: (personId: string) => Effect.Effect<Option.Option<Person>>
    readonly byEmail: (email: string) => Effect.Effect<Option.Option<Person>>
    /** Whether the person has a role at a merchant that is approved for live. */
    readonly isOfLive: (personId: PersonId) => Effect.Effect<boolean>
    readonly byIdentity: (issuer: string, subject: string) => Effect.Effect<Option.Option<Person>>
    /** Whether a merchant has no other owner. */
    readonly isLastOwner: (personId: PersonId) => Effect.Effect<boolean>
    /** Revokes all access: passkeys, sessions, links, and tokens of the operators' API. */
    /** False, and nothing is revoked, if the person has a role at another place than `onlyAt`. */
    readonly revokeAllAccess: (personId: PersonId, onlyAt?: string) => Effect.Effect<boolean>
    /** Links the person to this subject of the provider. False: the person or the subject is linked already. */
    readonly link: (personId: PersonId, issuer: string, subject: string, now: DateTime.Utc) => Effect.Effect<boolean>
    /** Newest first, with invitations. */
    readonly page: (request: PageRequest, query: PeopleQuery) => Effect.Effect<Page<Person>, InvalidField>
    /** All people with a role there, newest first. */
    readonly of: (belongsTo: string) => Effect.Effect<ReadonlyArray<Person>>
    /** Gives a role without an invitation: by a provider's claim, or at the terminal. */
    readonly give: (role: NewRole) => Effect.Effect<Person | NotGiven>
    /** None: the person has no role there. */
    readonly change: (role: ChangedRole) => Effect.Effect<Option.Option<Person | NotGiven>>
    /** The role counts only in sessions that are opened from now on. Whether the person has it. */
    readonly endSessionsAt: (personId: string, belongsTo: string, now: DateTime.Utc) => Effect.Effect<boolean>
    readonly setRole: (
      personId: string,
      belongsTo: string,
      role: string,
      by: Inviter
    ) => Effect.Effect<Option.Option<NotGiven>>
    /**
     * Removes a role. All sessions of a person whose last role it was end. `spares`: whether the last owner keeps the
     * role. None: the person has no role there; without `spares`, there is no such person.
     */
    readonly take: (
      personId: string,
      belongsTo: string,
      options: { readonly spares: boolean }
    ) => Effect.Effect<Option.Option<Person | NotGiven>>
  }
>()("@coffer/people/PeopleStore") {}

export const layer = Layer.effect(
  PeopleStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const faults = yield* Faults
    const writing = <A>(write: Effect.Effect<A>) => faults.around("Store.write", write, () => "people")
    const pages = makePages(sql)
    const { change, endSessionsAt, first, give, inTurn, members, setRole, revokeAllAccess, take, withRoles } =
      yield* makeWrites(sql)

    return PeopleStore.of({
      find: (personId) => (isPersonId(personId) ? sqlDefects(first("person_id", personId)) : Effect.succeedNone),
      byEmail: (email) => sqlDefects(first("email", email)),
      byIdentity: (issuer, subject) =>
        sqlDefects(
          Effect.flatMap(
            sql<{ readonly person_id: string }>`select person_id from openid_identities
              where issuer = ${issuer} and subject = ${subject}`,
            ([row]) => (row === undefined ? Effect.succeedNone : first("person_id", row.person_id))
          )
        ),
      isLastOwner: (personId) =>
        sqlDefects(
          Effect.map(
            sql`select from memberships m where person_id = ${personId} and role = 'owner' and not exists (
              select from memberships other where other.belongs_to = m.belongs_to and other.role = 'owner'
                and other.person_id <> m.person_id) limit 1`,
            ({ length }) => length > 0
          )
        ),
      revokeAllAccess: (...args) => writing(sqlDefects(sql.withTransaction(revokeAllAccess(...args)))),
      link: (personId, issuer, subject, now) =>
        writing(
          sqlDefects(
            Effect.map(
              Effect.andThen(
                sql`insert into openid_identities (issuer, subject, person_id, created_at)
                  values (${issuer}, ${subject}, ${personId}, ${isoText(now)}::text::timestamptz)
                  on conflict do nothing`,
                // Another request may have made the same.
                sql`select from openid_identities
                  where issuer = ${issuer} and subject = ${subject} and person_id = ${personId}`
              ),
              ({ length }) => length > 0
            )
          )
        ),
      isOfLive: (personId) =>
        sqlDefects(
          Effect.map(
            sql`select from memberships join merchants on merchant_id = belongs_to
              where person_id = ${personId} and approved limit 1`,
            ({ length }) => length > 0
          )
        ),
      page: Effect.fnUntraced(function* (request, query) {
        const { data, hasMore } = yield* pages.page("installation", request, { filters: filtersOf(sql, query) })
        const people = yield* sqlDefects(withRoles(data))
        return { data: people.map((person, index) => ({ ...person, ...invitedIn(data[index]!) })), hasMore }
      }),
      of: (belongsTo) => sqlDefects(Effect.flatMap(members(belongsTo), withRoles)),
      give: (role) => writing(sqlDefects(inTurn(role.belongsTo, give(role)))),
      change: (role) => writing(sqlDefects(inTurn(role.belongsTo, change(role)))),
      endSessionsAt: (personId, belongsTo, now) =>
        writing(sqlDefects(sql.withTransaction(endSessionsAt(personId, belongsTo, now)))),
      setRole: (personId, belongsTo, role, by) =>
        writing(sqlDefects(inTurn(belongsTo, setRole(personId, belongsTo, role, by)))),
      take: (personId, belongsTo, { spares }) =>
        isPersonId(personId)
          ? writing(sqlDefects(inTurn(belongsTo, take(personId, belongsTo, spares))))
          : Effect.succeedNone
    })
  })
)

const makePages = (sql: SqlClient.SqlClient) =>
  Pages.make(sql, {
    table: {
      name: "people_and_invited",
      key: "person_id",
      row: ListedRow,
      read: (row: typeof ListedRow.Type) => row
    },
    prefixOf: () => personPrefix,
    called: "a person"
  })

const filtersOf = (sql: SqlClient.SqlClient, { merchant_id, role, search }: PeopleQuery) => [
  ...(merchant_id === undefined && role === undefined
    ? []
    : [
        sql`exists (select from (select m.belongs_to, m.role from memberships m
            where m.person_id = people_and_invited.person_id
            union all select invited_to, invited_as) as roles (belongs_to, role)
          where ${sql.and([
            ...(merchant_id === undefined ? [] : [equals(sql, "belongs_to", merchant_id)]),
            ...(role === undefined ? [] : [equals(sql, "role", role)])
          ])})`
      ]),
  ...(search === undefined ? [] : [sql`position(lower(${search}) in lower(name || ' ' || email)) > 0`])
]

/** The role that a row offers. */
const invitedIn = ({ created_at, invited_as, invited_to }: typeof ListedRow.Type): Partial<Person> =>
  invited_to === null || invited_as === null
    ? {}
    : {
        isInvited: true,
        roles: [{ belongs_to: invited_to, role: invited_as, created_at, sessions_after: null }]
      }

const makeReads = (sql: SqlClient.SqlClient) => {
  const some = SqlSchema.findAll({
    Request: Schema.Struct({ by: Schema.Literals(["person_id", "email"]), is: Schema.String }),
    Result: PersonRow,
    execute: ({ by, is }) => sql`select * from people where ${sql(by)} = ${is}`
  })
  const rolesOf = SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: Schema.Struct({ person_id: Schema.String, ...Membership.fields }),
    execute: (ids) =>
      sql`select person_id, belongs_to, role, created_at, sessions_after from memberships
        where person_id = any(${[...ids]}::text[])
        order by created_at, belongs_to`
  })
  const withRoles = Effect.fnUntraced(function* (rows: ReadonlyArray<typeof PersonRow.Type>) {
    const roles = rows.length === 0 ? [] : yield* rolesOf(rows.map(({ person_id }) => person_id))
    return rows.map((row): Person => ({
      ...row,
      roles: roles.filter(({ person_id }) => person_id === row.person_id)
    }))
  })
  const first = (by: "person_id" | "email", is: string) =>
    Effect.map(Effect.flatMap(some({ by, is }), withRoles), ([person]) => Option.fromUndefinedOr(person))
  const members = SqlSchema.findAll({
    Request: Schema.String,
    Result: PersonRow,
    execute: (belongsTo) =>
      sql`select p.* from memberships m join people p using (person_id) where m.belongs_to = ${belongsTo}
        order by p.person_id desc`
  })

  return { first, members, withRoles }
}

/** Changes of the people of one merchant are serialized. */
export const peopleInTurn = (sql: SqlClient.SqlClient) => {
  const serial = oneAtATime.make(sql)
  return <A, E, R>(belongsTo: string, write: Effect.Effect<A, E, R>) =>
    Effect.andThen(sql`select pg_advisory_xact_lock(hashtext(${`coffer people of ${belongsTo}`}))`, write).pipe(
      sql.withTransaction,
      serial
    )
}

const makeRoles = (sql: SqlClient.SqlClient) => {
  const roleOf = (personId: string, belongsTo: string) =>
    Effect.map(
      sql<{ readonly role: string }>`select role from memberships
        where belongs_to = ${belongsTo} and person_id = ${personId}`,
      ([row]) => row?.role
    )
  const isLastOwner = Effect.fnUntraced(function* (personId: string, belongsTo: string) {
    const others = yield* sql`select from memberships
      where belongs_to = ${belongsTo} and role = 'owner' and person_id <> ${personId} limit 1`
    return (yield* roleOf(personId, belongsTo)) === "owner" && others.length === 0
  })

  return { isLastOwner, roleOf }
}

/** Changes to a member. They run in a turn as the others do. */
const makeChanges = (sql: SqlClient.SqlClient) => {
  const { first } = makeReads(sql)
  const { endChanges } = makeEnds(sql)
  const { isLastOwner, roleOf } = makeRoles(sql)
  const withdrawOffersOf = makeWithdraw(sql)
  const invites = makeInvites(sql)

  const change = Effect.fnUntraced(function* ({ belongsTo, by, email, role }: ChangedRole) {
    const found = yield* first("email", email)
    if (Option.isNone(found)) return found
    const { person_id } = found.value
    if ((yield* roleOf(person_id, belongsTo)) === undefined) return Option.none()
    const refused = yield* setRole(person_id, belongsTo, role, by)
    return Option.isSome(refused) ? refused : yield* first("person_id", person_id)
  })

  const setRole = Effect.fnUntraced(function* (personId: string, belongsTo: string, role: string, by: Inviter) {
    if (!(yield* invites(by, belongsTo))) return Option.some("left" as const)
    if (role !== "owner" && (yield* isLastOwner(personId, belongsTo))) return Option.some("last_owner" as const)
    yield* endChanges(personId)
    yield* sql`update memberships set role = ${role} where belongs_to = ${belongsTo} and person_id = ${personId}`
    const person = yield* first("person_id", personId)
    if (Option.isSome(person)) yield* withdrawOffersOf(person.value, belongsTo, role)
    return Option.none()
  })

  const endSessionsAt = (personId: string, belongsTo: string, now: DateTime.Utc) =>
    Effect.map(
      Effect.andThen(
        endChanges(personId),
        sql`update memberships set sessions_after = ${isoText(now)}::text::timestamptz
          where belongs_to = ${belongsTo} and person_id = ${personId} returning 1`
      ),
      ({ length }) => length > 0
    )

  return { change, endSessionsAt, setRole }
}

/** Each of them runs in its merchant's turn, which is a transaction. */
const makeWrites = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const { first, members, withRoles } = makeReads(sql)
  const { endAsOperator, endChanges, revokeAllAccess } = makeEnds(sql)
  const withdrawOffersOf = makeWithdraw(sql)
  const { isLastOwner, roleOf } = makeRoles(sql)
  const numbering = numbersInOrder.make(sql, yield* NewIds, {
    table: "people",
    key: "person_id",
    prefix: personPrefix
  })
  const inTurn = peopleInTurn(sql)
  const insertPerson = ({ email, name = email }: NewRole) =>
    numbering((id) =>
      Effect.gen(function* () {
        yield* sql`insert into people (person_id, email, name, created_at)
          values (${id}, ${email}, ${name}, ${isoText(createdAtOf(id))}::text::timestamptz)
          on conflict (email) do nothing`
        return yield* first("email", email)
      })
    )

  const give = Effect.fnUntraced(function* (newRole: NewRole) {
    const { belongsTo, email, now, replaces, role } = newRole
    // A concurrent call may be removing the last other role, and then ends the sessions.
    yield* sql`select from people where email = ${email} for key share`
    const found = yield* first("email", email)
    const person = Option.isSome(found) ? found : yield* insertPerson(newRole)
    const { person_id } = Option.getOrThrow(person)
    const had = yield* roleOf(person_id, belongsTo)
    if (had !== undefined && !replaces) return "has_role" as const
    if (had === "owner" && role !== "owner" && (yield* isLastOwner(person_id, belongsTo))) return "last_owner" as const
    if (had === undefined && (yield* members(belongsTo)).length >= peopleMax) return "too_many" as const
    yield* endChanges(person_id)
    yield* sql`insert into memberships (person_id, belongs_to, role, created_at)
      values (${person_id}, ${belongsTo}, ${role}, ${isoText(now)}::text::timestamptz)
      on conflict (belongs_to, person_id) do update set role = excluded.role`
    yield* sql`delete from invitations where belongs_to = ${belongsTo} and email = ${email}`
    yield* withdrawOffersOf({ email, person_id }, belongsTo, role)
    return Option.getOrThrow(yield* first("person_id", person_id))
  })

  const take = Effect.fnUntraced(function* (personId: string, belongsTo: string, spares: boolean) {
    // A role that is given at the same time is seen below.
    yield* sql`select from people where person_id = ${personId} for update`
    const found = yield* first("person_id", personId)
    if (Option.isNone(found)) return Option.none()
    // For an operator this may be a retry of a call whose answer was lost.
    if ((yield* roleOf(personId, belongsTo)) === undefined) return spares ? Option.none() : Option.some(found.value)
    if (spares && (yield* isLastOwner(personId, belongsTo))) return Option.some("last_owner" as const)
    yield* endChanges(personId)
    yield* sql`delete from memberships where belongs_to = ${belongsTo} and person_id = ${personId}`
    yield* withdrawOffersOf(found.value, belongsTo)
    if (belongsTo === installation) yield* endAsOperator(personId)
    const others = yield* sql`select from memberships where person_id = ${personId} limit 1`
    if (others.length === 0) {
      // A person who is invited again starts over.
      yield* revokeAllAccess(personId)
      yield* sql`delete from openid_identities where person_id = ${personId}`
    }
    const roles = found.value.roles.filter(({ belongs_to }) => belongs_to !== belongsTo)
    return Option.some({ ...found.value, roles })
  })

  return { ...makeChanges(sql), first, give, inTurn, members, revokeAllAccess, take, withRoles }
})

/** A text that cannot be a number is not looked up: Postgres refuses a text with NUL. */
const isPersonId = Schema.is(PersonId)
