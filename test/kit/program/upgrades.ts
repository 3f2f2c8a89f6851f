/** Runners of two versions on one database, under a load of money through all that are there, and how that must end. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as TestPostgres from "../../../packages/testkit/src/TestPostgres.ts"
import { inject } from "vitest"
import { assertAllWell, chaosActs, receiver } from "../faults/chaosLoad.ts"
import { type Coffer, connect, eventually, seeded } from "../Process.ts"
import { asOwner, freePort } from "../Service.ts"
import { restMillis, rounds } from "../run/soak.ts"
import { type Node, steadyLoad } from "../faults/SteadyLoad.ts"
import { newKey, runner } from "../runners/TwoRunners.ts"
import type { Program } from "./versions.ts"

const [merchants, workersEach] = [3, 2]
/** Writes that are acknowledged between two steps of a story. */
const writesEach = rounds(15, 40)

/** Without a table: the first runner migrates it. */
const emptyDatabase = Effect.flatMap(TestPostgres.connect(inject("postgresUrl")), (tell) =>
  TestPostgres.clone(inject("postgresUrl"), tell, "template0")
)

export interface Runner {
  readonly program: Program
  readonly coffer: Coffer
}

/** One database, runners of any version on it, and a load that is over when `end` is. */
export const upgrading = Effect.gen(function* () {
  const database = yield* emptyDatabase
  const hook = yield* receiver
  const draw = seeded(1)
  const running = new Set<Runner>()
  // While no runner runs, these are the last ones, whose ports refuse connections.
  let last: ReadonlyArray<Node> = []
  const nodes = (): ReadonlyArray<Node> => {
    if (running.size > 0) last = [...running].map(({ coffer: { port } }) => ({ port, wasPaused: () => false }))
    return last
  }
  const load = steadyLoad(nodes, draw, restMillis)
  const sql = yield* connect(asOwner(database))

  const urls = { DATABASE_URL: database, MIGRATION_DATABASE_URL: asOwner(database) }

  const launched = Effect.fnUntraced(function* (program: Program) {
    const env = { ...urls, TRUSTED_PROXIES: "127.0.0.1" }
    return yield* runner(database, env, yield* freePort, program.main)
  })
  /** Starts one, which has requests from then on. */
  const joined = Effect.fnUntraced(function* (program: Program) {
    const coffer = yield* launched(program)
    yield* coffer.ready
    const rows = yield* sql<{ messages: ReadonlyArray<number> }>`select messages from runners
      where version = ${program.version}`
    assert.deepInclude(rows, { messages: program.shapes })
    const one: Runner = { program, coffer }
    running.add(one)
    return one
  })
  const left = Effect.fnUntraced(function* (one: Runner, signal: "SIGTERM" | "SIGKILL") {
    one.coffer.signal(signal)
    yield* one.coffer.ended
    running.delete(one)
  })
  const moreWrites = Effect.suspend(() => {
    const goal = load.acknowledged.length + writesEach
    return eventually(
      "more writes to be acknowledged",
      Effect.sync(() => load.acknowledged.length >= goal || load.wrong.length > 0)
    )
  })
  const begin = Effect.gen(function* () {
    const [first] = running
    for (const key of yield* Effect.replicateEffect(newKey(first!.coffer), merchants)) {
      for (let worker = 0; worker < workersEach; worker++) load.begin(key, chaosActs(nodes, draw, hook.url))
    }
    yield* moreWrites
  })
  /** Every write is answered, and the books and what merchants were told agree. */
  const end = Effect.andThen(load.end, assertAllWell(sql, load, hook.events))
  return { urls, sql, launched, joined, left, begin, moreWrites, end }
})

export type Upgrading = Effect.Success<typeof upgrading>

/** Why one does not start: it says one line. */
export const refusal = Effect.fnUntraced(function* ({ launched }: Upgrading, program: Program) {
  const { ended, said } = yield* launched(program)
  assert.strictEqual((yield* ended).code, 1, said.stderr)
  const lines = said.stderr.split("\n").filter((line) => line.startsWith("coffer:"))
  assert.lengthOf(lines, 1, said.stderr)
  return lines[0]!
})

export const newestMigration = ({ sql }: Upgrading) =>
  Effect.map(sql<{ id: number }>`select max(migration_id)::int4 as id from coffer_migrations`, ([row]) => row!.id)
