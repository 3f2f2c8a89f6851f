/**
 * Coffer as an operator runs it: `node src/main.ts serve` in a process of its own, with an environment of its own, that
 * can be stopped, paused, killed and started again. Every process that a test starts here ends with the test, Postgres
 * included.
 */
import { patiently } from "../../src/platform/runtime/patience.ts"
import { type ChildProcess, spawn } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert } from "@effect/vitest"
import { Context, Deferred, type Duration, Effect, Exit, Layer, Redacted, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { commandOf } from "../../src/platform/embedded/DataDirLock.ts"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import { Api, type Reply } from "./Api.ts"
import { assertLedgerWhole } from "./ledger.ts"
import { freePort, freshDatabase } from "./Service.ts"
import { signalAll } from "./program/signalAll.ts"

const repository = path.resolve(import.meta.dirname, "../..")

export interface Ended {
  /** Null when a signal ended it. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Coffer {
  readonly pid: number
  readonly port: number
  readonly api: Api
  readonly baseUrl: string
  /** Its output up to now. */
  readonly said: { stdout: string; stderr: string }
  /** Takes effect at once, in the caller's synchronous block. */
  readonly signal: (signal: NodeJS.Signals) => void
  /** Waits until it has ended and everything it wrote was read. */
  readonly ended: Effect.Effect<Ended>
  /** Waits until it can do its work and has said so; dies when it ends instead. */
  readonly ready: Effect.Effect<void>
}

export interface LaunchOptions {
  /** Nothing is inherited from the tests' own environment but what finds programs. */
  readonly env: Readonly<Record<string, string>>
  /** A free one unless given. */
  readonly port?: number
  /** The value after `--runners`, if that is there. */
  readonly runners?: number | string
  /** How it is started: the program itself unless given. */
  readonly through?: "npm start"
  /** The file of another version's program (`versions.ts`). */
  readonly program?: string | undefined
}

/** Starts the process and does not wait for it. The scope's close stops it: with SIGTERM, or the hard way. */
export const launch = Effect.fnUntraced(function* (options: LaunchOptions) {
  const port = options.port ?? (yield* freePort)
  const said = { stdout: "", stderr: "" }
  const done = yield* Deferred.make<Ended>()
  const ended = Deferred.await(done)
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const env = { PATH: process.env["PATH"] ?? "", HOST: "127.0.0.1", PORT: String(port), ...options.env }
      const runners = options.runners === undefined ? [] : ["--runners", String(options.runners)]
      const [command, words] =
        options.through === undefined
          ? [process.execPath, [options.program ?? inject("program"), "serve", ...runners]]
          : ["npm", ["start", ...(options.runners === undefined ? [] : ["--", ...runners])]]
      return spawn(command, words, {
        cwd: repository,
        env,
        stdio: ["ignore", "pipe", "pipe"]
      })
    }),
    (started) => end(started, ended)
  )
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said.stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said.stderr += text))
  child.once("close", (code, signal) => Deferred.doneUnsafe(done, Exit.succeed({ code, signal })))

  const baseUrl = `http://127.0.0.1:${port}`
  const ready = eventually(
    "Coffer to be ready",
    Effect.gen(function* () {
      if (hasEnded(child)) return yield* Effect.die(new Error(`Coffer ended instead of serving:\n${said.stderr}`))
      return /^Coffer (is ready|serves)/m.test(said.stdout) && (yield* statusOf(`${baseUrl}/readyz`)) === 200
    })
  )
  const signal = (name: NodeJS.Signals) => void child.kill(name)
  const api = new Api(baseUrl, options.env["OPERATOR_TOKEN"] ?? "")
  const coffer: Coffer = { pid: child.pid!, port, api, baseUrl, said, signal, ended, ready }
  return coffer
})

/** As {@link launch}, and waits until it serves. */
export const run = (options: LaunchOptions) => Effect.tap(launch(options), ({ ready }) => ready)

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

/** A stop in good order stops its Postgres too. One that is paused has to wake up to hear of it. */
const end = (child: ChildProcess, ended: Effect.Effect<Ended>) =>
  Effect.suspend(() => {
    if (hasEnded(child)) return Effect.void
    child.kill("SIGCONT")
    child.kill("SIGTERM")
    return Effect.timeoutOrElse(ended, {
      duration: "1 minute",
      orElse: () =>
        Effect.andThen(
          Effect.sync(() => child.kill("SIGKILL")),
          ended
        )
    })
  })

const statusOf = (url: string) =>
  Effect.promise(() =>
    fetch(url).then(
      (response) => response.arrayBuffer().then(() => response.status),
      () => undefined
    )
  )

/**
 * A start and a stop take two seconds of the processor, and a first start five. A story is played once, when the first
 * test of a file asks what came of it, and several rules are read off it.
 */
export const once = <A, E>(story: Effect.Effect<A, E, Scope.Scope>) =>
  Effect.runSync(Effect.cached(Effect.scoped(story)))

// ── Waiting ──

/**
 * Looks again and again until it is so. A condition that never comes is named long before the test itself is given up.
 */
export const eventually = <E, R>(
  what: string,
  check: Effect.Effect<boolean, E, R>,
  patience: Duration.Input = "5 minutes"
): Effect.Effect<void, E, R> =>
  Effect.gen(function* () {
    while (!(yield* check)) yield* Effect.sleep("20 millis")
  }).pipe(
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.die(new Error(`waited ${String(patience)} for ${what}`))
    })
  )

/** The reply, or nothing when the connection broke before the reply had come. */
export const answered = (call: Effect.Effect<Reply>): Effect.Effect<Reply | undefined> =>
  Effect.catchDefect(call, (defect) =>
    // `fetch` throws this when it is refused, reset or cut off; a failed assertion is something else.
    defect instanceof TypeError ? Effect.succeed(undefined) : Effect.die(defect)
  )

// ── Homes ──

/** A COFFER_HOME yet to be made. At the end no Postgres runs in it, and it is gone. */
export const newHome = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(path.join(realpathSync(tmpdir()), "coffer-process-"))
    // Root's Postgres runs as another user, who walks through here.
    chmodSync(folder, 0o711)
    return path.join(folder, "home")
  }),
  Effect.fnUntraced(function* (home) {
    const pid = postmasterOf(home)?.pid
    if (yield* postgresRuns(home)) signalAll([pid!], "SIGQUIT")
    yield* eventually(
      "Postgres to end",
      Effect.map(postgresRuns(home), (still) => !still)
    )
    rmSync(path.dirname(home), { recursive: true, force: true, maxRetries: 50, retryDelay: 100 })
  })
)

interface Postmaster {
  readonly pid: number
  readonly port: number
}

/** Postgres' own file about itself; nothing when it has stopped in good order, or never ran. */
export const postmasterOf = (home: string): Postmaster | undefined => {
  const file = path.join(home, "postgres", "postmaster.pid")
  if (!existsSync(file)) return undefined
  const lines = readFileSync(file, "utf8").split("\n")
  return { pid: Number(lines[0]), port: Number(lines[3]) }
}

/** A pid alone says little: it may be another program's by now. */
export const postgresRuns = (home: string): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    const pid = postmasterOf(home)?.pid
    return pid === undefined
      ? Effect.succeed(false)
      : Effect.map(commandOf(String(pid)), (command) => command?.includes(`/postgres -D ${home}/postgres -p `) === true)
  })

export interface Credentials {
  readonly base_url: string
  readonly operator_url: string
  readonly operator_token: string
  readonly merchant_id: string
  readonly sandbox_key: string
  readonly live_key: string
}

export const credentialsOf = (home: string): Credentials =>
  JSON.parse(readFileSync(path.join(home, "credentials.json"), "utf8"))

/** The sandbox key of the merchant that the first start makes, who from now on may send what tests send. */
export const demoKey = Effect.fnUntraced(function* ({ baseUrl }: Coffer, home: string) {
  const known = credentialsOf(home)
  yield* liftQuotas(new Api(baseUrl, known.operator_token), known.merchant_id)
  return known.sandbox_key
})

/** A test sends more in a minute than a merchant may. */
export const liftQuotas = (api: Api, merchantId: string) =>
  Effect.map(
    api.operator("POST", `/merchants/${merchantId}`, {
      quotas: { writes: 1_000_000, reads: 1_000_000, helpers: 1_000_000 }
    }),
    ({ status }) => assert.strictEqual(status, 200)
  )

/** The address of the Postgres that runs in a home. */
export const databaseOf = (home: string): string => {
  const password = readFileSync(path.join(home, "postgres.password"), "utf8").trim()
  return `postgres://coffer:${password}@127.0.0.1:${postmasterOf(home)?.port}/coffer`
}

// ── Books ──

/** A connection of the test's own, or several, for the length of the surrounding scope. */
export const connect = (url: string, connections = 1) =>
  Effect.map(
    Layer.build(Postgres.layer({ url: Redacted.make(url), connections, name: "test" })),
    Context.get(SqlClient.SqlClient)
  )

/** A database that no service uses: for what asks Postgres alone, since a service takes ten times the processor. */
export const freshSql = Effect.flatMap(freshDatabase, (url) => connect(url, 10))

/** The ledger is whole and nothing is half-written, as seen at one moment: the service may go on writing meanwhile. */
export const assertBooksWhole = (sql: SqlClient.SqlClient) =>
  // Reads whole tables.
  patiently("1 minute")(
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`set transaction isolation level repeatable read`
        yield* assertLedgerWhole(sql)
        const astray = yield* sql`
        select l.id from ledger l left join orders o on o.trade_no = l.reference_id and o.status = 'paid'
          and o.merchant_id = l.merchant_id and o.mode = l.mode and o.currency = l.currency
        where o.trade_no is null`
        assert.deepStrictEqual(astray, [], "ledger rows without a paid order")
        const repeated = yield* sql`
        select reference_id, type from ledger where type in ('payment_credit', 'fee_debit')
        group by reference_id, type having count(*) > 1`
        assert.deepStrictEqual(repeated, [], "orders that were credited twice")
        const sums = yield* sql`
        select w.wallet_id from wallets w left join ledger l using (wallet_id) group by w.wallet_id
        having w.available <> coalesce(sum(l.balance_after - l.balance_before), 0)
          or w.total_revenue <> coalesce(sum(l.amount) filter (where l.type = 'payment_credit'), 0)
          or w.total_fee <> -coalesce(sum(l.amount) filter (where l.type = 'fee_debit'), 0)`
        assert.deepStrictEqual(sums, [], "wallets that are not the sum of their ledger")
        const orphans = yield* sql`
        select e.id from events e left join orders o on o.trade_no = e.object_id
          and e.type = case o.status when 'paid' then 'payment.succeeded' when 'expired' then 'payment.expired' end
        where e.type in ('payment.succeeded', 'payment.expired') and o.trade_no is null`
        assert.deepStrictEqual(orphans, [], "events of what did not happen")
      })
    )
  )

/** Random numbers that are the same in every run, so that a failure can be had again. */
export const seeded = (seed: number) => {
  let state = seed >>> 0
  /** An integer from 0 to below `limit` (mulberry32). */
  return (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}
