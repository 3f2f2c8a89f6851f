/**
 * `coffer audit`: checks the whole ledger against the published laws (docs/ledger.md) and reports which row breaks
 * which law. It reads the database that `coffer serve` would use, whether or not the service runs, and writes nothing.
 */
import path from "node:path"
import { subjects, type Violation } from "@coffer/rules/wallet/laws"
import { Clock, Console, Context, Effect, Layer, Option, type Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { checkAnchorFile } from "./shared/audit/anchorFileCheck.ts"
import { make } from "./shared/audit/Auditor.ts"
import type { Counts } from "./shared/audit/slices.ts"
import { databaseProblem } from "./platform/postgres/databaseProblem.ts"
import * as EmbeddedPostgres from "./platform/embedded/EmbeddedPostgres.ts"
import * as Postgres from "./platform/postgres/Postgres.ts"
import * as RunningPostgres from "./platform/embedded/RunningPostgres.ts"
import { layerSecretFiles } from "./platform/runtime/roomSettings.ts"
import * as standardError from "./platform/runtime/standardError.ts"
import { notStarted } from "./serve.ts"
import * as Settings from "./platform/runtime/Settings.ts"
import "./settingsOfRooms.ts"

/** The ledger has violations, which were reported already. */
class LedgerBroken extends Schema.TaggedError<LedgerBroken>()("LedgerBroken", { violations: Schema.Int }) {}

export const runAudit = Effect.gen(function* () {
  const { anchorFile, databaseUrl, home } = yield* Settings.startup
  const url = Option.isSome(databaseUrl) ? databaseUrl.value : yield* embeddedDatabase(path.resolve(home))
  yield* Effect.catchTags(audit(url, Option.getOrUndefined(anchorFile)), {
    SqlError: (error) => notStarted(databaseProblem(url, error)),
    AnchorFileFailed: ({ message }) => notStarted(`ANCHOR_FILE can't be read: ${message}`)
  })
}).pipe(
  Effect.scoped,
  Effect.provide(layerSecretFiles),
  Effect.catchTags({
    ConfigError: (error) => notStarted(`Invalid setting: ${error.message}`),
    BadSetting: ({ message }) => notStarted(message),
    EmbeddedFailure: ({ message }) => notStarted(message)
  }),
  Effect.provide(standardError.logger)
)

const audit = Effect.fnUntraced(function* (url: Redacted.Redacted, anchorFile: string | undefined) {
  const sql = Context.get(
    yield* Layer.build(Postgres.layer({ url, connections: 1, name: "coffer-audit" })),
    SqlClient.SqlClient
  )
  yield* expectTables(sql)

  let found = 0
  const violation = (violation: Violation) => {
    found++
    return Console.log(lineOf(violation))
  }
  const counts = yield* make(sql).all({ violation, progress: yield* progress })
  const lines = anchorFile === undefined ? undefined : yield* checkAnchorFile(sql, anchorFile, violation)
  const checked = (["wallets", "ledger", "orders"] as const)
    .map((about) => `${formatCount(counts[about])} ${subjects[about].called}`)
    .join(", ")
  if (lines !== undefined) {
    yield* Console.log(
      `${formatCount(lines.compared)} lines of ANCHOR_FILE compared, ${formatCount(lines.unread)} unreadable`
    )
  }
  yield* Console.log(
    `${checked} checked: ${found === 0 ? "no" : formatCount(found)} violation${found === 1 ? "" : "s"}`
  )
  if (found > 0) return yield* new LedgerBroken({ violations: found })
})

/**
 * The database of the Coffer that runs in this home; if none runs, its Postgres is started for the duration of the
 * audit.
 */
export const embeddedDatabase = Effect.fnUntraced(function* (home: string) {
  if (!(yield* RunningPostgres.isKeptIn(home))) {
    return yield* notStarted(
      `There is no database in ${home}. Set COFFER_HOME or DATABASE_URL to the database to check.`
    )
  }
  return yield* EmbeddedPostgres.start({ home }).pipe(
    Effect.map(({ url }) => url),
    Effect.catchTags({
      EmbeddedFailure: (failure) =>
        Effect.flatMap(RunningPostgres.find(home), (url) =>
          url === undefined ? Effect.fail(failure) : Effect.succeed(url)
        )
    })
  )
})

/** It migrates nothing: which program serves this database is not for an auditor to decide. */
const expectTables = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [row] = yield* sql<{ readonly there: boolean }>`select to_regclass('ledger_sums') is not null as there`
  if (row?.there !== true) {
    return yield* notStarted("The database has not been migrated to this version. Start coffer serve once, then audit.")
  }
})

const lineOf = ({ detail, key, law, table }: Violation) => `${law} ${table} ${key}: ${detail}`

const formatCount = (count: number) => count.toLocaleString("en-US")

/** Progress on standard error, if the audit takes longer than people like to wait in silence. */
const progress = Effect.map(Clock.currentTimeMillis, (start) => {
  let saidAt = start
  return (checked: Counts) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (now - saidAt < silenceMillis) return Effect.void
      saidAt = now
      const rows = Object.values(checked).reduce((sum, count) => sum + count, 0)
      return Console.error(`${formatCount(rows)} rows checked, ${formatCount(checked.ledger)} of the ledger`)
    })
})

const silenceMillis = 2_000
