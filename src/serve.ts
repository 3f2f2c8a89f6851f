/**
 * `coffer serve`: stands on the ground the environment names, starts the service, says what to do next, and stays until
 * it is told to stop. What keeps it from starting is one line.
 */
import path from "node:path"
import { Config, Console, Effect, Layer, Logger, Option, Schema } from "effect"
import * as EmbeddedPostgres from "./ground/EmbeddedPostgres.ts"
import * as Faults from "./ground/Faults.ts"
import * as Home from "./ground/Home.ts"
import * as Postgres from "./ground/Postgres.ts"
import * as Telemetry from "./ground/Telemetry.ts"
import { type Credentials, credentials } from "./merchants/Demo.ts"
import * as Settings from "./Settings.ts"
import * as Wiring from "./Wiring.ts"

/** Why the service did not start, for the person who started it. */
export class NotStarted extends Schema.TaggedError<NotStarted>()("NotStarted", { message: Schema.String }) {}

export const serve = Effect.gen(function* () {
  const { collector, connections, databaseUrl, home: folder } = yield* Settings.ground
  const home = path.resolve(folder)
  const embedded = Option.isNone(databaseUrl)
  const url = embedded ? (yield* EmbeddedPostgres.start({ home })).url : databaseUrl.value

  const app = Wiring.door.pipe(
    // Whoever waits for /readyz finds the demo merchant.
    Layer.provideMerge(embedded ? Layer.effectDiscard(credentials) : Layer.empty),
    Layer.provideMerge(Wiring.service({ remoteSerialization: false })),
    Layer.provideMerge(Wiring.outbound),
    Layer.provideMerge(Faults.layer),
    Layer.provideMerge(Postgres.layer({ url, connections, name: "coffer" })),
    Layer.provideMerge(Settings.layer({ embedded })),
    Layer.provideMerge(Home.layer(home)),
    Layer.provideMerge(Telemetry.layer(collector)),
    Layer.provideMerge(Wiring.platform)
  )
  const context = yield* Layer.build(app)
  yield* Effect.provideContext(embedded ? Effect.flatMap(credentials, greet) : greetServer, context)
  return yield* Effect.never
}).pipe(
  Effect.scoped,
  Effect.catchTags({
    ConfigError: (error) => notStarted(`A setting is wrong: ${error.message}`),
    BadSetting: ({ message }) => notStarted(message),
    GroundFailure: ({ message }) => notStarted(message),
    HomeUnusable: ({ message }) => notStarted(message),
    ServeError: (error) => Effect.flatMap(httpPort, (port) => notStarted(serveProblem(error, port))),
    SqlError: ({ message }) => notStarted(`The database does not answer as it should: ${message}`),
    MigrationError: ({ message }) => notStarted(`The database could not be migrated: ${message}`),
    SocketServerError: ({ message }) => notStarted(`The runner port cannot be used: ${message}`)
  }),
  // Standard output is for people; what machines read goes to standard error.
  Effect.provide(Logger.layer([Logger.withConsoleError(Logger.formatJson)]))
)

const notStarted = (message: string) => Effect.fail(new NotStarted({ message: message.replace(/\s+/g, " ") }))

const httpPort = Config.Port("PORT").pipe(
  Config.withDefault(8080),
  Effect.orElseSucceed(() => 0)
)

const serveProblem = ({ cause }: { readonly cause: unknown }, port: number): string => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} is in use. Stop what uses it, or set PORT to another.`
    case "EACCES":
      return `Port ${port} may not be used by this user. Set PORT to one above 1023.`
    default:
      return `The HTTP server did not start: ${String(cause)}`
  }
}

const greetServer = Effect.flatMap(Settings.Settings, ({ publicUrl }) => Console.log(`Coffer serves ${publicUrl}/v1`))

/** One line, so that it works when it is pasted. */
const curl = ({ base_url, sandbox_key }: Credentials) =>
  [
    `curl -s ${base_url}/orders -H 'X-Api-Key: ${sandbox_key}'`,
    `-H 'Content-Type: application/json' -d '{"amount": 1999, "subject": "A first order"}'`
  ].join(" ")

const greet = (known: Credentials) =>
  Console.log(`
Coffer is ready.

  Base URL     ${known.base_url}
  Sandbox key  ${known.sandbox_key}
  Credentials  credentials.json in COFFER_HOME

Create an order:

  ${curl(known)}

Open its checkout_url in a browser and pay with 4242 4242 4242 4242, any later month and any CVC.
Stop with Ctrl-C; the next start finds everything again.
`)
