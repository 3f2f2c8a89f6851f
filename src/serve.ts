/**
 * `coffer serve`: starts the service on the database that the environment names, prints what to do next, and runs until
 * it is stopped. If it cannot start, one line says why.
 */
import path from "node:path"
import { Config, Console, Duration, Effect, Layer, Option, Predicate, type Redacted, Schema } from "effect"
import type { HttpServerError } from "effect/http"
import type { SocketServer } from "effect/socket"
import { type Migrator as SqlMigrator } from "effect/sql"
import * as channels from "./channels.ts"
import { followDrain } from "./drain.ts"
import * as doctor from "./door/doctor/doctor.ts"
import { served } from "./door/doctor/Installation.ts"
import { databaseProblem } from "./platform/postgres/databaseProblem.ts"
import * as EmbeddedPostgres from "./platform/embedded/EmbeddedPostgres.ts"
import { serviceUrl } from "./platform/embedded/serviceRole.ts"
import { collectorOf } from "./platform/runtime/collector.ts"
import * as Faults from "./platform/runtime/Faults.ts"
import * as DataDir from "./platform/runtime/DataDir.ts"
import { misspelt, textOf as misspeltText } from "./platform/runtime/misspelt.ts"
import type { NotMigrated } from "./platform/postgres/migrationSteps.ts"
import * as Migrator from "./platform/postgres/Migrator.ts"
import * as Postgres from "./platform/postgres/Postgres.ts"
import { processName } from "./platform/postgres/processName.ts"
import { layerSecretFiles } from "./platform/runtime/roomSettings.ts"
import * as standardError from "./platform/runtime/standardError.ts"
import * as Telemetry from "./platform/runtime/Telemetry.ts"
import { commandPrefix, version } from "./platform/runtime/Vitals.ts"
import { Joining } from "@coffer/cluster/Joining"
import * as parent from "@coffer/cluster/parent"
import type * as Roster from "@coffer/cluster/Roster"
import * as Tenancy from "@coffer/cluster/Tenancy"
import * as clusterLayers from "./platform/cluster/clusterLayers.ts"
import { serveWaiting } from "./door/edge/HttpServer.ts"
import { type Credentials, credentials, operatorUrl } from "./channels/sandbox/Demo.ts"
import * as DemoPeople from "./channels/sandbox/DemoPeople.ts"
import * as Settings from "./platform/runtime/Settings.ts"
import { settingProblem } from "./platform/runtime/settingProblem.ts"
import * as Wiring from "./Wiring.ts"

/** Why the service did not start, for the person who started it. */
export class NotStarted extends Schema.TaggedError<NotStarted>()("NotStarted", { message: Schema.String }) {}

const service = Effect.gen(function* () {
  const { connections, databaseUrl, home: folder, noOutbound, ofParent, ownerUrl, telemetry } = yield* Settings.startup
  // First, before anything refuses to start because the intended setting is missing.
  for (const each of yield* misspelt) yield* Effect.logWarning(misspeltText(each))
  const collector = yield* collectorOf(telemetry)
  const home = path.resolve(folder)
  const isOwn = Option.isNone(databaseUrl)
  const embedded = isOwn || ofParent
  if (isOwn && Option.isSome(ownerUrl)) return yield* notStarted("MIGRATION_DATABASE_URL goes with DATABASE_URL.")
  const owner = isOwn ? (yield* EmbeddedPostgres.start({ home })).url : Option.getOrUndefined(ownerUrl)
  const url = Option.isSome(databaseUrl) ? databaseUrl.value : yield* serviceUrl(owner!)

  const app = Wiring.httpServer.pipe(
    // After the port is closed, and before anything else is.
    Layer.provideMerge(parent.isChild ? Layer.effectDiscard(Effect.addFinalizer(() => parent.handBack)) : Layer.empty),
    // Before /readyz succeeds, so that a program that waits for it finds the demo merchant.
    Layer.provideMerge(embedded ? Layer.effectDiscard(credentials) : Layer.empty),
    // On a copy of a database that was a demonstration.
    Layer.provideMerge(embedded ? Layer.empty : Layer.effectDiscard(DemoPeople.withdraw)),
    Layer.provideMerge(Wiring.service({ remoteSerialization: false })),
    Layer.provideMerge(Wiring.outbound),
    Layer.provideMerge(Layer.succeed(Migrator.Owner, owner)),
    Layer.provideMerge(Faults.layer),
    Layer.provideMerge(Postgres.layer({ url, connections, name: processName })),
    // The home of the embedded one is locked already.
    Layer.provideMerge(isOwn ? Layer.empty : enter(url)),
    Layer.provideMerge(Layer.effectDiscard(nameRunner)),
    Layer.provideMerge(Settings.layer({ embedded })),
    Layer.provideMerge(DataDir.layer(home)),
    Layer.provideMerge(Telemetry.layer(noOutbound ? Option.none() : collector)),
    Layer.provideMerge(Wiring.platform)
  )
  const context = yield* Layer.build(app).pipe(
    Effect.catchTags({ SqlError: (error) => notStarted(databaseProblem(url, error)) })
  )
  // A first start on a laptop is for people.
  if (!isOwn) yield* Effect.provideContext(sayStart, context)
  if (noOutbound) yield* Effect.logWarning(Settings.closedText)
  yield* Effect.forkScoped(Effect.provideContext(lookWhereLive, context))
  yield* Effect.forkScoped(Effect.provideContext(followDrain, context))
  const greeting = embedded
    ? Effect.flatMap(Effect.all([credentials, DemoPeople.links]), ([known, links]) => greet(home, links)(known))
    : greetServer
  if (parent.isChild) yield* Effect.provideContext(tellParent, context)
  else yield* Effect.provideContext(greeting, context)
  if (noOutbound && !parent.isChild) yield* Console.log(Settings.closedText)
  return yield* Effect.never
})

/** Errors before a program runs. */
type Trouble =
  | NotStarted
  | Config.ConfigError
  | Settings.BadSetting
  | EmbeddedPostgres.EmbeddedFailure
  | DataDir.DataDirUnusable
  | HttpServerError.ServeError
  | NotMigrated
  | SqlMigrator.MigrationError
  | SocketServer.SocketServerError
  | Roster.CannotTalk
  | Schema.SchemaError

/** Says in one line why a program does not run. */
export const startable = <A, R>(program: Effect.Effect<A, Trouble, R>) =>
  program.pipe(
    Effect.scoped,
    Effect.provide(layerSecretFiles),
    Effect.catchTags({
      ConfigError: (error) => notStarted(settingProblem(error.message)),
      BadSetting: ({ message }) => notStarted(message),
      EmbeddedFailure: ({ message }) => notStarted(message),
      DataDirUnusable: ({ message }) => notStarted(message),
      ServeError: ({ cause }) => Effect.flatMap(portOfCause(cause), (port) => notStarted(portProblem(cause, port))),
      NotMigrated: ({ message }) => notStarted(message),
      CannotTalk: ({ message }) => notStarted(message),
      MigrationError: ({ message }) => notStarted(`The database could not be migrated: ${message}`),
      SocketServerError: ({ cause }) => Effect.flatMap(runnerPort, (port) => notStarted(portProblem(cause, port)))
    }),
    // Standard output is for people; what machines read goes to standard error.
    Effect.provide(standardError.logger)
  )

export const serve = startable(service)

/** Each line from here on says where this process serves. */
const nameRunner = Effect.map(Settings.Settings, ({ host, port, runner }) =>
  standardError.nameRunner(runner === undefined ? `${host}:${port}` : `${runner.host}:${runner.port}`)
)

/** A line when a run serves, and one when it stops. Settings are named; no secret is among them. */
const sayStart = Effect.gen(function* () {
  const { accessLog, admin, auditInterval, host, port, publicUrl, redisUrl, runner } = yield* Settings.Settings
  const facts = {
    version,
    node: process.versions.node,
    listens: `${host}:${port}`,
    admin: admin === undefined ? null : `${admin.host}:${admin.port}`,
    public_url: publicUrl,
    quotas: redisUrl !== undefined ? "redis" : runner !== undefined ? "postgres" : "this process",
    access_log: accessLog !== undefined,
    audit_interval_seconds: Duration.toSeconds(auditInterval)
  }
  yield* Effect.annotateLogs(Effect.logInfo(`coffer ${version} has started`), facts)
  yield* Effect.addFinalizer(() => Effect.logInfo(`coffer ${version} stops`))
})

/** A child of `coffer serve --runners` is ready when it has joined the others. Its parent prints the greeting. */
const tellParent = Effect.flatMap(Joining, ({ balanced }) => Effect.andThen(balanced.await, parent.tellReady))

/** Where a merchant is live, the log has what the doctor finds wrong. The service is ready meanwhile. */
const lookWhereLive = Effect.gen(function* () {
  const installation = yield* served
  if (installation.isLive) yield* doctor.log(yield* doctor.diagnose(installation, channels.checks))
}).pipe(Effect.catchCause((cause) => Effect.logWarning("the doctor could not look at this installation", cause)))

/** In one line. */
export const notStarted = (message: string) => Effect.fail(new NotStarted({ message: message.replace(/\s+/g, " ") }))

/** Waits, with the reason on the terminal, in the log and on `/readyz`. */
const enter = (url: Redacted.Redacted) =>
  Layer.effect(
    Tenancy.Run,
    Effect.gen(function* () {
      const settings = yield* Settings.Settings
      const whileWaiting = Effect.fnUntraced(function* (reason: string, shown = reason) {
        yield* Effect.logWarning(reason)
        yield* Console.log(`Coffer is waiting. ${reason}`)
        return yield* Effect.provideService(serveWaiting(shown), Settings.Settings, settings)
      })
      // Buyers may read `/readyz`, so the address of Postgres is only in the log.
      yield* Postgres.whenReachable(url, (error) =>
        whileWaiting(databaseProblem(url, error), "Postgres is not available yet.")
      )
      const { runner, secretKey, secretKeyPrevious } = settings
      const keys = [secretKey, ...(secretKeyPrevious === undefined ? [] : [secretKeyPrevious])]
      return yield* clusterLayers.enterDatabase({ url, isSingle: runner === undefined, keys, whileWaiting })
    })
  )

const portOf = (variable: string, otherwise: number) =>
  Config.Port(variable).pipe(
    Config.withDefault(otherwise),
    Effect.map((number) => ({ variable, number })),
    Effect.orElseSucceed(() => ({ variable, number: 0 }))
  )
const httpPort = portOf("PORT", 8080)
const adminPort = portOf("ADMIN_PORT", 0)
const runnerPort = portOf("RUNNER_PORT", 0)

/** Which of the two HTTP ports could not be opened. */
const portOfCause = (cause: unknown) =>
  Effect.map(Effect.all([httpPort, adminPort]), ([http, admin]) =>
    Predicate.hasProperty(cause, "port") && cause.port === admin.number ? admin : http
  )

const portNames: Readonly<Record<string, string>> = {
  PORT: "Port",
  ADMIN_PORT: "The operator port",
  RUNNER_PORT: "The runner port"
}

const hostNames: Readonly<Record<string, string>> = {
  PORT: "HOST",
  ADMIN_PORT: "ADMIN_HOST",
  RUNNER_PORT: "RUNNER_LISTEN_HOST or RUNNER_HOST"
}

const textOf = (cause: unknown) => (Predicate.isError(cause) ? cause.message : String(cause))

const portProblem = (cause: unknown, { number, variable }: Effect.Success<typeof httpPort>): string => {
  const name = `${portNames[variable]} ${number}`
  switch (Predicate.hasProperty(cause, "code") ? cause.code : undefined) {
    case "EADDRINUSE":
      return `${name} is in use. Stop the program that uses it, or change ${variable}.`
    case "EACCES":
      return `${name} is not allowed for this user. Set ${variable} to a port above 1023.`
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `${name} can't be used: ${textOf(cause)}. Set ${hostNames[variable]} to an address of this machine.`
    default:
      return `${name} can't be used: ${textOf(cause)}`
  }
}

export const greetServer = Effect.flatMap(Settings.Settings, (settings) =>
  Console.log(
    `Coffer serves ${settings.publicUrl}/v1, and its documents ${settings.publicUrl}/docs` +
      `; operators reach ${operatorUrl(settings)} with the token in ${settings.operatorTokenFile ?? "OPERATOR_TOKEN"}`
  )
)

/** One line, so that it works when it is pasted. */
const curl = ({ base_url, sandbox_key }: Credentials) =>
  [
    `curl -s ${base_url}/orders -H 'X-Api-Key: ${sandbox_key}'`,
    `-H 'Content-Type: application/json' -d '{"amount": 1999, "subject": "A first order"}'`
  ].join(" ")

/** Each link lets its holder in once, so links in a log are worthless after a short time. */
export const linksText = ({ operator, owner }: DemoPeople.DemoLinks) => `  Console      ${owner}
               as the owner of the demo merchant
  Operators'   ${operator}
               as an operator
  Each link works once, for 15 minutes. "${commandPrefix} console" prints new ones.`

export const greet = (home: string, links: DemoPeople.DemoLinks | undefined) => (known: Credentials) =>
  Console.log(`
Coffer is ready.

  Base URL     ${known.base_url}
  Sandbox key  ${known.sandbox_key}
  Credentials  ${path.join(home, "credentials.json")}
  Operators    ${known.operator_url}
  Documents    ${known.base_url.replace(/\/v1$/, "")}/docs
${links === undefined ? "" : `\n${linksText(links)}\n`}
Create an order:

  ${curl(known)}

Open its checkout_url in a browser and pay with 4242 4242 4242 4242, any later month and any CVC.
Stop with Ctrl-C; the next start finds everything again.
`)
