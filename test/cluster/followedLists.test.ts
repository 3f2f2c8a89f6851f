/**
 * Writers work at three runners whose clocks differ, and rows are locked meanwhile so that commits are slow. Readers
 * follow each list at any runner, and miss nothing (docs/decisions/0050).
 */
import path from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { followedRound } from "../kit/rows/followedRound.ts"
import { lists } from "../kit/rows/followers.ts"
import { connect } from "../kit/Process.ts"
import { freshDatabase } from "../kit/Service.ts"
import { rounds as roundsOf } from "../kit/run/soak.ts"
import { runner } from "../kit/runners/TwoRunners.ts"

const rounds = Number(process.env["FOLLOWED_ROUNDS"] ?? roundsOf(1, 200))
const writers = Number(process.env["FOLLOWED_WRITERS"] ?? roundsOf(6, 12))
const turns = roundsOf(12, 4)
/** Concurrent rounds, each a merchant of its own: a list of API logs ends 12 s ago, which nothing else waits for. */
const atOnce = 3
/** Progress is printed after so many rounds. */
const toldEvery = 10
/** The limit is 300 s from Postgres' own clock. */
const aheadMillis = [0, 240_000, -240_000]
const lockedMillis = [50, 300, 1_500]

const skewed = (databaseUrl: string, ahead: number) =>
  runner(databaseUrl, {
    NODE_OPTIONS: `--import=${path.resolve(import.meta.dirname, "../kit/runners/clockAhead.mjs")}`,
    CLOCK_AHEAD_MILLIS: String(ahead)
  })

it.live(
  `${writers} writers at three runners whose clocks are apart: in ${rounds} rounds readers of each list miss no row`,
  () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const sql = yield* connect(databaseUrl)
      // A connection of its own: readers of the rows do not wait for a lock.
      const locker = yield* connect(databaseUrl, writers)
      const nodes = yield* Effect.forEach(aheadMillis, (ahead) => skewed(databaseUrl, ahead))
      for (const { ready } of nodes) yield* ready

      const lockSome = Effect.fnUntraced(function* (tradeNo: string, draw: (limit: number) => number) {
        if (draw(4) > 0) return
        const millis = lockedMillis[draw(lockedMillis.length)]!
        const held = locker`select 1 from orders where trade_no = ${tradeNo} for update`.pipe(
          Effect.andThen(Effect.sleep(millis)),
          locker.withTransaction,
          Effect.ignore
        )
        yield* Effect.forkDetach(held, { startImmediately: true })
      })
      const round = (seed: number) => followedRound({ nodes, sql, seed, writers, turns, onOrder: lockSome })

      const since = performance.now()
      const followed = new Map<string, number>()
      let done = 0
      const tell = Effect.fnUntraced(function* (rows: ReadonlyArray<readonly [name: string, seen: number]>) {
        for (const [name, seen] of rows) followed.set(name, (followed.get(name) ?? 0) + seen)
        if (++done % toldEvery !== 0 && done !== rounds) return
        const written = yield* Effect.forEach(lists, ({ path, table }) =>
          Effect.map(sql<{ count: string }>`select count(*) from ${sql(table)}`, ([row]) => `${path} ${row!.count}`)
        )
        const seconds = Math.round((performance.now() - since) / 1_000)
        console.log(`${done} of ${rounds} rounds in ${seconds} s. Written: ${written.join(", ")}`)
        console.log(`Followed: ${[...followed].map(([name, seen]) => `${name} ${seen}`).join(", ")}`)
      })
      const all = Array.from({ length: rounds }).keys()
      yield* Effect.forEach(all, (seed) => Effect.flatMap(round(seed), tell), {
        concurrency: atOnce,
        discard: true
      })
      for (const [name, seen] of followed) assert.isAtLeast(seen, rounds, `rows that were followed: ${name}`)
    })
)
