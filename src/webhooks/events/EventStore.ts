/** Rows of events, as they are read back. They are written as changes by the rooms that record them. */
import { prefixes } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { Page, PageRequest } from "@coffer/rules/lists/pageRequest"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { bodyOf } from "./eventBodies.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { ListHorizon } from "../../platform/postgres/ListHorizon.ts"
import * as Pages from "../../platform/postgres/Pages.ts"
import { makeOursOf } from "../../platform/postgres/ownNumbers.ts"
import { ownIndex, along, isStorable, type Search } from "../../platform/postgres/scans.ts"

const EventRow = Schema.Struct({
  id: Schema.String,
  body: Schema.NullOr(Schema.String),
  packed: Schema.NullOr(Schema.Uint8Array)
})

/** The body as JSON: the event, but for the signature of a checkout address. */
export interface StoredEvent {
  readonly id: string
  readonly body: object
}

const parse = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.ObjectKeyword))
const read = (row: typeof EventRow.Type): StoredEvent => ({ id: row.id, body: parse(bodyOf(row)) })

export interface EventFilters {
  /** One of them. */
  readonly type?: ReadonlyArray<string>
  readonly object_id?: string
}

export class EventStore extends Context.Service<
  EventStore,
  {
    readonly find: (account: Account, id: string) => Effect.Effect<Option.Option<StoredEvent>>
    readonly page: (
      account: Account,
      request: PageRequest,
      filters: EventFilters
    ) => Effect.Effect<Page<StoredEvent>, InvalidField>
  }
>()("@coffer/events/EventStore") {}

export const layer = Layer.effect(
  EventStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const find = SqlSchema.findOneOption({
      Request: Schema.Struct({ id: Schema.String, merchantId: Schema.String, mode: Schema.String }),
      Result: EventRow,
      execute: ({ id, merchantId, mode }) =>
        sql`select id, body, packed from events where id = ${id} and merchant_id = ${merchantId} and mode = ${mode}`
    })

    const pages = Pages.make(
      sql,
      {
        table: { name: "events", key: "id", row: EventRow, read },
        prefixOf: () => prefixes.event,
        called: "an event",
        dropped: ["events", "sandbox_orders"]
      },
      yield* ListHorizon
    )

    const oursOf = yield* makeOursOf

    const search = Effect.fnUntraced(function* (
      account: Account,
      { object_id, type }: EventFilters
    ): Effect.fn.Return<Search> {
      const types = [...new Set(type)]
      if (object_id === undefined) {
        return { path: along(...(types.length === 0 ? [{}] : types.map((one) => ({ type: one })))), filters: [] }
      }
      // An object has few events: nothing to merge.
      const objects = yield* oursOf(account, ["order", "refund", "dispute"], object_id)
      const filters = types.length === 0 ? [] : [sql.in("type", types)]
      return { path: ownIndex(...objects.map((one) => ({ object_id: one }))), filters }
    })

    return EventStore.of({
      find: ({ merchantId, mode }, id) =>
        isStorable(id) ? sqlDefects(Effect.map(find({ id, merchantId, mode }), Option.map(read))) : Effect.succeedNone,
      page: (account, request, filters) =>
        Effect.flatMap(search(account, filters), (found) => pages.page(account, request, found))
    })
  })
)
