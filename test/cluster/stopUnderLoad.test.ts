/** A stop while clients are busy and while the database is slow. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Coffer, demoKey, eventually, launch, newHome, run } from "../kit/Process.ts"
import { freePort, freshDatabase, operatorToken, secretKey } from "../kit/Service.ts"
import { alarms, busyClients } from "../kit/stories/busyClients.ts"
import { cable } from "../kit/servers/Cable.ts"
import { usedHome } from "../kit/program/usedHome.ts"

const shared = { SECRET_KEY: secretKey, OPERATOR_TOKEN: operatorToken }

/** A Coffer on a database that others may share; a member of a cluster when it has a runner port. */
const onDatabase = Effect.fnUntraced(function* (url: string, env: Record<string, string> = {}) {
  return yield* run({ env: { COFFER_HOME: yield* newHome, DATABASE_URL: url, ...shared, ...env } })
})
const asMember = Effect.map(freePort, (port) => ({ RUNNER_HOST: "127.0.0.1", RUNNER_PORT: String(port) }))

describe("a stop", () => {
  it.live("under load answers every request that was sent, exits 0, and logs nothing alarming", () =>
    Effect.gen(function* () {
      const home = yield* usedHome
      const coffer = yield* run({ env: { COFFER_HOME: home } })
      const key = yield* demoKey(coffer, home)
      const stopAt = (paid: number) => void (paid === 300 && coffer.signal("SIGTERM"))
      const outcomes = yield* busyClients(64, [coffer.port], key, stopAt)
      const refused = outcomes.filter((outcome) => outcome === "refused")
      assert.lengthOf(refused, 64, "each client was refused at the end, and none was cut off")
      const statuses = new Set(outcomes.map((outcome) => (typeof outcome === "string" ? outcome : outcome.status)))
      assert.deepStrictEqual([...statuses].toSorted(), [200, 201, "refused"])
      assert.deepStrictEqual(yield* coffer.ended, { code: 0, signal: null })
      assert.deepStrictEqual(alarms(coffer), [])
    })
  )

  it.live("on a database 20 ms away releases its locks in time: no release is tried again", () =>
    Effect.gen(function* () {
      const { url } = yield* cable(yield* freshDatabase, { delayMillis: 10 })
      const coffer = yield* onDatabase(url)
      coffer.signal("SIGTERM")
      assert.deepStrictEqual(yield* coffer.ended, { code: 0, signal: null })
      assert.deepStrictEqual(alarms(coffer), [])
    })
  )
})

const gauge = Effect.fnUntraced(function* ({ baseUrl }: Coffer, name: string) {
  const text = yield* Effect.promise(() => fetch(`${baseUrl}/metrics`).then((response) => response.text()))
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1])
})

describe("of two runners", () => {
  it.live(
    "the one that stays counts the other while it lives, says that it stopped, and warns once when one died",
    () =>
      Effect.gen(function* () {
        const database = yield* freshDatabase
        const stays = yield* onDatabase(database, yield* asMember)
        const counts = (runners: number) =>
          eventually(
            `${runners} runners`,
            Effect.map(gauge(stays, "effect_cluster_runners"), (found) => found === runners)
          )
        yield* counts(1)
        const stops = yield* onDatabase(database, yield* asMember)
        yield* counts(2)
        stops.signal("SIGTERM")
        assert.deepStrictEqual(yield* stops.ended, { code: 0, signal: null })
        yield* counts(1)
        const dies = yield* onDatabase(database, yield* asMember)
        yield* counts(2)
        dies.signal("SIGKILL")
        yield* dies.ended
        yield* counts(1)
        const routine = /REDIS_URL is not set/
        const alarming = (coffer: Coffer) => alarms(coffer).filter((line) => !routine.test(line))
        assert.deepStrictEqual([alarming(stops), alarming(dies)], [[], []])
        assert.match(stays.said.stderr, /the runner 127\.0\.0\.1:\d+ \(version .*\) has stopped/)
        const [warning = "", ...others] = alarming(stays)
        assert.match(warning, /"the runner .* ended without shutting down: Postgres has lost its connections\./)
        assert.match(warning, /"level":"WARN"/)
        assert.deepStrictEqual(others, [])
      })
  )
})

describe("npm start", () => {
  it.live("hands SIGTERM on to the service, which ends before npm does", () =>
    Effect.gen(function* () {
      const home = yield* usedHome
      const coffer = yield* launch({ env: { COFFER_HOME: home }, through: "npm start" })
      yield* coffer.ready
      coffer.signal("SIGTERM")
      yield* coffer.ended
      const refused = yield* Effect.promise(() =>
        fetch(`${coffer.baseUrl}/healthz`).then(
          () => false,
          () => true
        )
      )
      assert.isTrue(refused, "the service still runs")
    })
  )
})
