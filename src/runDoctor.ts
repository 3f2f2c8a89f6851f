/**
 * `coffer doctor`: checks the installation that the environment names and prints what it found (docs/doctor.md). It may
 * run beside the service or without it, and writes nothing.
 */
import path from "node:path"
import { styleText } from "node:util"
import { Console, Context, Effect, Formatter, Layer, Option, type Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as channels from "./channels.ts"
import { diagnose } from "./door/doctor/doctor.ts"
import { type Status, Unmade } from "./door/doctor/Finding.ts"
import { hasLiveMerchants, type Installation } from "./door/doctor/Installation.ts"
import { exitCodeOf, jsonOf, tableOf } from "./door/doctor/report.ts"
import { databaseProblem } from "./platform/postgres/databaseProblem.ts"
import * as Postgres from "./platform/postgres/Postgres.ts"
import { bounded } from "./platform/runtime/Deadline.ts"
import * as DataDir from "./platform/runtime/DataDir.ts"
import { layerSecretFiles } from "./platform/runtime/roomSettings.ts"
import * as Settings from "./platform/runtime/Settings.ts"
import * as standardError from "./platform/runtime/standardError.ts"
import { embeddedDatabase } from "./runAudit.ts"
import "./settingsOfRooms.ts"

/** Problems were found, and reported already. */
export class Unwell extends Schema.TaggedError<Unwell>()("Unwell", { exitCode: Schema.Int }) {}

export interface Options {
  readonly json: boolean
  /** Judge as if a merchant were live. */
  readonly live: boolean
}

export const runDoctor = Effect.fnUntraced(
  function* ({ json, live }: Options) {
    const findings = yield* diagnose(yield* installation(live), channels.checks)
    yield* Console.log(json ? Formatter.formatJson(jsonOf(findings), { space: 2 }) : tableOf(findings, paint))
    const exitCode = exitCodeOf(findings)
    if (exitCode > 0) return yield* new Unwell({ exitCode })
  },
  Effect.scoped,
  Effect.provide(layerSecretFiles),
  // A secret whose file cannot be read: nothing else can be checked then.
  Effect.catchTags({
    ConfigError: (error) => failed(`Invalid setting: ${error.message}`),
    BadSetting: ({ message }) => failed(message)
  }),
  Effect.provide(standardError.logger)
)

const failed = (message: string) =>
  Effect.andThen(Console.error(`coffer: ${message.replace(/\s+/g, " ")}`), Effect.fail(new Unwell({ exitCode: 2 })))

/** A missing part, such as a database that is away, is reported by the checks that need it. */
const installation = Effect.fnUntraced(function* (live: boolean) {
  const { backups, connections, databaseUrl, home: folder } = yield* Settings.startup
  const home = path.resolve(folder)
  const embedded = Option.isNone(databaseUrl)
  const settings = yield* cacheResult(settingsOf(home, embedded))
  const url = yield* cacheResult(Option.isSome(databaseUrl) ? Effect.succeed(databaseUrl.value) : embeddedUrl(home))
  const database = yield* cacheResult(Effect.flatMap(url, databaseAt))
  const isLive = yield* Effect.flatMap(database, hasLiveMerchants).pipe(Effect.orElseSucceed(() => false))
  const found: Installation = {
    home,
    embedded,
    connections,
    backups: Option.getOrUndefined(backups),
    url,
    settings,
    database,
    isLive: live || isLive
  }
  return found
})

/** Runs the effect once, and gives its result to every caller. */
const cacheResult = <A, R>(effect: Effect.Effect<A, Unmade, R>) =>
  Effect.map(Effect.result(effect), (result) => Effect.fromResult(result))

const unmade = (reason: string) => Effect.fail(new Unmade({ reason: reason.replace(/\s+/g, " ") }))

const settingsOf = (home: string, embedded: boolean) =>
  Effect.map(
    Layer.build(Settings.layer({ embedded }).pipe(Layer.provide(DataDir.layerReading(home)))),
    Context.get(Settings.Settings)
  ).pipe(
    Effect.catchTags({
      ConfigError: (error) => unmade(`Invalid setting: ${error.message}`),
      BadSetting: ({ message }) => unmade(message),
      DataDirUnusable: ({ message }) => unmade(message)
    })
  )

const embeddedUrl = (home: string) =>
  Effect.catchTags(embeddedDatabase(home), {
    NotStarted: ({ message }) => unmade(message),
    EmbeddedFailure: ({ message }) => unmade(message)
  })

/** The pool tries for a while to open a connection. */
const connectMillisMax = 8_000

const databaseAt = (url: Redacted.Redacted) =>
  Effect.gen(function* () {
    const sql = Context.get(
      yield* Layer.build(Postgres.layer({ url, connections: 2, name: "doctor", watched: false })),
      SqlClient.SqlClient
    )
    yield* sql`select 1`
    return sql
  }).pipe(Effect.catchTags({ SqlError: (error) => unmade(databaseProblem(url, error)) }), (opening) =>
    bounded(opening, connectMillisMax, () => new Unmade({ reason: "Postgres did not respond in time" }))
  )

const colors = { error: "red", warning: "yellow", ok: "green", "not applicable": "gray" } as const

/** Node leaves the colours out where standard output is no terminal, or NO_COLOR is set. */
const paint = (status: Status, text: string) => styleText(colors[status], text, { stream: process.stdout })
