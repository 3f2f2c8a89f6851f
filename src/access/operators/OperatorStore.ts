/** Rows of operators. They are written rarely: plain statements, and no owner. */
import type { Asker } from "@coffer/contract/Caller"
import { isoText } from "@coffer/model/isoText"
import { OperatorId, prefixes } from "@coffer/model/Ids"
import { installation } from "@coffer/model/PersonRole"
import { Role } from "@coffer/model/Role"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { Page, PageRequest } from "@coffer/rules/lists/pageRequest"
import { mayDo } from "@coffer/rules/people/mayDo"
import { Operator } from "@coffer/rules/operator/Operator"
import { Context, type DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import * as numbersInOrder from "../../platform/postgres/numbersInOrder.ts"
import * as Pages from "../../platform/postgres/Pages.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import { makeStillMay } from "./stillMay.ts"

const OperatorRow = Schema.Struct({
  operator_id: OperatorId,
  name: Schema.String,
  role: Operator.fields.role,
  person_ids: Operator.fields.personIds,
  created_at: TimeColumn,
  expires_at: TimeColumn,
  revoked_at: Schema.NullOr(TimeColumn)
})

/** A token's row, with each of its people's current role at the installation; null: none. */
const TokenRow = Schema.Struct({ ...OperatorRow.fields, roles_now: Schema.Array(Schema.NullOr(Operator.fields.role)) })

export interface OfToken {
  readonly operator: Operator
  readonly rolesNow: ReadonlyArray<Role | null>
}

const isRole = Schema.is(Role)

type Make = (operatorId: OperatorId) => Operator

export class OperatorStore extends Context.Service<
  OperatorStore,
  {
    /** The operator whose token has this hash. */
    readonly byTokenHash: (hash: string) => Effect.Effect<Option.Option<OfToken>>
    /** Whether the person has a role of the installation. */
    readonly isHere: (personId: string) => Effect.Effect<boolean>
    /** None: its creator has lost the right to make it. */
    readonly insert: (numbered: Make, tokenHash: string, by: Asker) => Effect.Effect<Option.Option<Operator>>
    /** The operator, revoked: now, or when it was first. */
    readonly revoke: (operatorId: string, now: DateTime.Utc) => Effect.Effect<Option.Option<Operator>>
    /** The same for the first admin ever; none, and nothing is written, if there was one before. */
    readonly insertFirst: (numbered: Make, tokenHash: string) => Effect.Effect<Option.Option<Operator>>
    /** Newest first. */
    readonly page: (request: PageRequest) => Effect.Effect<Page<Operator>, InvalidField>
  }
>()("@coffer/operators/OperatorStore") {}

export const layer = Layer.effect(
  OperatorStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const faults = yield* Faults
    const writing = <A>(write: Effect.Effect<A>) => faults.around("Store.write", write, () => "operators")
    const pages = Pages.make(sql, {
      table: { name: "operators", key: "operator_id", row: OperatorRow, read: operatorOf },
      prefixOf: () => prefixes.operator,
      called: "an operator"
    })
    const byTokenHash = SqlSchema.findOneOption({
      Request: Schema.String,
      Result: TokenRow,
      execute: (hash) => sql`select o.*, array(select m.role from unnest(o.person_ids) as known (person_id)
          left join memberships m on m.person_id = known.person_id and m.belongs_to = ${installation}) as roles_now
        from operators o where token_hash = ${hash}`
    })
    const revoke = makeRevoke(sql)
    const row = (operator: Operator, tokenHash: string) =>
      sql`${operator.operatorId}, ${operator.name}, ${operator.role}, ${[...operator.personIds]}::text[], ${tokenHash},
        ${isoText(operator.createdAt)}::text::timestamptz, ${isoText(operator.expiresAt)}::text::timestamptz`
    const into = sql`operators (operator_id, name, role, person_ids, token_hash, created_at, expires_at)`
    const numbering = numbersInOrder.make(sql, yield* NewIds, {
      table: "operators",
      key: "operator_id",
      prefix: prefixes.operator
    })
    const stillMay = makeStillMay(sql)
    const insert = (numbered: Make, tokenHash: string, by: Asker) =>
      numbering(
        Effect.fnUntraced(function* (id) {
          const may = yield* stillMay(by, installation, (role) => isRole(role) && mayDo(role, "operators.create"))
          if (!may) return Option.none()
          const operator = numbered(OperatorId.make(id))
          yield* sql`insert into ${into} values (${row(operator, tokenHash)})`
          return Option.some(operator)
        })
      )
    // Of several concurrent calls one gets the row of `first_admin`.
    const insertFirst = (numbered: Make, tokenHash: string) =>
      numbering((id) => {
        const operator = numbered(OperatorId.make(id))
        return Effect.map(
          sql`with first as (insert into first_admin select true
            where not exists (select from operators where role = 'admin') on conflict do nothing returning 1)
          insert into ${into} select ${row(operator, tokenHash)} from first returning 1`,
          (rows) => (rows.length > 0 ? Option.some(operator) : Option.none())
        )
      })

    return OperatorStore.of({
      byTokenHash: (hash) =>
        sqlDefects(
          Effect.map(
            byTokenHash(hash),
            Option.map((row): OfToken => ({ operator: operatorOf(row), rolesNow: row.roles_now }))
          )
        ),
      isHere: (personId) =>
        sqlDefects(
          Effect.map(
            sql`select from memberships where person_id = ${personId} and belongs_to = ${installation}`,
            ({ length }) => length > 0
          )
        ),
      insert: (numbered, tokenHash, by) => writing(sqlDefects(insert(numbered, tokenHash, by))),
      revoke: (operatorId, now) =>
        isOperatorId(operatorId)
          ? writing(sqlDefects(Effect.map(revoke({ operatorId, at: isoText(now) }), Option.map(operatorOf))))
          : Effect.succeedNone,
      insertFirst: (numbered, tokenHash) => writing(sqlDefects(insertFirst(numbered, tokenHash))),
      page: (request) => pages.page("installation", request, { filters: [] })
    })
  })
)

/** Invitations by the token end with it. */
const makeRevoke = (sql: SqlClient.SqlClient) => {
  const revoke = SqlSchema.findOneOption({
    Request: Schema.Struct({ operatorId: OperatorId, at: Schema.String }),
    Result: OperatorRow,
    execute: ({ at, operatorId }) =>
      sql`update operators set revoked_at = coalesce(revoked_at, ${at}::text::timestamptz)
        where operator_id = ${operatorId} returning *`
  })
  return (token: { readonly operatorId: OperatorId; readonly at: string }) =>
    sql.withTransaction(
      Effect.tap(
        revoke(token),
        () => sql`delete from invitations where operator_ids @> array[${token.operatorId}]::text[]`
      )
    )
}

const operatorOf = (row: typeof OperatorRow.Type): Operator => ({
  operatorId: row.operator_id,
  name: row.name,
  role: row.role,
  personIds: row.person_ids,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at
})

/** A text that cannot be a number is not looked up: Postgres refuses a text with NUL. */
const isOperatorId = Schema.is(OperatorId)
