/**
 * An operator sets an account's first single address while the merchant makes an endpoint: both are in one list, and
 * the later write has the later number, so that a reader who follows the list misses neither.
 */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type { SqlClient } from "effect/sql"
import { blocking } from "../../kit/faults/Faults.ts"
import { hooksOf } from "../../kit/callers/Hooks.ts"
import { connect, eventually } from "../../kit/Process.ts"
import { freshDatabase, type Running, start } from "../../kit/Service.ts"

const url = "https://shop.example/"
type Hooks = ReturnType<typeof hooksOf>

const assertFollowed = Effect.fnUntraced(function* (here: Hooks, first: string, later: string) {
  const { data } = yield* here.list(`?ending_before=${first}`)
  assert.deepStrictEqual(
    data.map(({ id }: { readonly id: string }) => id),
    [later]
  )
})

it.live("an endpoint that is written after the single address has the later number", () =>
  Effect.gen(function* () {
    const writing = yield* blocking("Transactor.write", "before", (tables) => tables === "webhook_settings")
    const service = yield* start({ faults: writing.layer })
    const here = hooksOf(service, service.merchant)
    const made = yield* Effect.forkChild(here.create({ url }))
    yield* Deferred.await(writing.reached)
    yield* here.single(url)
    const single = (yield* here.list()).data[0]
    yield* writing.release
    const endpoint = yield* Fiber.join(made)
    yield* assertFollowed(here, single.id, endpoint.id)
  })
)

/** The operator's write has read the settings, and waits for a row of the merchant while an endpoint is made. */
const overlapping = Effect.fnUntraced(function* (service: Running, holder: SqlClient.SqlClient) {
  const { api, merchant, sql } = service
  const { create } = hooksOf(service, merchant)
  const settings = { sandbox: { default_notify_url: url } }
  const waiting = Effect.map(
    sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    ({ length }) => length
  )
  return yield* Effect.gen(function* () {
    yield* holder`select 1 from merchant_modes where merchant_id = ${merchant.merchantId} for update`
    const single = yield* Effect.forkScoped(api.operator("POST", `/merchants/${merchant.merchantId}`, settings))
    const isWaiting = Effect.map(waiting, (waits) => waits > 0 || single.pollUnsafe() !== undefined)
    yield* eventually("the operator to wait for the row", isWaiting)
    const endpoint = yield* Effect.forkScoped(create({ url }))
    const isWritten = () => endpoint.pollUnsafe() !== undefined
    const isOver = Effect.map(waiting, (waits) => waits > 1 || isWritten() || single.pollUnsafe() !== undefined)
    yield* eventually("the endpoint to be made, or to wait for the operator", isOver)
    return { single, endpoint, isEndpointFirst: isWritten() }
  }).pipe(holder.withTransaction)
})

const triesMax = 10

it.live("of a single address and an endpoint that overlap, the one that is written later has the later number", () =>
  Effect.gen(function* () {
    const database = yield* freshDatabase
    const service = yield* start({ database })
    const here = hooksOf(service, service.merchant)
    const holder = yield* connect(database)
    for (let tries = 1; tries <= triesMax; tries++) {
      const { endpoint, isEndpointFirst, single } = yield* overlapping(service, holder)
      const { id } = yield* Fiber.join(endpoint)
      // A busy machine took longer than the operator waits for a row.
      if ((yield* Fiber.join(single)).status >= 300) continue
      const { data } = yield* here.list()
      const ofSingle = data.find((one: { readonly is_default: boolean }) => one.is_default).id
      return yield* assertFollowed(here, ...(isEndpointFirst ? ([id, ofSingle] as const) : ([ofSingle, id] as const)))
    }
    assert.fail("the operator's write was never done")
  }).pipe(Effect.scoped)
)
