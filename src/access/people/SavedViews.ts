/**
 * Front door to saved views, which are plain rows: they are written rarely, by plain statements in the turn of their
 * merchant.
 */
import { isoText } from "@coffer/model/isoText"
import type { CreateSavedView, UpdateSavedView } from "@coffer/contract/SavedViews"
import { savedViewsMax } from "@coffer/contract/SavedViews"
import { createdAtOf, savedViewPrefix } from "@coffer/model/Ids"
import { mayHoldAddress, wholeAddress } from "@coffer/rules/wholeAddress"
import { Context, type DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as oneAtATime from "../../platform/postgres/oneAtATime.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"

export const SavedView = Schema.Struct({
  view_id: Schema.String,
  belongs_to: Schema.String,
  person_id: Schema.String,
  page: Schema.String,
  name: Schema.String,
  query: Schema.String,
  is_shared: Schema.Boolean,
  created_at: TimeColumn,
  updated_at: TimeColumn
})
export type SavedView = typeof SavedView.Type

/** The person, and the merchant at which the person has a role. */
export interface Saver {
  readonly belongsTo: string
  readonly personId: string
}

export class SavedViews extends Context.Service<
  SavedViews,
  {
    /** The person's own and shared views, newest first. */
    readonly of: (saver: Saver) => Effect.Effect<ReadonlyArray<SavedView>>
    /** None: the limit is reached, or the person has lost the role meanwhile. */
    readonly insert: (saver: Saver, view: CreateSavedView) => Effect.Effect<Option.Option<SavedView>>
    /** `too_many`: the limit of shared views is reached. `missing`: not a view of the person. */
    readonly update: (
      saver: Saver,
      viewId: string,
      change: UpdateSavedView,
      now: DateTime.Utc
    ) => Effect.Effect<SavedView | "too_many" | "missing">
    /** `shared`: also another person's shared view. */
    readonly remove: (
      saver: Saver,
      viewId: string,
      options: { readonly shared: boolean }
    ) => Effect.Effect<Option.Option<SavedView>>
    /** The number of views with this address, which are removed. */
    readonly removeNaming: (belongsTo: string | undefined, email: string) => Effect.Effect<number>
  }
>()("@coffer/people/SavedViews") {}

const decode = Schema.decodeUnknownEffect(Schema.Array(SavedView))
const views = <E, R>(rows: Effect.Effect<ReadonlyArray<unknown>, E, R>) => Effect.flatMap(rows, decode)

export const layer = Layer.effect(
  SavedViews,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const ids = yield* NewIds
    const faults = yield* Faults
    const first = <E, R>(rows: Effect.Effect<ReadonlyArray<unknown>, E, R>) =>
      Effect.map(views(rows), ([view]) => Option.fromUndefinedOr(view))

    const serial = oneAtATime.make(sql)
    /** So that of two concurrent requests the second counts the first. */
    const inTurn = <A, E, R>({ belongsTo }: Saver, write: Effect.Effect<A, E, R>) =>
      faults.around(
        "Store.write",
        sqlDefects(
          Effect.andThen(sql`select pg_advisory_xact_lock(hashtext(${`coffer views of ${belongsTo}`}))`, write).pipe(
            sql.withTransaction,
            serial
          )
        ),
        () => "saved_views"
      )
    const own = ({ belongsTo, personId }: Saver) => sql`belongs_to = ${belongsTo} and person_id = ${personId}`
    const isFull = (saver: Saver, isShared: boolean) =>
      Effect.map(
        sql`select from saved_views where ${isShared ? sql`belongs_to = ${saver.belongsTo} and is_shared` : own(saver)}
          offset ${(isShared ? savedViewsMax.shared : savedViewsMax.own) - 1} limit 1`,
        ({ length }) => length > 0
      )

    return SavedViews.of({
      of: (saver) =>
        sqlDefects(
          views(sql`select * from saved_views where belongs_to = ${saver.belongsTo} and is_shared
            union select * from saved_views where ${own(saver)} order by view_id desc`)
        ),
      insert: (saver, { is_shared = false, name, page, query }) =>
        inTurn(
          saver,
          Effect.gen(function* () {
            if ((yield* isFull(saver, false)) || (is_shared && (yield* isFull(saver, true)))) return Option.none()
            const id = yield* ids.next(savedViewPrefix)
            const at = sql`${isoText(createdAtOf(id))}::text::timestamptz`
            return yield* first(sql`insert into saved_views
                (view_id, belongs_to, person_id, page, name, query, is_shared, created_at, updated_at)
              select ${id}, belongs_to, person_id, ${page}, ${name}, ${query}, ${is_shared}, ${at}, ${at}
              from memberships where ${own(saver)} for key share returning *`)
          })
        ),
      update: (saver, viewId, { is_shared, name, query }, now) =>
        inTurn(
          saver,
          Effect.gen(function* () {
            const found = yield* first(sql`select * from saved_views where view_id = ${viewId} and ${own(saver)}`)
            if (Option.isNone(found)) return "missing" as const
            const before = found.value
            const shares = is_shared === true && !before.is_shared
            if (shares && (yield* isFull(saver, true))) return "too_many" as const
            const [after] = yield* views(sql`update saved_views set name = ${name ?? before.name},
                query = ${query ?? before.query}, is_shared = ${is_shared ?? before.is_shared},
                updated_at = ${isoText(now)}::text::timestamptz
              where view_id = ${viewId} returning *`)
            return after ?? ("missing" as const)
          })
        ),
      remove: (saver, viewId, { shared }) =>
        inTurn(
          saver,
          first(sql`delete from saved_views where view_id = ${viewId} and belongs_to = ${saver.belongsTo}
            and (person_id = ${saver.personId} or (is_shared and ${shared})) returning *`)
        ),
      removeNaming: makeRemoveNaming(sql)
    })
  })
)

const makeRemoveNaming = (sql: SqlClient.SqlClient): SavedViews["Service"]["removeNaming"] =>
  Effect.fnUntraced(function* (belongsTo, email) {
    const address = wholeAddress(email)
    const some = yield* views(sql`select * from saved_views
    where ${belongsTo === undefined ? sql`true` : sql`belongs_to = ${belongsTo}`}
      and query || ' ' || name ~ ${mayHoldAddress}`)
    const naming = some.filter(({ name, query }) => address.isIn(query) || address.isIn(name))
    if (naming.length === 0) return 0
    const removed = yield* sql`delete from saved_views v
    using unnest(${naming.map((view) => view.view_id)}::text[], ${naming.map(({ query }) => query)}::text[],
      ${naming.map(({ name }) => name)}::text[]) as naming (view_id, query, name)
    where (v.view_id, v.query, v.name) = (naming.view_id, naming.query, naming.name) returning v.view_id`
    return removed.length
  }, sqlDefects)
