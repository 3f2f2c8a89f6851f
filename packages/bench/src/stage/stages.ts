/**
 * The stages of the bench. Each side of a scenario runs on a database of its own, cloned from a template with so many
 * orders. Templates are filled, and sides are started, when they are first needed.
 */
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import type { Options } from "../options.ts"
import { say } from "../say.ts"
import type { Size, Stage } from "../Scenario.ts"
import { seeded } from "../scenarios.ts"
import type { Balancing } from "./balancer.ts"
import * as Postgres from "./Postgres.ts"
import type { MerchantData } from "./rows.ts"
import * as Rows from "./rows.ts"
import * as Sides from "./Sides.ts"

const smallCount = 10_000
const cluster =
  (runners: number, balancing: Balancing | undefined): typeof Sides.start =>
  (...args) =>
    Sides.startCluster(runners, balancing, ...args)
/** The payments per second for which orders are prepared. A side that proved faster gets more. */
const perSecondMin = 3_000
/** The next round may be faster than the one before. */
const spare = 1.5

export const makeStages = (postgres: Postgres.Postgres, merchants: ReadonlyArray<MerchantData>, options: Options) => {
  const template = makeTemplate(postgres, merchants, options)
  const sides = new Map<string, Sides.Side>()

  const side = async (name: Sides.SideName, size: Size, place: string, start: typeof Sides.start) => {
    const database = `${name.replace("-", "_")}_${place}`
    const running = sides.get(database)
    if (running !== undefined) return running
    await Postgres.clone(postgres, await template(size, name === "before"), database)
    say(`Starting ${Sides.titles[name]} (${place} table)`)
    const started = await start(postgres, name, database, {
      flags: name === "service" ? options.node : [],
      folder: name === "before" ? options.before : undefined
    })
    sides.set(database, started)
    return started
  }

  const stageOf = async (
    name: Sides.SideName,
    size: Size,
    {
      balancing,
      runners,
      place = size,
      seconds = options.seconds,
      warmup = options.warmupSeconds,
      perSecond = 0
    }: {
      readonly runners?: number | undefined
      readonly balancing?: Balancing | undefined
      readonly place?: string | undefined
      readonly seconds?: number
      readonly warmup?: number
      readonly perSecond?: number
    } = {}
  ): Promise<Omit<Stage, "drive">> => {
    const running = await side(name, size, place, runners === undefined ? Sides.start : cluster(runners, balancing))
    const rows = await rowsOf(name === "before" ? options.before : undefined)
    return {
      side: running,
      merchants,
      size,
      count: countOf(size, options),
      requestsMax: Math.ceil((seconds + warmup) * Math.max(perSecondMin, spare * perSecond)),
      insertOrders: (many) => rows.insertOrders(postgres, running.database, many)
    }
  }

  return { template, stageOf, stop: () => Promise.all([...sides.values()].map((running) => running.stop())) }
}

const countOf = (size: Size, { many }: Options) => (size === "small" ? smallCount : many)

/** Returns the name of a database with so many orders, which the first call fills. An earlier checkout has its own. */
const makeTemplate = (postgres: Postgres.Postgres, merchants: ReadonlyArray<MerchantData>, options: Options) => {
  const filled = new Set<string>()
  return async (size: Size, isBefore = false) => {
    const name = `template_${isBefore ? "before_" : ""}${size}`
    if (filled.has(name)) return name
    filled.add(name)
    const count = countOf(size, options)
    say(`Filling a table with ${count.toLocaleString("en")} orders`)
    await (isBefore ? migratedBy(postgres, name, options.before) : Postgres.migrated(postgres, name))
    const rows = await rowsOf(isBefore ? options.before : undefined)
    await rows.insertMerchants(postgres, name, merchants)
    await rows.insertOrders(postgres, name, seeded({ merchants, count }))
    await postgres.query(name, "vacuum analyze")
    return name
  }
}

/** The writers of rows. Another checkout brings its own: its columns may have other names. */
const rowsOf = (folder: string | undefined): Promise<typeof Rows> =>
  folder === undefined
    ? Promise.resolve(Rows)
    : import(pathToFileURL(resolve(folder, "packages/bench/src/stage/rows.ts")).href)

/** An empty database with the tables of another checkout, whose service makes them when it starts. */
const migratedBy = async (postgres: Postgres.Postgres, name: string, folder: string | undefined) => {
  await postgres.query("coffer", `create database ${name}`)
  await (await Sides.start(postgres, "before", name, { folder })).stop()
}
