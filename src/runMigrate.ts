/**
 * `coffer migrate`: brings the database to this version's shape and gives the service's role its rights, for operators
 * who keep the owner's password from the service. It reads the same settings as `coffer serve`, and checks which
 * runners are up, as a runner does before it joins: a migration would stop the writes of runners of an older version.
 */
import * as Roster from "@coffer/cluster/Roster"
import { Console, Effect, Layer, Option, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { coffer } from "./platform/cluster/clusterLayers.ts"
import { databaseProblem } from "./platform/postgres/databaseProblem.ts"
import { plan, planText } from "./platform/postgres/migrationPlan.ts"
import * as Migrator from "./platform/postgres/Migrator.ts"
import * as Postgres from "./platform/postgres/Postgres.ts"
import { layerSecretFiles } from "./platform/runtime/roomSettings.ts"
import * as Settings from "./platform/runtime/Settings.ts"
import * as standardError from "./platform/runtime/standardError.ts"
import { version } from "./platform/runtime/Vitals.ts"
import { notStarted } from "./serve.ts"
import "./settingsOfRooms.ts"

export interface Options {
  readonly besideRunners: boolean
  /** Only says what it would do. */
  readonly check: boolean
  /** Only waits until the database is as this program needs it. */
  readonly wait: boolean
}

/** Says each reason once. */
const whenMigrated = Effect.suspend(() => {
  let lastReason: string | undefined
  return Effect.flatMap(SqlClient.SqlClient, Migrator.expectMigrated).pipe(
    Effect.tapError((error) => {
      if (error._tag !== "NotMigrated" || error.message === lastReason) return Effect.void
      lastReason = error.message
      return Console.log(`Coffer is waiting. ${error.message}`)
    }),
    Effect.retry({ while: ({ _tag }) => _tag === "NotMigrated", schedule: Schedule.spaced("1 second") })
  )
})

export const runMigrate = ({ besideRunners, check, wait }: Options) =>
  Effect.gen(function* () {
    const { databaseUrl, ownerUrl } = yield* Settings.startup
    if (Option.isNone(databaseUrl)) {
      return yield* notStarted("Set DATABASE_URL. The embedded database is migrated when coffer serve starts.")
    }
    const url = databaseUrl.value
    const reached = Postgres.whenReachable(url, (error) =>
      Effect.andThen(Console.log(`Coffer is waiting. ${databaseProblem(url, error)}`), Effect.never)
    )
    const checked = Layer.effectDiscard(
      Effect.gen(function* () {
        const owner = Option.getOrUndefined(ownerUrl)
        const planned = yield* owner === undefined ? plan : Migrator.asOwner(owner, plan)
        for (const line of planText(planned)) yield* Console.log(line)
      })
    )
    const work = check ? checked : wait ? Layer.effectDiscard(whenMigrated) : Migrator.layerWaiting
    const migrated = Layer.build(
      work.pipe(
        Layer.provide(
          besideRunners || check || wait
            ? Layer.empty
            : Layer.effectDiscard(Roster.expectNoStranger({ ...coffer, version }))
        ),
        Layer.provide(Layer.succeed(Migrator.Owner, Option.getOrUndefined(ownerUrl))),
        Layer.provide(Postgres.layer({ url, connections: 1, name: "coffer-migrate", watched: false }))
      )
    )
    yield* Effect.andThen(reached, migrated).pipe(
      Effect.catchTags({ SqlError: (error) => notStarted(databaseProblem(url, error)) })
    )
    if (!check) yield* Console.log("The database is up to date.")
  }).pipe(
    Effect.scoped,
    Effect.provide(layerSecretFiles),
    Effect.catchTags({
      ConfigError: (error) => notStarted(`Invalid setting: ${error.message}`),
      BadSetting: ({ message }) => notStarted(message),
      NotMigrated: ({ message }) => notStarted(message),
      CannotTalk: ({ message }) =>
        notStarted(`${message} Use --beside-runners to migrate anyway; their writes may fail.`),
      MigrationError: ({ message }) => notStarted(`The database could not be migrated: ${message}`)
    }),
    Effect.provide(standardError.logger)
  )
