/**
 * Lists of the whole installation are in the order of commits, whichever runner wrote a row: a reader who continues
 * from the newest row misses none (docs/decisions/0050).
 */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber } from "effect"
import { NewIds } from "../../../src/platform/runtime/NewIds.ts"
import * as numbersInOrder from "../../../src/platform/postgres/numbersInOrder.ts"
import { eventually } from "../../kit/Process.ts"
import { asRunner, freshDatabase, type Running, start } from "../../kit/Service.ts"

/** How far the other runner's numbers are behind. */
const behindMillis = 20_000

const lists = [
  { path: "/merchants", key: "merchant_id" },
  { path: "/operators", key: "operator_id" },
  { path: "/audit_log", key: "id" }
] as const

/** Each has an entry in the audit log before and after it. */
const write = ({ api }: Running, name: string) =>
  Effect.all([
    api.operator("POST", "/merchants", { name, seed: false }),
    api.operator("POST", "/operators", { name, role: "viewer" })
  ])

describe("a reader who follows a list of the operator", () => {
  it.live("misses no merchant, operator or entry of the audit log of a runner whose numbers are behind", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const [one, two] = [
        yield* start({ database, env: yield* asRunner }),
        yield* start({ database, env: yield* asRunner })
      ]
      const idsOf = ({ context }: Running) => Context.get(context as Context.Context<NewIds>, NewIds)
      const page = (path: string, query: string) =>
        Effect.map(one.api.operator("GET", `${path}?limit=100&${query}`), ({ body, status, text }) => {
          assert.strictEqual(status, 200, text)
          return body.data.data as ReadonlyArray<Record<string, string>>
        })
      yield* write(one, "first")
      const followed = yield* Effect.forEach(lists, (list) =>
        Effect.map(page(list.path, ""), ([newest]) => ({ ...list, newest: newest!, by: { cursor: 0, time: 0 } }))
      )
      for (let turn = 0; turn < 4; turn++) {
        const writer = turn % 2 === 0 ? one : two
        idsOf(two).correct(behindMillis)
        yield* write(writer, `turn ${turn}`)
        for (const list of followed) {
          const { key, newest, path } = list
          const newer = yield* page(path, `ending_before=${newest[key]}`)
          const later = yield* page(path, `created[gte]=${newest["created_at"]}`)
          const ids = newer.map((row) => row[key]!)
          assert.isAbove(ids.length, 0, `${path}, turn ${turn}`)
          assert.includeMembers(
            later.map((row) => row[key]!),
            ids,
            path
          )
          list.newest = newer[0]!
        }
      }
      for (const path of ["/merchants", "/operators"]) {
        const created = (yield* page(path, "")).map((row) => row["name"])
        assert.deepStrictEqual(created.slice(0, 5), ["turn 3", "turn 2", "turn 1", "turn 0", "first"], path)
      }
      const chain = (yield* page("/audit_log", "")).map((row) => Number(row["sequence"]))
      assert.deepStrictEqual(
        chain,
        chain.toSorted((a, b) => b - a)
      )
    })
  )

  it.live("misses no row that has its number and is not committed yet: the next number is given afterwards", () =>
    Effect.gen(function* () {
      const { context, sql } = yield* start()
      const ids = Context.get(context as Context.Context<NewIds>, NewIds)
      const runner = () => numbersInOrder.make(sql, ids, { table: "reconciliation", key: "id", prefix: "rec_" })
      const [one, two] = [runner(), runner()]
      const insert = (id: string) => sql`insert into reconciliation
        (id, merchant_id, mode, payment_id, currency, ours, theirs, created_at, seen_at)
        values (${id}, 'm', 'live', ${id}, 'USD', 1, 2, now(), now())`
      const [given, over] = [yield* Deferred.make<string>(), yield* Deferred.make<void>()]
      const first = yield* Effect.forkChild(
        one((id) => Effect.andThen(Deferred.succeed(given, id), Effect.andThen(Deferred.await(over), insert(id))))
      )
      const before = yield* Deferred.await(given)
      // The other runner's clock is behind.
      ids.correct(behindMillis)
      const second = yield* Effect.forkChild(two((id) => Effect.as(insert(id), id)))
      yield* eventually(
        "the second to wait",
        Effect.map(
          sql`select 1 from pg_locks where locktype = 'advisory' and not granted
            and database = (select oid from pg_database where datname = current_database())`,
          ({ length }) => length > 0
        )
      )
      assert.lengthOf(yield* sql`select 1 from reconciliation`, 0)
      yield* Deferred.succeed(over, undefined)
      yield* Fiber.join(first)
      const after = yield* Fiber.join(second)
      assert.isTrue(after > before, after)
    })
  )
})
