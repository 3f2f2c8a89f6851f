/**
 * A list has shown a later number to the account than the one that a write brings, as after the write has waited for a
 * lock: the write gets later numbers and is done, unnoticed by its caller (docs/decisions/0050).
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { firstIdBody } from "@coffer/model/Ids"
import { assertLedgerWhole } from "../../kit/ledger.ts"
import { start } from "../../kit/Service.ts"
import { send } from "../../kit/routes/write.ts"
import { writes } from "../../kit/routes/writes.ts"

/** Each write meets a number that is later than those of the write before. */
const stepMillis = 5_000

/** Objects that are not changed after the request that makes them. */
const made = ["dispute", "payout"]

it.live("each kind of write is done, though a list has shown a later number than the first that it takes", () =>
  Effect.gen(function* () {
    const service = yield* start()
    const refused: Array<string> = []
    let shown = Date.now()
    for (const write of writes) {
      const merchant = yield* service.api.newMerchant()
      const { merchantId } = merchant
      const asked = yield* write.prepare(service, merchant)
      shown = Math.max(shown, Date.now()) + stepMillis
      yield* service.sql`update list_horizons set shown = ${firstIdBody(shown)} where merchant_id = ${merchantId}`
      const { body, status } = yield* send(service, asked)
      if (status >= 400) refused.push(`${write.name} ${status}`)
      const { created_at, object, updated_at } = body?.data ?? {}
      if (made.includes(object) && status === 201 && updated_at !== created_at)
        refused.push(`${write.name}: the new ${object} is updated at ${updated_at}`)
      const left = yield* service.sql.unsafe(write.left, [merchantId])
      if (left.length !== 1) refused.push(`${write.name} was done ${left.length} times`)
    }
    assert.deepStrictEqual(refused, [])
    yield* assertLedgerWhole(service.sql)
  })
)
