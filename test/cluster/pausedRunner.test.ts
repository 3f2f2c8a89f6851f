/**
 * A runner that is paused while another one takes over its objects, and then resumes. That takes real time, so both
 * tests wait concurrently.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { standing, standsBefore } from "../kit/faults/standStill.ts"
import { assertBooksWhole, type Coffer, connect, eventually } from "../kit/Process.ts"
import { freshDatabase, ownersConnection } from "../kit/Service.ts"
import {
  assertDone,
  knock,
  perform,
  performAtLast,
  type Plan,
  planned,
  runner,
  twoRunners,
  writeMeanwhile
} from "../kit/runners/TwoRunners.ts"

describe.concurrent("a runner that is paused", () => {
  it.live("decides on what the other has written meanwhile when it wakes up", () =>
    Effect.gen(function* () {
      const { a, b, sql } = yield* twoRunners
      const { plans, wallets } = yield* planned(a, b, 4, ["pay", "pay", "annotate", "expire"])
      a.signal("SIGSTOP")
      yield* writeMeanwhile(b, wallets, plans)
      // They wait in its queue while it sleeps, so that it runs them first, before it learns that it owns nothing.
      const knocks = yield* Effect.forEach(plans, (plan) => knock(a, plan.deed, plan), { concurrency: "unbounded" })
      a.signal("SIGCONT")

      for (const [index, plan] of plans.entries()) {
        const { body, status } = yield* knocks[index]!
        assert.include([200, 503], status)
        if (status === 200) assert.propertyVal(body.data.metadata, "meanwhile", "1")
        else yield* performAtLast(a, plan.deed, plan)
        yield* assertDone(b, plan, "meanwhile")
      }
      yield* assertBooksWhole(sql)
    })
  )

  it.live("cannot write what it had decided before: its version is stale, and its locks block no other runner", () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const sql = yield* connect(databaseUrl)
      const owner = yield* ownersConnection(databaseUrl)
      yield* countRefusedUpdates(owner)
      // First the only one, so that it owns all slots.
      const a = yield* runner(databaseUrl)
      yield* a.ready
      const { plans, wallets } = yield* planned(a, a, 2, ["pay", "pay", "pay", "annotate", "annotate"])
      // The bank has the money but has not reported it; it does so when it is asked to close the checkout.
      const deedOf = ({ deed }: Plan) => (deed === "pay" ? "expire" : deed)
      for (const { key, tradeNo } of plans.filter(({ deed }) => deed === "pay")) {
        const path = `/v1/test_helpers/orders/${tradeNo}/pay`
        yield* a.api.post(path, key, { outcome: "succeed_unreported" })
      }

      const noted = plans.filter(({ deed }) => deed === "annotate")
      const ofLanes = noted.slice(0, 2)
      const others = plans.filter((plan) => !ofLanes.includes(plan))

      const knocks = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* standsBefore(owner, "update on orders")
          const first = yield* Effect.forEach(ofLanes, (plan, index) =>
            Effect.tap(knock(a, plan.deed, plan), () =>
              eventually(
                "Postgres to stand still with the batch of a lane",
                Effect.map(standing(sql), (lanes) => lanes === index + 1)
              )
            )
          )
          const rest = yield* Effect.forEach(others, (plan) => knock(a, deedOf(plan), plan), {
            concurrency: "unbounded"
          })
          yield* eventually(
            "the runner to have decided, and the rest to wait in its memory",
            Effect.map(a.api.get("/metrics"), ({ text }) => waitingOf(text) === others.length)
          )
          a.signal("SIGSTOP")
          return [...first, ...rest]
        })
      )

      const b = yield* runner(databaseUrl)
      yield* b.ready
      // The orders to be paid are unchanged: only their wallet has changed by then.
      yield* writeMeanwhile(b, wallets, noted)
      assert.strictEqual(yield* refusedUpdates(sql), 0)
      a.signal("SIGCONT")
      for (const reply of knocks) assert.include([200, 409, 503], (yield* reply).status)
      yield* eventually(
        "what it had decided to be refused",
        Effect.map(refusedUpdates(sql), (times) => times > 0)
      )

      for (const plan of plans) {
        // A missing report is sent now; an order that was paid then cannot be closed.
        if (plan.deed === "pay") yield* eventually("just paid", isPaid(a, plan))
        else yield* performAtLast(a, plan.deed, plan)
        yield* assertDone(b, plan, ...(plan.deed === "annotate" ? ["meanwhile"] : []))
      }
      yield* assertBooksWhole(sql)
    })
  )
})

const isPaid = (coffer: Coffer, plan: Plan) =>
  Effect.map(perform(coffer, "expire", plan), ({ status }) => {
    assert.include([409, 503], status)
    return status === 409
  })

/** Change sets that wait for a lane, by `/metrics`. */
const waitingOf = (text: string) => Number(/^coffer_lane_waiting\{lane="0"\} (\d+)/m.exec(text)?.[1])

/**
 * Counts the updates of a version that no row had any more. In a sequence, which keeps what a transaction has
 * counted that is rolled back.
 */
const countRefusedUpdates = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  yield* sql`create sequence test_refused minvalue 0 start 0`
  yield* sql`select nextval('test_refused')`
  yield* sql`grant select, usage on sequence test_refused to public`
  yield* sql.unsafe(`create function test_count_refused() returns trigger language plpgsql as $$ begin
    if current_query() like '%n.replaces%' and not exists (select 1 from written) then
      perform nextval('test_refused');
    end if;
    return null;
  end $$`)
  for (const table of ["orders", "wallets"]) {
    yield* sql.unsafe(`create trigger test_refused after update on ${table} referencing new table as written
      for each statement execute function test_count_refused()`)
  }
})

const refusedUpdates = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ last_value: number }>`select last_value from test_refused`, ([row]) => row!.last_value)
