/** Change sets of orders, committed by a Transactor of their own on a fresh database. */
import { assert } from "@effect/vitest"
import { DateTime, Effect, Layer, Redacted, Result } from "effect"
import type { SqlClient } from "effect/sql"
import { replacement } from "../../../src/money/orders/OrderStore.ts"
import type { ChangeSet } from "../../../src/platform/commit/Change.ts"
import { layer, Transactor } from "../../../src/platform/commit/Transactor.ts"
import * as Wakeups from "../../../src/platform/commit/Wakeups.ts"
import * as ListHorizon from "../../../src/platform/postgres/ListHorizon.ts"
import * as Postgres from "../../../src/platform/postgres/Postgres.ts"
import * as Faults from "../../../src/platform/runtime/Faults.ts"
import * as NewIds from "../../../src/platform/runtime/NewIds.ts"
import { pendingOrder } from "../rules/fixtures.ts"
import { errorsLoggedIn, freshDatabase } from "../Service.ts"

const now = DateTime.makeUnsafe("2026-01-01T00:00:00.000Z")
export const number = (index: number) => `TRD_SB_${String(index).padStart(26, "0")}` as typeof pendingOrder.tradeNo
export const orderOf = (index: number, outTradeNo = `cart-${index}`) => ({
  ...pendingOrder,
  tradeNo: number(index),
  outTradeNo: outTradeNo as typeof pendingOrder.outTradeNo
})
export const noted = (index: number, version: number, note: string) =>
  replacement({ state: orderOf(index), version }, { ...orderOf(index), metadata: { note } }, now)

export const withTransactor = <A, E>(
  use: Effect.Effect<A, E, Transactor | SqlClient.SqlClient>,
  /** Lines that Postgres' log has in the end. */
  errors: ReadonlyArray<RegExp> = [],
  faults: Layer.Layer<Faults.Faults> = Faults.layer
) =>
  Effect.scoped(
    Effect.flatMap(freshDatabase, (url) =>
      Effect.provide(
        Effect.tap(use, () => Effect.sync(() => assertLogged(url, errors))),
        layer.pipe(
          Layer.provide([Wakeups.layer, faults, NewIds.layer, ListHorizon.layer]),
          Layer.provideMerge(Postgres.layer({ url: Redacted.make(url), connections: 4, name: "test" }))
        )
      )
    )
  )

const assertLogged = (url: string, errors: ReadonlyArray<RegExp>) => {
  const logged = errorsLoggedIn(url)
  assert.strictEqual(logged.length, errors.length, logged.join("\n"))
  errors.forEach((error, index) => assert.match(logged[index]!, error))
}

/** All at once, so that they meet in one batch; the outcome of each by its tag. */
export const commitAll = (sets: ReadonlyArray<ChangeSet>) =>
  Effect.flatMap(Transactor, (transactor) =>
    Effect.forEach(
      sets,
      (set) =>
        Effect.map(
          Effect.result(transactor.commit("one lane", set)),
          Result.match({ onSuccess: () => "ok", onFailure: (error) => error._tag as string })
        ),
      { concurrency: "unbounded" }
    )
  )
