/** The plain ledgers that the bench compares keep correct books, and its check detects one that does not. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import pg from "pg"
import { checks, postBy, schema, ways } from "../../packages/bench/src/ledgers/ways.ts"
import { asOwner, freshDatabase } from "../kit/Service.ts"

const accounts = 5
const transfers = Array.from({ length: 60 }, (_, index) => ({
  from: 1 + (index % accounts),
  // Every third to the same account.
  to: index % 3 === 0 && index % accounts !== 0 ? 1 : 1 + ((index + 2) % accounts),
  amount: 1 + index
}))

const open = (url: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const pool = new pg.Pool({ connectionString: url, max: 4 })
      // The pool's end does not wait until Postgres has closed a session, and the database is then dropped with it.
      pool.on("error", () => {})
      return pool
    }),
    (pool) => Effect.promise(() => pool.end())
  )

const broken = (pool: pg.Pool) =>
  Effect.promise(async () => {
    const found: Array<string> = []
    for (const [what, text] of Object.entries(checks)) if ((await pool.query(text)).rowCount !== 0) found.push(what)
    return found
  })

describe("bench: plain ledgers", () => {
  for (const way of ways) {
    it.live(`${way}: transfers at once leave whole books, and a balance that was tampered with is found`, () =>
      Effect.gen(function* () {
        const plain = yield* open(asOwner(yield* freshDatabase))
        yield* Effect.promise(async () => {
          for (const statement of schema(accounts)) await plain.query(statement)
          const post = postBy(way, plain)
          await Promise.all(transfers.map(post))
        })
        assert.deepStrictEqual(yield* broken(plain), [])
        const { rows } = yield* Effect.promise(() => plain.query("select sum(balance)::int4 as sum from accounts"))
        assert.strictEqual(rows[0].sum, 0)
        yield* Effect.promise(() => plain.query("update accounts set balance = balance + 1 where id = 1"))
        assert.lengthOf(yield* broken(plain), 1)
      })
    )
  }
})
