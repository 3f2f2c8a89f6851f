/**
 * Rows of invitations to roles (docs/decisions/0092). An invitation is for an address, not for a person. Its number is
 * shown as a person's, and becomes the number of a new person.
 */
import { consoleActs } from "@coffer/contract/acts"
import { isoText } from "@coffer/model/isoText"
import { createdAtOf, PersonId, personPrefix } from "@coffer/model/Ids"
import { standingProblem } from "@coffer/rules/operator/standing"
import { peopleMax } from "@coffer/rules/people/signIn"
import { Context, type DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import { type NewRole, type Person, peopleInTurn } from "./PeopleStore.ts"
import { type Inviter, makeInvites } from "./rolesThatInvite.ts"

const Invitation = Schema.Struct({
  invitation_id: PersonId,
  belongs_to: Schema.String,
  email: Schema.String,
  name: Schema.NullOr(Schema.String),
  role: Schema.String,
  /** The address of the inviting person; null: operators. */
  invited_by: Schema.NullOr(Schema.String),
  /** The inviting operator, and the people who may act as this operator. The invitation ends with each of them. */
  operator_ids: Schema.Array(Schema.String),
  created_at: TimeColumn,
  expires_at: TimeColumn
})
export type Invitation = typeof Invitation.Type

export interface NewInvitation extends NewRole {
  readonly by: Inviter
  readonly expiresAt: DateTime.Utc
}

/** The merchant was suspended or closed: no new people are admitted. */
export class MerchantStands extends Schema.TaggedError<MerchantStands>()("MerchantStands", {
  problem: Schema.String
}) {}

/** `invited`: it is offered already. `left`: the inviter has lost the right. */
export type NotInvited = "has_role" | "invited" | "too_many" | "left"

export class InvitationStore extends Context.Service<
  InvitationStore,
  {
    /** All invitations there, newest first. */
    readonly of: (belongsTo: string, now: DateTime.Utc) => Effect.Effect<ReadonlyArray<Invitation>>
    /** All invitations to this address, oldest first. */
    readonly to: (email: string, now: DateTime.Utc) => Effect.Effect<ReadonlyArray<Invitation>>
    readonly find: (
      belongsTo: string,
      invitationId: string,
      now: DateTime.Utc
    ) => Effect.Effect<Option.Option<Invitation>>
    /** `replaces`: whether an earlier one is changed. `send`: the last step of the same transaction. */
    readonly offer: <E>(
      invitation: NewInvitation,
      send: (invitation: Invitation) => Effect.Effect<void, E>
    ) => Effect.Effect<Invitation | NotInvited, E>
    /** `by`: who offers another one. Whether that person may do so now. */
    readonly setRole: (belongsTo: string, invitationId: string, role: string, by: Inviter) => Effect.Effect<boolean>
    /** Takes it back, or declines it. None: there is none. */
    readonly withdraw: (by: {
      readonly invitationId: string
      readonly belongsTo?: string
      readonly email?: string
    }) => Effect.Effect<Option.Option<Invitation>>
    /** Accepts the invitation: the person gets the role. None: withdrawn, expired, or for another address. */
    readonly accept: (
      invitationId: string,
      person: Pick<Person, "person_id" | "email">,
      now: DateTime.Utc
    ) => Effect.Effect<Option.Option<Invitation>, MerchantStands>
    /** Makes a person for an invited address that no person has; nothing without an invitation. */
    readonly enter: (email: string, now: DateTime.Utc) => Effect.Effect<void>
    readonly dropExpired: (now: DateTime.Utc, limit: number) => Effect.Effect<number>
  }
>()("@coffer/people/InvitationStore") {}

const read = Schema.decodeUnknownEffect(Schema.Array(Invitation))
const all = <E, R>(rows: Effect.Effect<ReadonlyArray<unknown>, E, R>) => Effect.flatMap(rows, read)
const first = <E, R>(rows: Effect.Effect<ReadonlyArray<unknown>, E, R>) =>
  Effect.map(all(rows), ([invitation]) => Option.fromUndefinedOr(invitation))
const timeIn = (sql: SqlClient.SqlClient) => (time: DateTime.Utc) => sql`${isoText(time)}::text::timestamptz`

export const layer = Layer.effect(
  InvitationStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const faults = yield* Faults
    const writing = <A, E>(write: Effect.Effect<A, E>) => faults.around("Store.write", write, () => "invitations")
    const inTurn = peopleInTurn(sql)
    const at = timeIn(sql)
    const accept = makeAccept(sql)
    const offer = yield* makeOffer(sql)
    const invites = makeInvites(sql)
    const to = (email: string, now: DateTime.Utc) =>
      all(sql`select * from invitations where email = ${email} and expires_at > ${at(now)}
        order by created_at, invitation_id`)

    return InvitationStore.of({
      of: (belongsTo, now) =>
        sqlDefects(
          all(sql`select * from invitations where belongs_to = ${belongsTo} and expires_at > ${at(now)}
            order by invitation_id desc`)
        ),
      to: (email, now) => sqlDefects(to(email, now)),
      find: (belongsTo, invitationId, now) =>
        isPersonId(invitationId)
          ? sqlDefects(
              first(sql`select * from invitations where invitation_id = ${invitationId}
                and belongs_to = ${belongsTo} and expires_at > ${at(now)}`)
            )
          : Effect.succeedNone,
      offer: (invitation, send) => writing(sqlDefects(inTurn(invitation.belongsTo, offer(invitation, send)))),
      setRole: (belongsTo, invitationId, role, by) => {
        const set = sql`update invitations set role = ${role}
          where invitation_id = ${invitationId} and belongs_to = ${belongsTo}`
        const setIfMay = Effect.gen(function* () {
          const may = yield* invites(by, belongsTo)
          if (may) yield* set
          return may
        })
        return writing(sqlDefects(inTurn(belongsTo, setIfMay)))
      },
      withdraw: ({ belongsTo, email, invitationId }) =>
        isPersonId(invitationId)
          ? writing(
              sqlDefects(
                first(
                  sql`delete from invitations where ${sql.and([
                    sql`invitation_id = ${invitationId}`,
                    ...(belongsTo === undefined ? [] : [sql`belongs_to = ${belongsTo}`]),
                    ...(email === undefined ? [] : [sql`email = ${email}`])
                  ])} returning *`
                )
              )
            )
          : Effect.succeedNone,
      accept: Effect.fnUntraced(function* (invitationId, person, now) {
        if (!isPersonId(invitationId)) return Option.none()
        const found = yield* sqlDefects(first(sql`select * from invitations where invitation_id = ${invitationId}`))
        if (Option.isNone(found)) return found
        return yield* writing(sqlDefects(inTurn(found.value.belongs_to, accept(found.value, person, now))))
      }),
      enter: (email, now) =>
        writing(
          sqlDefects(
            Effect.flatMap(to(email, now), ([invitation]) =>
              invitation === undefined
                ? Effect.void
                : Effect.asVoid(sql`insert into people (person_id, email, name, created_at)
                    values (${invitation.invitation_id}, ${email}, ${email}, ${at(invitation.created_at)})
                    on conflict do nothing`)
            )
          )
        ),
      dropExpired: (now, limit) =>
        sqlDefects(
          Effect.map(
            sql`delete from invitations where invitation_id in (select invitation_id from invitations
              where expires_at <= ${at(now)} limit ${limit} for update skip locked) returning 1`,
            ({ length }) => length
          )
        )
    })
  })
)

/** Why no role can be accepted there now; undefined if it can, as always at the installation. */
const makeProblemAt = (sql: SqlClient.SqlClient) => {
  const standingOf = SqlSchema.findAll({
    Request: Schema.String,
    Result: Schema.Struct({ suspended_at: Schema.NullOr(TimeColumn), closed_at: Schema.NullOr(TimeColumn) }),
    execute: (belongsTo) =>
      sql`select suspended_at, closed_at from merchants where merchant_id = ${belongsTo} for share`
  })
  return (belongsTo: string, now: DateTime.Utc) =>
    Effect.map(standingOf(belongsTo), ([merchant]) =>
      merchant === undefined ? undefined : standingProblem(merchant, now, consoleActs["invitations.accept"].state)
    )
}

/** Runs in the turn of its place, which is a transaction. */
const makeAccept = (sql: SqlClient.SqlClient) => {
  const at = timeIn(sql)
  const problemAt = makeProblemAt(sql)
  return Effect.fnUntraced(function* (
    { belongs_to, invitation_id }: Invitation,
    { email, person_id }: Pick<Person, "person_id" | "email">,
    now: DateTime.Utc
  ) {
    const problem = yield* problemAt(belongs_to, now)
    if (problem !== undefined) return yield* new MerchantStands({ problem })
    // A concurrent call may be removing the last other role, and then ends the sessions.
    yield* sql`select from people where person_id = ${person_id} for key share`
    const taken = yield* first(sql`delete from invitations
        where invitation_id = ${invitation_id} and email = ${email} and expires_at > ${at(now)} returning *`)
    if (Option.isNone(taken)) return taken
    const { name, role } = taken.value
    yield* sql`insert into memberships (person_id, belongs_to, role, created_at)
        values (${person_id}, ${belongs_to}, ${role}, ${at(now)}) on conflict do nothing`
    // A person without a name gets the one that the inviter has typed.
    yield* sql`update people set name = ${name ?? email} where person_id = ${person_id} and name = email`
    return taken
  })
}

/** Runs in its place's turn, which is a transaction. */
const makeOffer = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const ids = yield* NewIds
  const invites = makeInvites(sql)
  return Effect.fnUntraced(function* <E>(
    { belongsTo, by, email, expiresAt, name, now, replaces, role }: NewInvitation,
    send: (invitation: Invitation) => Effect.Effect<void, E>
  ) {
    if (!(yield* invites(by, belongsTo))) return "left" as const
    const members = yield* sql`select from memberships join people using (person_id)
      where belongs_to = ${belongsTo} and email = ${email}`
    if (members.length > 0) return "has_role" as const
    const open = yield* sql<{ readonly email: string }>`select email from invitations
      where belongs_to = ${belongsTo} and expires_at > ${isoText(now)}::text::timestamptz`
    const isOpen = open.some((each) => each.email === email)
    if (isOpen && !replaces) return "invited" as const
    const here = yield* sql`select from memberships where belongs_to = ${belongsTo}`
    if (!isOpen && here.length + open.length >= peopleMax) return "too_many" as const
    const id = yield* ids.next(personPrefix)
    const operators = by.email === null ? [by.operatorId, ...by.personIds] : []
    const [invitation] = yield* Effect.flatMap(
      sql`insert into invitations
          (invitation_id, belongs_to, email, name, role, invited_by, operator_ids, created_at, expires_at)
        values (${id}, ${belongsTo}, ${email}, ${name ?? null}, ${role}, ${by.email}, ${operators}::text[],
          ${isoText(createdAtOf(id))}::text::timestamptz, ${isoText(expiresAt)}::text::timestamptz)
        on conflict (belongs_to, email) do update set name = excluded.name, role = excluded.role,
          invited_by = excluded.invited_by, operator_ids = excluded.operator_ids, expires_at = excluded.expires_at
        returning *`,
      read
    )
    yield* send(invitation!)
    return invitation!
  })
})

/** A text that cannot be a number is not looked up: Postgres refuses a text with NUL. */
const isPersonId = Schema.is(PersonId)
