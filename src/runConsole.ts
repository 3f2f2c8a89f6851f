/**
 * `coffer console`: prints two links that sign in to the console of the embedded default, as the owner of the demo
 * merchant and as an operator. Each works once, for 15 minutes. It may run beside the service.
 */
import path from "node:path"
import { Console, Effect, Layer, Option, type Redacted } from "effect"
import * as SecretCheck from "./platform/postgres/SecretCheck.ts"
import * as Postgres from "./platform/postgres/Postgres.ts"
import { databaseProblem } from "./platform/postgres/databaseProblem.ts"
import * as DataDir from "./platform/runtime/DataDir.ts"
import * as Faults from "./platform/runtime/Faults.ts"
import * as NewIds from "./platform/runtime/NewIds.ts"
import * as Secrets from "./platform/runtime/Secrets.ts"
import * as Settings from "./platform/runtime/Settings.ts"
import { embeddedDatabase } from "./runAudit.ts"
import * as DemoPeople from "./channels/sandbox/DemoPeople.ts"
import { linksText, notStarted, startable } from "./serve.ts"
import "./settingsOfRooms.ts"

export const runConsole = Effect.gen(function* () {
  const { databaseUrl, home: folder } = yield* Settings.startup
  if (Option.isSome(databaseUrl)) {
    return yield* notStarted(
      "DATABASE_URL is set: people sign in by email, passkey or provider, not with links from here."
    )
  }
  const home = path.resolve(folder)
  const links = yield* linksAt(yield* embeddedDatabase(home)).pipe(
    Effect.provide(Settings.layer({ embedded: true }).pipe(Layer.provideMerge(DataDir.layer(home))))
  )
  if (links === undefined) {
    return yield* notStarted(
      "No links available: this installation requires passkeys, two operators or an OpenID provider, " +
        "or has a live merchant."
    )
  }
  yield* Console.log(linksText(links))
}).pipe(startable)

/** The links of the embedded database at this address, which another process may run. */
export const linksAt = (url: Redacted.Redacted) =>
  DemoPeople.links.pipe(
    Effect.provide(
      Layer.mergeAll(Secrets.layer, NewIds.layer, Faults.layer).pipe(
        Layer.provideMerge(SecretCheck.layer),
        Layer.provideMerge(Postgres.layer({ url, connections: 1, name: "coffer-console", watched: false }))
      )
    ),
    Effect.catchTags({ SqlError: (error) => notStarted(databaseProblem(url, error)) })
  )
