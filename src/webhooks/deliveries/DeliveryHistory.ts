/** Deliveries and their attempts as they are read back. They are written with their events, and by `DeliveryStore`. */
import { EventType } from "@coffer/model/EventType"
import { prefixes } from "@coffer/model/Ids"
import { belongsTo, type Account } from "@coffer/model/Account"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { Page, PageRequest } from "@coffer/rules/lists/pageRequest"
import { rowFields } from "@coffer/resources/listed"
import { deliveries } from "@coffer/resources/webhooks"
import { Context, Effect, identity, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ListHorizon } from "../../platform/postgres/ListHorizon.ts"
import * as Pages from "../../platform/postgres/Pages.ts"
import { along, equals, isStorable, type Search } from "../../platform/postgres/scans.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"

const DeliveryRow = Schema.Struct(rowFields(deliveries, TimeColumn))
type DeliveryRow = typeof DeliveryRow.Type

const AttemptRow = Schema.Struct({
  delivery_id: Schema.String,
  attempt: Schema.Int,
  at: TimeColumn,
  duration_ms: Schema.Int,
  status_code: Schema.NullOr(Schema.Int),
  failure: Schema.NullOr(Schema.String),
  snippet: Schema.NullOr(Schema.String)
})

/** A delivery with the type of its event and its attempts, in their order. */
export interface Delivery extends DeliveryRow {
  readonly event_type: EventType
  readonly attempts: ReadonlyArray<typeof AttemptRow.Type>
}

export interface DeliveryFilters {
  readonly event_id?: string
  readonly endpoint_id?: string
  readonly status?: DeliveryRow["status"]
}

export class DeliveryHistory extends Context.Service<
  DeliveryHistory,
  {
    /** Without an account: of any account. */
    readonly find: (id: string, account?: Account) => Effect.Effect<Option.Option<Delivery>>
    /** Newest first. */
    readonly page: (
      account: Account,
      request: PageRequest,
      filters: DeliveryFilters
    ) => Effect.Effect<Page<Delivery>, InvalidField>
  }
>()("@coffer/webhooks/DeliveryHistory") {}

export const layer = Layer.effect(
  DeliveryHistory,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const row = SqlSchema.findOneOption({
      Request: Schema.String,
      Result: DeliveryRow,
      execute: (id) => sql`select * from deliveries where id = ${id}`
    })
    const typesOf = SqlSchema.findAll({
      Request: Schema.Array(Schema.String),
      Result: Schema.Struct({ id: Schema.String, type: EventType }),
      execute: (ids) => sql`select id, type from events where id = any(${ids})`
    })
    const attemptsOf = SqlSchema.findAll({
      Request: Schema.Array(Schema.String),
      Result: AttemptRow,
      execute: (ids) => sql`select * from delivery_attempts where delivery_id = any(${ids}) order by attempt`
    })

    const whole = Effect.fnUntraced(function* (rows: ReadonlyArray<DeliveryRow>) {
      if (rows.length === 0) return []
      const types = yield* typesOf([...new Set(rows.map(({ event_id }) => event_id))])
      const typeOf = new Map(types.map(({ id, type }) => [id, type]))
      const attempts = Map.groupBy(yield* attemptsOf(rows.map(({ id }) => id)), ({ delivery_id }) => delivery_id)
      return rows.map((delivery): Delivery => ({
        ...delivery,
        event_type: typeOf.get(delivery.event_id)!,
        attempts: attempts.get(delivery.id) ?? []
      }))
    }, sqlDefects)

    const pages = Pages.make(
      sql,
      {
        table: { name: "deliveries", key: "id", row: DeliveryRow, read: identity },
        prefixOf: () => prefixes.delivery,
        called: "a delivery",
        dropped: ["deliveries", "sandbox_orders"]
      },
      yield* ListHorizon
    )

    return DeliveryHistory.of({
      find: Effect.fnUntraced(function* (id, account) {
        if (!isStorable(id)) return Option.none()
        const found = Option.filter(yield* row(id), (delivery) => isOwned(account, delivery))
        return Option.fromNullishOr((yield* whole(Option.toArray(found)))[0])
      }, sqlDefects),
      page: Effect.fnUntraced(function* (account, request, filters) {
        const page = yield* pages.page(account, request, searchOf(sql, filters))
        return { ...page, data: yield* whole(page.data) }
      })
    })
  })
)

const isOwned = (account: Account | undefined, { merchant_id: merchantId, mode }: DeliveryRow) =>
  account === undefined || belongsTo(account, { merchantId, mode })

/** Each delivery has one state, so a list without a filter by state merges the lists of all states. */
const searchOf = (sql: SqlClient.SqlClient, { endpoint_id, event_id, status }: DeliveryFilters): Search => {
  const states = status === undefined ? deliveries.columns.status.schema.literals : [status]
  const inState = status === undefined ? [] : [sql`status = ${status}`]
  const ofEndpoint = endpoint_id === undefined ? [] : [equals(sql, "endpoint_id", endpoint_id)]
  if ([endpoint_id, event_id].some((id) => id !== undefined && !isStorable(id))) return { filters: [sql`false`] }
  // An event has few deliveries: nothing to merge.
  if (event_id !== undefined) return { path: along({ event_id }), filters: [...ofEndpoint, ...inState] }
  if (endpoint_id === undefined) return { path: along(...states.map((state) => ({ status: state }))), filters: [] }
  const path = along(...states.map((state) => ({ endpoint_id, status: state })))
  return { path: { ...path, needs: [sql`endpoint_id is not null`] }, filters: [] }
}
