/**
 * Postgres that fails over: a primary with a synchronous standby is lost under load, and the standby is promoted.
 * Acknowledged writes are kept, writes without an answer are resolved by their keys, and the service recovers
 * automatically.
 */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { patiently } from "../../src/platform/runtime/patience.ts"
import { commandRun } from "../kit/program/commandRun.ts"
import {
  addressOf,
  app,
  copy,
  leftOut,
  named,
  newServer,
  postgresFolder,
  standbyOf,
  superuser
} from "../kit/servers/PostgresPair.ts"
import { assertBooksWhole, connect, eventually, newHome, seeded } from "../kit/Process.ts"
import { operatorToken, secretKey } from "../kit/Service.ts"
import { stretched } from "../kit/run/slowness.ts"
import { rounds } from "../kit/run/soak.ts"
import { assertAllThere, createAndPay, steadyLoad } from "../kit/faults/SteadyLoad.ts"
import { newKey, runner } from "../kit/runners/TwoRunners.ts"

const losses = rounds(1, 10)
const merchants = 3
const workersEach = 4
/** Writes that are acknowledged before a primary is lost, and after its standby was promoted. */
const writesEach = 100

/** The last does not look like the end of a connection. */
const ways = ["SIGKILL", "immediate", "SIGSTOP"] as const

const pair = Effect.gen(function* () {
  const folder = yield* postgresFolder
  const primary = yield* newServer(folder, "one")
  return { primary, standby: yield* standbyOf(primary, folder, "two") }
})

describe.skipIf(leftOut)(named("a primary with a synchronous standby"), () => {
  it.live(
    "is lost under load, and the standby promoted: no acknowledged write is lost, none is done twice",
    () =>
      Effect.gen(function* () {
        let { primary, standby } = yield* pair
        const both = [standby, primary]
        // The standby is named first: it takes no writes, and is passed over.
        const databaseUrl = `${addressOf(both, app)}?target_session_attrs=read-write`
        const env = { MIGRATION_DATABASE_URL: addressOf(both, superuser) }
        const runners = [yield* runner(databaseUrl, env), yield* runner(databaseUrl, env)]
        for (const { ready } of runners) yield* ready

        const nodes = runners.map(({ port }) => ({ port, wasPaused: () => false }))
        const load = steadyLoad(() => nodes, seeded(1))
        for (const key of yield* Effect.replicateEffect(newKey(runners[0]!), merchants)) {
          for (let worker = 0; worker < workersEach; worker++) load.begin(key, createAndPay)
        }
        const moreWrites = Effect.suspend(() => {
          const goal = load.acknowledged.length + writesEach
          return eventually(
            "more writes to be acknowledged",
            Effect.sync(() => load.acknowledged.length >= goal),
            "2 minutes"
          )
        })

        for (let loss = 0; loss < losses; loss++) {
          yield* moreWrites
          const way = ways[loss % ways.length]!
          const since = performance.now()
          if (way === "immediate") yield* primary.stop("immediate")
          else primary.signal(way)
          yield* standby.promote
          const promoted = performance.now()
          yield* moreWrites
          const seconds = [promoted - since, load.gapSince(since)].map((millis) => (millis / 1_000).toFixed(1))
          process.stdout.write(`primary lost by ${way}: promoted after ${seconds[0]} s, no write for ${seconds[1]} s\n`)
          if (way === "SIGSTOP") {
            // It resumes as a primary that does not know its successor.
            primary.signal("SIGCONT")
            yield* moreWrites
            primary.signal("SIGKILL")
          }
          yield* eventually(
            "the old primary to end",
            Effect.sync(() => primary.processes().length === 0)
          )
          yield* copy(standby, primary)
          ;[primary, standby] = [standby, primary]
        }

        yield* load.end
        const sql = yield* connect(databaseUrl)
        // Thousands of orders, on a busy machine.
        yield* patiently("2 minutes")(Effect.andThen(assertAllThere(sql, load), assertBooksWhole(sql)))
        assert.isBelow(load.longest(), Duration.toMillis(yield* stretched("10 seconds")), "the longest request, ms")
        const audited = yield* commandRun(["audit"], { DATABASE_URL: databaseUrl })
        // If it takes long, it reports its progress.
        assert.strictEqual(audited.code, 0, audited.stderr)
        assert.match(audited.stdout, /: no violations$/m)
        for (const { said } of runners) assert.match(said.stderr, /Postgres is used at 127\.0\.0\.1:\d+ from now on/)
      }),
    losses * 300_000
  )

  it.live("is found again by a start, though the primary before it has come back and is named first", () =>
    Effect.gen(function* () {
      const { primary, standby } = yield* pair
      yield* primary.waitFor("")
      const urls = {
        DATABASE_URL: addressOf([primary, standby], app),
        MIGRATION_DATABASE_URL: addressOf([primary, standby], superuser)
      }
      const migrated = yield* commandRun(["migrate"], urls)
      assert.strictEqual(migrated.code, 0, migrated.stderr)
      yield* eventually(
        "the standby to have the tables",
        Effect.scoped(
          Effect.gen(function* () {
            const sql = yield* connect(`${addressOf([standby], app)}?target_session_attrs=any`)
            return (yield* sql`select 1 where to_regclass('anchors') is not null`).length > 0
          })
        )
      )
      const audit = (address: string) => commandRun(["audit"], { DATABASE_URL: address })
      const refused = yield* audit(addressOf([standby], app))
      assert.match(refused.stderr, /cannot be used: it takes no writes: it is a standby, or was made read-only\n$/)
      assert.strictEqual((yield* audit(`${addressOf([standby], app)}?target_session_attrs=any`)).code, 0)

      yield* standby.promote
      const sql = yield* connect(urls.DATABASE_URL)
      const [used] = yield* sql<{ port: number }>`select inet_server_port() as port`
      assert.deepStrictEqual(used, { port: standby.port })
      const doctor = yield* commandRun(["doctor", "--json"], {
        ...urls,
        COFFER_HOME: yield* newHome,
        SECRET_KEY: secretKey,
        OPERATOR_TOKEN: operatorToken
      })
      const findings: ReadonlyArray<{ name: string; status: string }> = JSON.parse(doctor.stdout).findings
      for (const name of ["postgres", "migrations", "postgres tls", "postgres disk"]) {
        const found = findings.find((each) => each.name === name)
        assert.include(["ok", "not applicable"], found?.status, JSON.stringify(found))
      }
    })
  )
})
