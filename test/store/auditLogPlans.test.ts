/** Acts on one object, among very many entries of the audit log: they are read along the index of its numbers. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { AuditLog } from "../../src/access/operators/AuditLog.ts"
import { explained, rowsRead, scansIn } from "../kit/rows/plans.ts"
import { ownersConnection, type Running, start } from "../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/auditLogPlans") {}

const count = 6_000
const body = (index: number) => String(index).padStart(26, "0")

const place = Effect.gen(function* () {
  const running = yield* start()
  const owner = yield* ownersConnection(running.database)
  // The chain is made row by row, each reading the last.
  yield* owner`alter table audit_log disable trigger audit_log_is_chained`
  yield* owner`alter table audit_log disable trigger audit_log_follows`
  yield* owner.unsafe(`insert into audit_log
      (sequence, previous_hash, hash, id, actor_id, actor, role, ip, request_id, act, phase, target, status, details,
      created_at)
    select 1000000 + n, '', '', 'aud_' || lpad(n::text, 26, '0'), 'opr_1', 'Ada', 'admin', null, 'req_1', 'orders.read', 'seen',
      '/operator/v1/merchants/mer_' || lpad((n % 3)::text, 26, '0') || '/orders/TRD_SB_' || lpad((n / 5)::text, 26, '0')
        || '/timeline?mode=sandbox', 200, '{}', now() from generate_series(1, ${count}) as n`)
  // Newer ones, each with an entry before and after it.
  yield* owner.unsafe(`insert into audit_log
      (sequence, previous_hash, hash, id, actor_id, actor, role, ip, request_id, act, phase, target, status, details,
      created_at)
    select 2000000 + n, '', '', 'aud_1' || lpad(n::text, 25, '0'), 'opr_1', 'Ada', 'admin', null,
      'req_' || (n / 2), 'merchants.suspend', case n % 2 when 0 then 'begun' else 'done' end,
      '/operator/v1/merchants/mer_' || lpad('9', 26, '0') || '/suspend', 200, '{}', now()
    from generate_series(0, 1999) as n`)
  yield* owner`vacuum analyze audit_log`
  return running
})

layer(Layer.effect(Service, place), { excludeTestServices: true })(`of ${count} entries of the audit log`, (it) => {
  for (const [what, target, found] of [
    ["one order", `TRD_SB_${body(700)}`, 5],
    ["a merchant with a third of all", `mer_${body(2)}`, 20],
    ["an order of which nothing was done", `TRD_SB_${body(99_999)}`, 0],
    ["a path", `/operator/v1/merchants/mer_${body(0)}/orders/TRD_SB_${body(3)}/timeline?mode=sandbox`, 2]
  ] as const) {
    it.effect(`a page of the acts on ${what} reads no others, whichever way it goes`, () =>
      Effect.gen(function* () {
        const { context, sql } = yield* Service
        const log = Context.get(context as Context.Context<AuditLog>, AuditLog)
        for (const where of [{}, { starting_after: `aud_${body(5_999)}` }]) {
          const { plans, result } = yield* explained(sql, log.page({ target, limit: 20, ...where }))
          assert.lengthOf(result.data, found)
          // The cursor's own row, and one more than the page.
          assert.isAtMost(rowsRead(scansIn(plans)), found + 4, JSON.stringify(plans, null, 1))
        }
      })
    )
  }

  it.effect("a page of one entry an act reads the entries of each act and no others", () =>
    Effect.gen(function* () {
      const { context, sql } = yield* Service
      const log = Context.get(context as Context.Context<AuditLog>, AuditLog)
      const { plans, result } = yield* explained(sql, log.page({ act: "merchants.suspend", per: "act", limit: 20 }))
      assert.lengthOf(result.data, 20)
      // Both entries of an act, and both again by its request: for the one before, and for what was asked.
      assert.isAtMost(rowsRead(scansIn(plans)), 6 * 21, JSON.stringify(plans, null, 1))
    })
  )

  it.effect("a page of a merchant's own log reads no others, whichever way it goes", () =>
    Effect.gen(function* () {
      const { context, sql } = yield* Service
      const log = Context.get(context as Context.Context<AuditLog>, AuditLog)
      for (const where of [{}, { starting_after: `aud_${body(5_999)}` }]) {
        const { plans, result } = yield* explained(sql, log.pageOf(`mer_${body(2)}`, { limit: 20, ...where }))
        assert.lengthOf(result.data, 20)
        assert.isAtMost(rowsRead(scansIn(plans)), 24, JSON.stringify(plans, null, 1))
      }
    })
  )
})
