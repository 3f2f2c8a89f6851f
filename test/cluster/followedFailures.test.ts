/**
 * Lists are followed while a runner is killed between the numbers and the commit, and while Postgres is
 * started again or fails over: readers miss no row that was committed, and no list waits for the dead
 * (docs/decisions/0050).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { SqlClient } from "effect/sql"
import { standing, standsBefore } from "../kit/faults/standStill.ts"
import { followedRound } from "../kit/rows/followedRound.ts"
import { makeFollower, missedBy } from "../kit/rows/followers.ts"
import {
  addressOf,
  app,
  leftOut,
  named,
  newServer,
  postgresFolder,
  standbyOf,
  superuser
} from "../kit/servers/PostgresPair.ts"
import { answered, connect, eventually, seeded } from "../kit/Process.ts"
import { freshDatabase, ownersConnection } from "../kit/Service.ts"
import { rounds } from "../kit/run/soak.ts"
import { newOrder, perform, runner, type Wallet } from "../kit/runners/TwoRunners.ts"

/** Rounds of each kind. `FOLLOWED_ROUNDS` says the same for `followedLists`. */
const roundsOfEach = Number(process.env["FOLLOWED_ROUNDS"] ?? rounds(1, 10))

const events = { path: "events", key: "id", table: "events" }

/** Processes of Postgres that still work for this runner. */
const backendsOf = (sql: SqlClient.SqlClient, pid: number) =>
  Effect.map(
    sql`select 1 from pg_stat_activity where application_name like ${`coffer ${pid}@%`} and state <> 'idle'`,
    ({ length }) => length
  )

describe("a runner that is killed when its numbers are given, and Postgres is writing them", () => {
  for (const isHeld of [false, true]) {
    const when = isHeld ? "and does not come to an end with it: no list waits for ever" : "and goes on with it"
    it.live(`${when}; readers miss no row`, () =>
      Effect.gen(function* () {
        const database = yield* freshDatabase
        const sql = yield* connect(database)
        const [doomed, other] = [yield* runner(database), yield* runner(database)]
        yield* doomed.ready
        yield* other.ready
        const { merchantId, sandboxKey: key } = yield* other.api.newMerchant()
        const wallet: Wallet = { key, currency: "USD" }
        const [first, doomedOne, later, last] = yield* Effect.replicateEffect(newOrder(other, wallet), 4)
        yield* perform(other, "expire", first!)
        const followers = yield* Effect.forEach(["ending_before", "created[gte]"] as const, (by) =>
          makeFollower([other], seeded(1), key, events, by)
        )
        const look = Effect.forEach(followers, ({ look }) => look, { concurrency: "unbounded", discard: true })

        const looking = yield* Effect.scoped(
          Effect.gen(function* () {
            // Postgres does not finish writing the events of this order.
            const ofDoomed = `new.trade_no = '${doomedOne!.tradeNo}'`
            yield* standsBefore(yield* ownersConnection(database), "insert on events", ofDoomed)
            yield* Effect.forkDetach(answered(perform(doomed, "expire", doomedOne!)), { startImmediately: true })
            yield* eventually(
              "Postgres to write the event",
              Effect.map(standing(sql), (count) => count > 0)
            )
            doomed.signal("SIGKILL")
            // A later number, from which readers could continue.
            yield* perform(other, "expire", later!)
            const looking = yield* Effect.forkDetach(look, { startImmediately: true })
            if (isHeld) yield* Fiber.join(looking)
            return looking
          })
        )
        yield* Fiber.join(looking)
        yield* eventually(
          "Postgres to be done with the dead",
          Effect.map(backendsOf(sql, doomed.pid), (count) => count === 0)
        )
        yield* perform(other, "expire", last!)
        const [row] = yield* sql<{ newest: string }>`select max(id) as newest from events`
        yield* eventually(
          "the newest event to be listed",
          Effect.map(look, () => followers.every(({ last }) => last() === row!.newest))
        )
        for (const follower of followers) {
          assert.deepStrictEqual(yield* missedBy(sql, merchantId, follower), [], follower.name)
          assert.isAtLeast(follower.seen.size, 2)
        }
      })
    )
  }
})

describe.skipIf(leftOut)(named("lists that are followed at three runners"), () => {
  for (const way of ["is started again", "fails over"] as const) {
    it.live(`miss no row when one runner is killed and Postgres ${way}`, () =>
      Effect.gen(function* () {
        for (let seed = 0; seed < roundsOfEach; seed++) yield* Effect.scoped(disturbedRound(way, seed))
      })
    )
  }
})

const disturbedRound = Effect.fnUntraced(function* (way: "is started again" | "fails over", seed: number) {
  const folder = yield* postgresFolder
  const primary = yield* newServer(folder, "one")
  const standby = way === "fails over" ? yield* standbyOf(primary, folder, "two") : undefined
  const servers = standby === undefined ? [primary] : [standby, primary]
  const url = `${addressOf(servers, app)}?target_session_attrs=read-write`
  const nodes = yield* Effect.replicateEffect(runner(url, { MIGRATION_DATABASE_URL: addressOf(servers, superuser) }), 3)
  for (const { ready } of nodes) yield* ready
  const sql = yield* connect(url)
  const orders = Effect.map(sql<{ count: number }>`select count(*)::int4 as count from orders`, ([row]) => row!.count)
  const moreOrders = Effect.gen(function* () {
    const goal = (yield* orders) + 20
    yield* eventually(
      "more orders",
      Effect.map(orders, (count) => count >= goal),
      "2 minutes"
    )
  }).pipe(Effect.orDie)
  const meanwhile = Effect.gen(function* () {
    yield* moreOrders
    nodes[2]!.signal("SIGKILL")
    yield* moreOrders
    if (standby === undefined) {
      yield* primary.stop(seed % 2 === 0 ? "immediate" : "fast")
      yield* primary.start
    } else {
      primary.signal("SIGKILL")
      yield* standby.promote
    }
    yield* eventually("Postgres to be used again", Effect.isSuccess(orders), "2 minutes")
    yield* moreOrders
  })
  const followed = yield* followedRound({
    nodes,
    sql,
    seed,
    writers: 6,
    turns: 1,
    meanwhile,
    onOrder: () => Effect.void
  })
  for (const [name, seen] of followed) assert.isAbove(seen, 0, name)
})
