/**
 * A simulator in this process: `start({ port: 0 })` returns when it listens. It ends with its scope.
 */
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Clock, Effect } from "effect"
import type { RefundFate } from "./acts/refunds.ts"
import { type Commands, type Control, makeCommands } from "./control/commands.ts"
import { makeEngine } from "./Engine.ts"
import { accountOf } from "./server/credentials.ts"
import { makeFaults, type Watch } from "./server/faults.ts"
import { makeApp } from "./server/app.ts"
import type { Kind, Kinds } from "./state/kinds.ts"
import { defaults, type Settings } from "./state/settings.ts"
import { makeClock } from "./state/SimulatedClock.ts"
import { makeKeep, restore } from "./state/StateFile.ts"
import { makeWorld } from "./state/World.ts"
import { makeDeliveries } from "./webhooks/Deliveries.ts"

/** The account of a secret key. */
export { accountOf }

export interface Options extends Partial<Omit<Settings, "url">> {
  /** 0 for any free port. */
  readonly port?: number
  /** Default: 127.0.0.1, so that other machines cannot reach it. */
  readonly host?: string
  /** The address for browsers, if it differs. */
  readonly publicUrl?: string
  /** Seconds since 1970 at which the clock is stopped; default: the process's clock. */
  readonly standsAt?: number
  /** The seed of ids: the same seed gives the same ids. */
  readonly seed?: string
  /** The state file; default: in memory. */
  readonly stateFile?: string
  /** Called with each API call, such as `POST /v1/refunds`, and each webhook, such as `webhook refund.updated`. */
  readonly watch?: Watch
}

export interface Simulator {
  readonly url: string
  readonly control: Control
  /** All objects of a kind ever created, of all accounts or of one, oldest first. */
  readonly all: <K extends Kind>(kind: K, account?: string) => ReadonlyArray<Kinds[K]>
}

export const start = (options: Options = {}) => Effect.provide(make(options), NodeHttpServer.layerHttpServices)

const make = Effect.fnUntraced(function* (options: Options) {
  const { host = "127.0.0.1", port = 12_111, publicUrl, seed, standsAt, stateFile, watch, ...settings } = options
  const realClock = yield* Clock.Clock
  const clock = makeClock(
    () => realClock.currentTimeMillisUnsafe(),
    standsAt === undefined ? undefined : standsAt * 1000
  )
  const world = makeWorld({ ...defaults, ...settings, url: "" }, clock, seed)
  if (stateFile !== undefined) yield* restore(world, stateFile)
  const keep = stateFile === undefined ? () => void world.takeChanges() : makeKeep(world, stateFile)
  const faults = makeFaults(watch)
  const deliveries = makeDeliveries(world, faults)
  const fates: Array<RefundFate> = []
  // An error after the start concerns a single connection that could not be accepted.
  const listener = createServer({ keepAliveTimeout: 60_000 }).on("error", () => undefined)
  const server = yield* NodeHttpServer.make(() => listener, { host, port })
  const address = server.address as { readonly port: number }
  const url = publicUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`
  world.settings = { ...world.settings, url }
  const engine = yield* makeEngine(world, deliveries, keep)
  const parts = { world, engine, deliveries, faults, fates, keep, revoked: new Set<string>() }
  const commands = makeCommands(parts)
  yield* server.serve(makeApp(parts, commands))
  // A client that waits for an answer does not delay the stop.
  yield* Effect.addFinalizer(() => Effect.sync(() => listener.closeAllConnections()))
  return {
    url,
    control: controlOf(commands),
    all: (kind, account) =>
      Array.from(world.books.values())
        .filter((book) => account === undefined || book.account === account)
        .flatMap((book) => Array.from(book.newest(kind)).toReversed())
  } satisfies Simulator as Simulator
})

const controlOf = (commands: Commands): Control =>
  Object.fromEntries(Object.entries(commands).map(([name, { run }]) => [name, run])) as unknown as Control
