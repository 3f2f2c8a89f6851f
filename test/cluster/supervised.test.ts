/** `coffer serve --runners N`: several runners behind one port, and the parent that keeps them. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { Api } from "../kit/Api.ts"
import { alarms, assertFewFailed, assertNoneFailed, busyClients } from "../kit/stories/busyClients.ts"
import {
  assertBooksWhole,
  type Coffer,
  connect,
  credentialsOf,
  databaseOf,
  demoKey,
  eventually,
  launch,
  once,
  postgresRuns,
  postmasterOf,
  run
} from "../kit/Process.ts"
import { head, sendRaw } from "../kit/callers/Raw.ts"
import type { Json } from "../kit/Merchant.ts"
import { isSoak, restMillis, rounds } from "../kit/run/soak.ts"
import { usedHome } from "../kit/program/usedHome.ts"

const runners = 3

/** Requests that are under way while all runners are replaced. */
const requestsMin = rounds(600, 20_000)

/** The pids of the runners that use this database, as Postgres sees it. */
const pidsOf = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ pid: string }>`select distinct substring(application_name from '^coffer (\\d+)@') as pid from pg_stat_activity
      where datname = current_database() and application_name like 'coffer %@%' order by 1`,
    (rows) => rows.map(({ pid }) => Number(pid))
  )

const says = (coffer: Coffer, words: RegExp) =>
  eventually(
    String(words),
    Effect.sync(() => words.test(coffer.said.stderr))
  )

const isGone = (pid: number) => {
  try {
    return !process.kill(pid, 0)
  } catch {
    return true
  }
}

const end = (pid: number) => {
  if (!isGone(pid)) process.kill(pid, "SIGTERM")
}

/** As Linux has them. */
const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number)

/** The lines that runners have logged, without the parent's. */
const loggedBy = ({ pid, said }: Coffer): ReadonlyArray<Json> =>
  said.stderr
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Json)
    .filter((line) => line["pid"] !== pid)

const supervised = Effect.gen(function* () {
  const home = yield* usedHome
  const coffer = yield* run({ env: { COFFER_HOME: home }, runners })
  const sql = yield* connect(databaseOf(home))
  return { home, coffer, sql, key: yield* demoKey(coffer, home) }
})

/** Waits for as many runners again, none of which is one of these. Returns them. */
const without = (look: ReturnType<typeof pidsOf>, gone: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    let now: ReadonlyArray<number> = []
    yield* eventually(
      "three runners again",
      Effect.map(look, (pids) => {
        now = pids
        return pids.length === runners && !pids.some((pid) => gone.includes(pid))
      })
    )
    return now
  })

/** They start, a merchant writes more than it may, and they are stopped. */
const ordinary = once(
  Effect.gen(function* () {
    const { coffer, home, sql } = yield* supervised
    const begun = {
      pids: yield* pidsOf(sql),
      joined: yield* sql`select 1 from cluster_runners`,
      merchants: yield* sql`select 1 from merchants`,
      places: yield* sql<{ address: string }>`select address from runners order by address`
    }
    const operator = new Api(coffer.baseUrl, credentialsOf(home).operator_token)
    const { sandboxKey } = yield* operator.newMerchant("All", "default")
    const replies = yield* Effect.replicateEffect(coffer.api.post("/v1/orders", sandboxKey, { amount: 100 }), 360, {
      concurrency: 16
    })
    const pidsAfterwards = yield* pidsOf(sql)
    coffer.signal("SIGTERM")
    const ended = yield* coffer.ended
    return { ...begun, coffer, replies, pidsAfterwards, ended, postmaster: postmasterOf(home) }
  })
)

/** One is killed, all are replaced by SIGHUP, and one is killed again. */
const killedTwice = once(
  Effect.gen(function* () {
    const { coffer, sql } = yield* supervised
    const seen = new Set(yield* pidsOf(sql))
    const look = Effect.map(pidsOf(sql), (pids) => {
      for (const pid of pids) seen.add(pid)
      return pids
    })
    const answers = new Set<number>()
    const answering = Effect.tap(look, () =>
      Effect.map(coffer.api.get("/healthz"), ({ status }) => void answers.add(status))
    )
    const killOne = Effect.gen(function* () {
      const before = yield* look
      const doomed = before[1]!
      process.kill(doomed, "SIGKILL")
      yield* says(coffer, new RegExp(`pid ${doomed}\\) ended by itself \\(SIGKILL\\)`))
      return { doomed, before, after: yield* without(answering, [doomed]) }
    })
    const ends = () => coffer.said.stderr.match(/ended by itself/g)?.length ?? 0
    const first = yield* killOne
    coffer.signal("SIGHUP")
    yield* eventually(
      "the restart to be done",
      Effect.map(look, () => coffer.said.stderr.includes('"rolling restart done"'))
    )
    yield* without(look, first.after)
    const replaced = { seen: seen.size, ends: ends() }
    const silent = [...coffer.said.stderr.matchAll(/the runner (\S+) [^"]*ended without shutting down/g)]
    yield* killOne
    return { coffer, first, answers, replaced, silent: new Set(silent.map(([, address]) => address)), ends: ends() }
  })
)

/** One is frozen for a while. Then the parent is killed. */
const orphaned = once(
  Effect.gen(function* () {
    const { coffer, home, sql } = yield* supervised
    const pids = yield* pidsOf(sql)
    const [frozen] = pids
    const told = () => Effect.map(sendRaw(coffer.baseUrl, head("GET /healthz")), ({ status }) => status)
    const oneByOne = Effect.replicateEffect(Effect.suspend(told), 3 * runners)
    process.kill(frozen!, "SIGSTOP")
    yield* Effect.addFinalizer(() => Effect.sync(() => isGone(frozen!) || process.kill(frozen!, "SIGCONT")))
    const statuses = [
      ...(yield* Effect.all(Array.from({ length: 3 * runners }, told), { concurrency: "unbounded" })),
      ...(yield* oneByOne)
    ]
    process.kill(frozen!, "SIGCONT")
    statuses.push(...(yield* oneByOne))

    coffer.signal("SIGKILL")
    yield* coffer.ended
    yield* eventually(
      "the runners to end",
      Effect.sync(() => pids.every(isGone))
    )
    const isLeft = yield* postgresRuns(home)
    const again = yield* run({ env: { COFFER_HOME: home } })
    return { statuses, isLeft, again: (yield* again.api.get("/readyz")).status }
  })
)

describe("serve --runners 3 on the embedded Postgres", () => {
  it.live("starts three runners with one command, and SIGTERM stops them all and then Postgres", () =>
    Effect.gen(function* () {
      const { coffer, ended, joined, merchants, pids, postmaster } = yield* ordinary
      assert.match(coffer.said.stdout, /^Coffer is ready\.$/m)
      assert.lengthOf(pids, runners)
      assert.lengthOf(joined, runners)
      assert.lengthOf(merchants, 1)
      assert.deepStrictEqual(ended, { code: 0, signal: null })
      assert.isUndefined(postmaster, "Postgres ended in good order")
      assert.deepStrictEqual(alarms(coffer), [])
    })
  )

  it.live("takes 120 of 360 writes of a merchant in a minute, over all of its runners together", () =>
    Effect.gen(function* () {
      const { pidsAfterwards, replies } = yield* ordinary
      const statuses = Map.groupBy(replies, ({ status }) => status)
      assert.deepStrictEqual(
        [statuses.get(201)?.length, statuses.get(429)?.length],
        [120, 240],
        JSON.stringify([...statuses.keys()])
      )
      assert.lengthOf(pidsAfterwards, runners)
    })
  )

  it.live("a runner that is killed is started again, and the port answers all the while", () =>
    Effect.gen(function* () {
      const { answers, coffer, first } = yield* killedTwice
      assert.include(coffer.said.stderr, `pid ${first.doomed}) ended by itself (SIGKILL); it is started again in 0.5 s`)
      assert.deepStrictEqual([...answers], [200])
      assert.lengthOf(first.after, runners)
      // The others have not been touched.
      assert.includeMembers(
        [...first.after],
        first.before.filter((pid) => pid !== first.doomed)
      )
    })
  )

  it.live("a runner that is frozen is given no connection: another one answers each", () =>
    Effect.gen(function* () {
      const { statuses } = yield* orphaned
      assert.deepStrictEqual(
        statuses,
        Array.from({ length: 9 * runners }, () => 200)
      )
    })
  )

  it.live("SIGHUP replaces one runner after the other under load: hardly a request is cut or told to come back", () =>
    Effect.gen(function* () {
      const { coffer, key, sql } = yield* supervised
      const before = yield* pidsOf(sql)
      const restarts = () => coffer.said.stderr.split('"rolling restart done"').length - 1
      let seen = -1
      const onPaid = (paid: number) => {
        if (restarts() > 0 && paid * 2 >= requestsMin) return "enough" as const
        // The next one begins when the one before is done.
        if (restarts() !== seen) {
          seen = restarts()
          coffer.signal("SIGHUP")
        }
        return undefined
      }
      // The long form runs on a machine that has nothing else to do. There no request may fail.
      const assertAnswered = isSoak ? assertNoneFailed : assertFewFailed
      const answeredWell = assertAnswered(yield* busyClients(16, [coffer.port], key, onPaid, restMillis))
      assert.isAtLeast(answeredWell, requestsMin * 0.99)
      yield* eventually(
        "the last restart to be done",
        Effect.sync(() => restarts() > seen)
      )
      const after = yield* pidsOf(sql)
      assert.lengthOf(after, runners)
      assert.notIncludeMembers([...after], [...before])
      yield* assertBooksWhole(sql)
    })
  )

  it.live("when the parent is killed its runners stop, so that a start finds the home free", () =>
    Effect.gen(function* () {
      const { again, isLeft } = yield* orphaned
      assert.isTrue(isLeft)
      assert.strictEqual(again, 200)
    })
  )
})

describe("each line of the log of a runner", () => {
  it.live("says which runner wrote it, and the runner says its version and settings when it starts and stops", () =>
    Effect.gen(function* () {
      const { coffer, places } = yield* ordinary
      assert.lengthOf(places, runners)
      const lines = loggedBy(coffer)
      assert.deepStrictEqual(
        lines.filter(({ runner }) => !places.some(({ address }) => address === runner)),
        []
      )
      const { version } = JSON.parse(readFileSync("package.json", "utf8"))
      for (const { address } of places) {
        const own = lines.filter(({ runner }) => runner === address)
        assert.lengthOf([...new Set(own.map(({ pid }) => pid))], 1)
        const [started, ...more] = own.filter(({ message }) => message === `coffer ${version} has started`)
        assert.deepStrictEqual(more, [])
        assert.deepInclude(started!["annotations"], { version, quotas: "postgres", access_log: false })
        assert.lengthOf(
          own.filter(({ message }) => message === `coffer ${version} stops`),
          1
        )
      }
    })
  )
})

describe("a runner that has exited on its own", () => {
  it.live("has a successor that SIGHUP replaces like each other, and whose own end is logged again", () =>
    Effect.gen(function* () {
      const { ends, replaced, silent } = yield* killedTwice
      assert.deepStrictEqual(replaced, { seen: runners + 1 + runners, ends: 1 }, "each was replaced once")
      // One line is of the runner that was killed, and none of those that were replaced.
      assert.isAtMost(silent.size, 1)
      assert.strictEqual(ends, 2)
    })
  )
})

describe("serve --runners through npm start", () => {
  it.live("keeps running when SIGHUP ends npm, and is restarted by SIGHUP to the program itself", () =>
    Effect.gen(function* () {
      const home = yield* usedHome
      const coffer = yield* run({ env: { COFFER_HOME: home }, runners: 1, through: "npm start" })
      // `exec` in npm's script leaves no shell between the two.
      const [program] = childrenOf(coffer.pid)
      // It outlives npm, by which the test would stop it.
      yield* Effect.addFinalizer(() =>
        Effect.andThen(
          Effect.sync(() => end(program!)),
          coffer.ended
        )
      )
      coffer.signal("SIGHUP")
      yield* eventually(
        "npm to end",
        Effect.sync(() => isGone(coffer.pid))
      )
      assert.strictEqual((yield* coffer.api.get("/readyz")).status, 200)
      assert.notInclude(coffer.said.stderr, "rolling restart")
      process.kill(program!, "SIGHUP")
      yield* says(coffer, /"rolling restart done"/)
      assert.strictEqual((yield* coffer.api.get("/readyz")).status, 200)
    })
  )
})

describe("SIGHUP before all runners are ready", () => {
  it.live("is done when they are, and leaves no Postgres behind", () =>
    Effect.gen(function* () {
      const home = yield* usedHome
      const coffer = yield* launch({ env: { COFFER_HOME: home }, runners: 2 })
      yield* eventually("its Postgres to run", postgresRuns(home))
      coffer.signal("SIGHUP")
      yield* coffer.ready
      yield* says(coffer, /"rolling restart done"/)
      coffer.signal("SIGTERM")
      assert.deepStrictEqual(yield* coffer.ended, { code: 0, signal: null })
      assert.isUndefined(postmasterOf(home), "Postgres ended in good order")
    })
  )

  it.live("and one to a single process, which a closed terminal sends, is a stop in good order", () =>
    Effect.gen(function* () {
      const home = yield* usedHome
      const coffer = yield* launch({ env: { COFFER_HOME: home, HOST: "::" } })
      yield* eventually("its Postgres to run", postgresRuns(home))
      yield* eventually(
        "it to be ready",
        Effect.sync(() => /^Coffer is ready/m.test(coffer.said.stdout))
      )
      assert.match(coffer.said.stdout, /Base URL {5}http:\/\/127\.0\.0\.1:\d+\/v1/)
      coffer.signal("SIGHUP")
      assert.deepStrictEqual(yield* coffer.ended, { code: 0, signal: null })
      assert.isUndefined(postmasterOf(home), "Postgres ended in good order")
    })
  )
})
