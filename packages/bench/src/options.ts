/** The options of the bench on its command line. A bad one is refused by its name before anything starts. */
import { existsSync } from "node:fs"
import { parseArgs } from "node:util"
import { type SideName, titles } from "./stage/Sides.ts"

/** How many times longer a side's first warm-up for a load is: its code is compiled then, which takes some seconds. */
export const firstWarmup = 5
/** For a load whose code has hardly run before: creates, which come first, and payments. */
export const firstWarmupOfNew = 10

export interface Options {
  /** Scenarios by key, or by what their keys begin with; empty: all that are measured without being named. */
  readonly only: ReadonlyArray<string>
  readonly rounds: number
  readonly seconds: number
  readonly warmupSeconds: number
  readonly connections: number
  /** Orders of the large table. */
  readonly many: number
  readonly quick: boolean
  /** Which sides run; empty: all that the scenario has. */
  readonly sides: ReadonlyArray<string>
  /** The curve's knee is where p99 exceeds this, in milliseconds. */
  readonly bound: number
  /** How long the soak lasts, how often it writes a line, and how many requests a second it sends. */
  readonly soak: { readonly hours: number; readonly everySeconds: number; readonly rate: number }
  /** Write the results and charts into docs. */
  readonly write: boolean
  /** The folder for a file with all measurements. */
  readonly raw: string | undefined
  /** A file of an earlier run, from which the report is made again. */
  readonly from: string | undefined
  /** A folder with another version of the service, measured next to this one. */
  readonly before: string | undefined
  /** Measure it at the same time as this one, and print the ratios. */
  readonly together: boolean
  /** Print what each load's statements cost Postgres. */
  readonly statements: boolean
  /** Flags for the service's node, such as --cpu-prof. */
  readonly node: ReadonlyArray<string>
}

export const usage = `npm run bench -- [--only create,pay] [--rounds 3] [--seconds 3] [--quick] [--write]
  --only     scenarios by name: create-keyed is one, create all whose names begin so. Besides them:
             curve (rate against latency), flush, standby, ledgers, must (the table of aims, with --before),
             memory, start-up, weight (index entries, bytes of the log and on disk), deliveries, deliveries-new,
             lonely (what a payment costs that comes alone), soak,
             engines (payments by DBOS and Restate, which are installed for it)
  --rounds   how often each side is measured, in turn with the others
  --seconds  how long each of them is measured, after a warm-up
  --warmup   seconds before each of them; before a side's first five times as long, or ten times
  --connections  of the closed loop, 64
  --bound    the curve's knee is the first rate whose p99 exceeds so many milliseconds, 50
  --many     orders of the large table
  --quick    one round of two seconds, a small table: to see that it works
  --sides    service,script,at-once,ceiling: which of them run
  --raw      a folder: everything that is measured goes into a file there, a line each
  --from     such a file: makes the report again, and measures nothing
  --write    put results and pictures into docs/performance.md
  --hours    of the soak, 12; --every: seconds from line to line, 60; --rate: requests a second, 100
  --before   a folder with an earlier commit: what has a change brought?
  --together under load at the same time as that one: tells changes of some per cent
  --statements  what each load's statements cost, by pg_stat_statements, which costs something itself
  --node     flags for the service's node, for profiles: --node=--cpu-prof`

export class BadOption extends Error {}

/** `undefined` if only help was requested. `names`: the values of `--only`. */
export const readOptions = (words: ReadonlyArray<string>, names: ReadonlyArray<string>): Options | undefined => {
  const values = parsed(words)
  if (values.help === true) return undefined
  const { quick = false } = values
  const number = (name: NumberName, otherwise: number, least: number, isWhole = true): number => {
    const text = values[name]
    const value = text === undefined ? otherwise : Number(text)
    if (text === "" || !(value >= least) || value === Infinity || (isWhole && !Number.isInteger(value))) {
      throw new BadOption(`--${name} takes a ${isWhole ? "whole " : ""}number from ${least} on, and not "${text}"`)
    }
    return value
  }
  const options: Options = {
    only: listOf(values.only),
    rounds: number("rounds", quick ? 1 : 3, 1),
    seconds: number("seconds", quick ? 2 : 3, 0.1, false),
    warmupSeconds: number("warmup", 1, 0, false),
    connections: number("connections", 64, 1),
    many: number("many", quick ? 20_000 : 200_000, 10_000),
    quick,
    sides: listOf(values.sides),
    bound: number("bound", 50, 0, false),
    soak: {
      hours: number("hours", 12, 0.001, false),
      everySeconds: number("every", 60, 1),
      rate: number("rate", 100, 1)
    },
    write: values.write ?? false,
    raw: values.raw,
    from: values.from,
    before: values.before,
    together: values.together ?? false,
    statements: values.statements ?? false,
    node: listOf(values.node)
  }
  for (const name of options.only) {
    if (!names.some((each) => isNamed(name, each))) {
      throw new BadOption(`--only knows no "${name}". It knows ${names.join(", ")}`)
    }
  }
  for (const name of options.sides) if (!isSide(name)) throw new BadOption(`--sides knows no "${name}"`)
  for (const name of ["before", "from"] as const) {
    const place = options[name]
    if (place !== undefined && !existsSync(place)) throw new BadOption(`--${name}: there is no ${place}`)
  }
  if (options.together && options.before === undefined) throw new BadOption("--together needs --before")
  if (options.only.includes("soak")) {
    if (options.only.length > 1) throw new BadOption("--only soak stands alone: it has a Postgres of its own")
    if (options.raw === undefined) throw new BadOption("--raw has to name a folder: a soak writes its lines as it goes")
  }
  return options
}

/** `create` names `create` and `create-keyed`. */
export const isNamed = (name: string, key: string) => key === name || key.startsWith(`${name}-`)

/** The rivals of the deliveries' race are sides too. */
const isSide = (name: string): name is SideName =>
  name in titles || ["plain", "graphile", "pg-boss", "bullmq"].includes(name)

type NumberName = "rounds" | "seconds" | "warmup" | "connections" | "many" | "bound" | "hours" | "every" | "rate"

const parsed = (words: ReadonlyArray<string>) => {
  const text = { type: "string" } as const
  const yes = { type: "boolean" } as const
  try {
    return parseArgs({
      args: [...words],
      options: {
        only: text,
        rounds: text,
        seconds: text,
        warmup: text,
        connections: text,
        many: text,
        bound: text,
        hours: text,
        every: text,
        rate: text,
        sides: text,
        raw: text,
        from: text,
        before: text,
        node: text,
        quick: yes,
        write: yes,
        together: yes,
        statements: yes,
        help: yes
      }
    }).values
  } catch (cause) {
    // The message names the option.
    throw new BadOption((cause as Error).message)
  }
}

const listOf = (text: string | undefined) => (text === undefined || text === "" ? [] : text.split(","))
