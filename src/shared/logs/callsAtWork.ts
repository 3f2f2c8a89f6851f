/**
 * Finds the calls that were running when an object was made, for a timeline (silences: O35). Few calls run at one
 * moment, and their answers say which of them made it. Ids have the time of the account's clock, as the object has.
 */
import { firstIdBody, prefixes } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import { DateTime } from "effect"
import type { SqlClient } from "effect/sql"

/** When an object was made by a call to this path. */
export interface Moment {
  readonly path: string
  readonly at: DateTime.Utc
}

/** A call arrives at most this long before its object: its body may come slowly. */
const beforeMillis = 60_000
/** Calls to a path that are read, and of these the candidates, for each moment. */
const lookedAtMax = 500
const atWorkMax = 10

const idAt = (at: DateTime.Utc, more: number) => prefixes.request + firstIdBody(DateTime.toEpochMillis(at) + more)

export const atWork = (sql: SqlClient.SqlClient, { merchantId, mode }: Account, moments: ReadonlyArray<Moment>) => {
  const paths = moments.map(({ path }) => path)
  const firsts = moments.map(({ at }) => idAt(at, -beforeMillis))
  const ends = moments.map(({ at }) => idAt(at, 1))
  const times = moments.map(({ at }) => DateTime.toDateUtc(at))
  return sql`select distinct on (found.request_id) found.*
    from unnest(${paths}::text[], ${firsts}::text[], ${ends}::text[], ${times}::timestamptz[])
        as moment (path, first, beyond, made_at)
      cross join lateral (select * from (select * from api_logs
            where merchant_id = ${merchantId} and mode = ${mode} and path = moment.path
              and request_id >= moment.first and request_id < moment.beyond
            order by request_id desc limit ${lookedAtMax}) as before
          where method = 'POST' and status < 300
            and created_at + (coalesce(ahead_ms, 0) + duration_ms + 1) * interval '1 millisecond' >= moment.made_at
          order by request_id desc limit ${atWorkMax}) as found
    order by found.request_id`
}
