/**
 * `coffer serve --runners N`: runs N runners on this machine, which share the HTTP port. This process serves nothing
 * itself. It owns the embedded Postgres if there is one, starts and watches the runners, and replaces them one after
 * the other when it gets SIGHUP (docs/operating-runners.md).
 */
import path from "node:path"
import { Config, ConfigProvider, Console, Effect, Latch, Layer, Option, Redacted } from "effect"
import * as Children from "@coffer/cluster/Children"
import * as EmbeddedPostgres from "./platform/embedded/EmbeddedPostgres.ts"
import { serviceUrl } from "./platform/embedded/serviceRole.ts"
import * as DataDir from "./platform/runtime/DataDir.ts"
import { isExecutable } from "./platform/runtime/Vitals.ts"
import { atHangup, setStopMillis } from "./stopping.ts"
import * as Settings from "./platform/runtime/Settings.ts"
import * as Migrator from "./platform/postgres/Migrator.ts"
import * as Postgres from "./platform/postgres/Postgres.ts"
import * as Demo from "./channels/sandbox/Demo.ts"
import { linksAt } from "./runConsole.ts"
import { greet, greetServer, notStarted, startable } from "./serve.ts"
import "./settingsOfRooms.ts"

/** One machine has no use for more: each runner takes a core, 200 MB, and its own connections to Postgres. */
export const runnersMax = 64

/** The runners stop within their own limit. Then Postgres, if it is ours. */
const stopMillisMax = 20_000

/** `text` is the value of `--runners`. */
export const supervise = (text: string) =>
  Effect.gen(function* () {
    const count = yield* readCount(text)
    setStopMillis(stopMillisMax)
    // A SIGHUP that arrives while the runners start is handled when they are ready.
    const onHangup = yield* hangups
    const { connections, databaseUrl, home: folder, noOutbound, ownerUrl } = yield* Settings.startup
    const home = path.resolve(folder)
    const embedded = Option.isNone(databaseUrl)
    if (embedded && Option.isSome(ownerUrl)) return yield* notStarted("MIGRATION_DATABASE_URL goes with DATABASE_URL.")
    // Read here too, so that a wrong one is reported once, and so that the runners find the secrets that a start makes.
    const context = yield* Layer.build(Settings.layer({ embedded }).pipe(Layer.provideMerge(DataDir.layer(home)))).pipe(
      // Each runner is given a port of its own.
      Effect.provide(ConfigProvider.layerAdd(ConfigProvider.fromEnv({ env: yield* placeholderPort })))
    )
    const places = yield* runnerPlaces(count)
    const shared: Record<string, string> = embedded ? yield* ownDatabase(home, count, connections) : {}
    const environmentOf = (number: number) => Effect.map(places(number), (place) => ({ ...shared, ...place }))

    const known = Effect.provideContext(Demo.kept, context)
    const links = Effect.suspend(() => linksAt(Redacted.make(shared["DATABASE_URL"]!)))
    const greetOwn = Effect.flatMap(Effect.all([known, Effect.provideContext(links, context)]), ([credentials, own]) =>
      greet(home, own)(credentials)
    )
    const greeting = embedded ? greetOwn : Effect.provideContext(greetServer, context)
    const serve = ["serve", ...(noOutbound ? ["--no-outbound"] : [])]
    // An executable is its own program, so its first argument is at the position of the program's file.
    const [program = "", ...words] = isExecutable ? serve : [process.argv[1]!, ...serve]
    return yield* Children.run({ count, program, words, environmentOf }, (children) =>
      Effect.gen(function* () {
        yield* children.allReady
        yield* greeting
        yield* Console.log(`${count} ${count === 1 ? "runner shares" : "runners share"} the port.`)
        if (noOutbound) yield* Console.log(Settings.closedText)
        return yield* onHangup(children.replaceAll)
      })
    )
  }).pipe(Effect.catchTags({ FirstChildEnded: ({ message }) => notStarted(message) }), startable)

/** RUNNER_HOST alone is enough here. */
const placeholderPort = Effect.map(
  Config.option(Config.NonEmptyString("RUNNER_HOST")),
  (host): Record<string, string> => (Option.isSome(host) ? { RUNNER_PORT: String(Children.freePorts.first) } : {})
)

const readCount = (text: string) => {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0
  return count >= 1 && count <= runnersMax
    ? Effect.succeed(count)
    : notStarted(`--runners must be a whole number from 1 to ${runnersMax}, not ${text.slice(0, 20)}.`)
}

/** Starts the embedded Postgres and migrates it. Returns what makes a runner use it. */
const ownDatabase = Effect.fnUntraced(function* (home: string, count: number, connections: number) {
  // Each has its pool and two connections beside it. The rest is for people, the doctor, and two of this process.
  const connectionsMax = Math.max(100, count * (connections + 2) + 20)
  const { url: owner } = yield* EmbeddedPostgres.start({ home, flags: [`max_connections=${connectionsMax}`] })
  const url = yield* serviceUrl(owner)
  yield* Layer.build(
    Migrator.layer.pipe(
      Layer.provide(Layer.succeed(Migrator.Owner, owner)),
      Layer.provide(Postgres.layer({ url, connections: 1, name: "coffer-start", watched: false }))
    )
  ).pipe(Effect.catchTags({ SqlError: () => notStarted("The embedded database did not respond.") }))
  return { DATABASE_URL: Redacted.value(url), [Settings.parentsDatabase]: "true" }
})

/**
 * Where each runner is reached: at ports from RUNNER_PORT up if the cluster has other machines (RUNNER_HOST), otherwise
 * at free ports of this machine, or of RUNNER_HOST if only that is set. The operator's ports are counted up too, since
 * each runner has its own metrics.
 */
const runnerPlaces = Effect.fnUntraced(function* (count: number) {
  const { admin, runner } = yield* Config.all({
    admin: Config.option(Config.Port("ADMIN_PORT")),
    runner: Config.all({
      host: Config.option(Config.NonEmptyString("RUNNER_HOST")),
      listenHost: Config.option(Config.NonEmptyString("RUNNER_LISTEN_HOST")),
      port: Config.option(Config.Port("RUNNER_PORT"))
    })
  })
  for (const [name, first] of [
    ["ADMIN_PORT", admin],
    ["RUNNER_PORT", runner.port]
  ] as const) {
    if (Option.isSome(first) && first.value + count - 1 > 65_535) {
      return yield* notStarted(`${name} is the first of ${count} ports, one for each runner: use a lower one.`)
    }
  }
  const host = Option.getOrElse(runner.host, () => "127.0.0.1")
  const listenHost = Option.getOrElse(runner.listenHost, () => host)
  return (number: number) =>
    Effect.gen(function* () {
      const place: Record<string, string> = {
        RUNNER_HOST: host,
        RUNNER_PORT: String(Option.isSome(runner.port) ? runner.port.value + number - 1 : yield* freePort(listenHost))
      }
      if (Option.isSome(admin)) place["ADMIN_PORT"] = String(admin.value + number - 1)
      return place
    })
})

/** Free at the address where the runner will listen. */
const freePort = (host: string) =>
  Effect.catchTags(Children.freePort(host), {
    NoFreePort: ({ code, message }) =>
      notStarted(
        code === "EADDRINUSE"
          ? `No free port for a runner was found between ${Children.freePorts.first} and ${Children.freePorts.last}.`
          : `The runners can't listen at ${host}: ${message}. ` +
              "Set RUNNER_HOST or RUNNER_LISTEN_HOST to an address of this machine."
      )
  })

/** Does work at each SIGHUP from now on. Several that come before the work begins are one. */
const hangups = Effect.sync(() => {
  const requested = Latch.makeUnsafe(false)
  atHangup(() => void requested.openUnsafe())
  return (work: Effect.Effect<unknown>) =>
    Effect.forever(
      Effect.andThen(
        requested.await,
        Effect.suspend(() => {
          requested.closeUnsafe()
          return work
        })
      )
    )
})
