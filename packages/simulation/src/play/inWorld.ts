/** What every world needs: a database of its own, the gate before it, and places for runners. */
import { inspect } from "node:util"
import { Context, Metric } from "effect"
import { databaseUrl, template } from "../../../testkit/src/TestPostgres.ts"
import type { Cluster } from "../cluster.ts"
import { Client } from "../gate/Client.ts"
import { Gate } from "../gate/Gate.ts"
import { forgetTimersOfPosts } from "../globals/posts.ts"
import { beginHashes } from "../globals/sources.ts"
import { machine } from "../machine.ts"
import type { Weather } from "../Weather.ts"
import { callers } from "../owners.ts"
import { World } from "../World.ts"
import { Runners } from "./Runners.ts"

/** The cluster that worlds are in, and where the service's homes are made. */
export interface Place extends Cluster {
  readonly admin: Client
}

interface Options {
  readonly seed: number
  /** For how many runners. */
  readonly places: number
  /** How often workers look for due rows. */
  readonly pollMillis: number
  readonly weather: Weather
  readonly showsBytes: boolean
}

export interface InWorld {
  readonly world: World
  readonly gate: Gate
  readonly runners: Runners
  /** Beside the service, which does not see it. */
  readonly control: Client
}

const userOf = (url: string) => new URL(url).username
const portOf = (url: string) => Number(new URL(url).port)

let databases = 0

/** `judge` looks at the database after a world that came to its end. */
export const inWorld = async (
  place: Place,
  { places, pollMillis, seed, showsBytes, weather }: Options,
  tell: (made: InWorld) => Promise<void>,
  judge: (at: { readonly control: Client; readonly url: string }) => Promise<ReadonlyArray<string>>
) => {
  const database = `world_${++databases}`
  await place.admin.query(`create database ${database} template ${template} strategy file_copy`)
  const control = await Client.open(place.socket, userOf(place.url), database)
  await control.query(
    `create schema sim; create table sim.clock (now timestamptz not null); insert into sim.clock values (now());
      grant usage on schema sim to public; grant select on sim.clock to public`
  )
  const notifying = await control.value(
    `select concat_ws('|', 'notify', string_agg(concat_ws('|', proname, relname), '|')) from pg_proc
      left join pg_trigger on tgfoid = pg_proc.oid left join pg_class on pg_class.oid = tgrelid
      where prosrc ilike '%pg_notify(%'`
  )
  const firstTransaction = (await control.value("select pg_current_xact_id()"))!
  const world = new World(seed)
  const port = portOf(place.url)
  const gate = new Gate(world, {
    port,
    socket: place.socket,
    database,
    control,
    weather,
    firstTransaction,
    notifying: new RegExp(`\\b(pg_)?(${notifying})\\b`, "i"),
    showsBytes
  })
  const runners = new Runners(world, { places, pollMillis, postgresPort: port, folder: place.folder })
  // Each is one for the whole process otherwise.
  Context.get(Context.empty(), Metric.MetricRegistry).clear()
  beginHashes()
  forgetTimersOfPosts()

  const broken: Array<string> = []
  const failure = await new Promise<unknown>((resolve) => {
    world.whenFailed = resolve
    machine.world = world
    tell({ world, gate, runners, control }).then(() => resolve(undefined), resolve)
  })
  if (failure !== undefined) broken.push(inspect(failure, { depth: 4 }))
  world.stop()
  machine.world = undefined
  await gate.close()
  await place.admin.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = '${database}' and application_name <> 'gate'`
  )
  if (failure === undefined) broken.push(...(await judge({ control, url: databaseUrl(place.url, database) })))
  control.end()
  await place.admin.query(`drop database ${database} with (force)`)
  return { world, gate, broken }
}

/** Starts the runner of the next place. Its steps go on as a runner's, and the story's as the callers'. */
export const startReady = async (world: World, runners: Runners, place: number) => {
  await runners.start()
  await new Promise<void>((resolve) => world.task(resolve, callers))
  await runners.untilReady(place)
  world.note(`runner ${place} is ready`)
}
