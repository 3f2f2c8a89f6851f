/** The options of the bench on its command line. */
import { parseArgs } from "node:util"

/** A side's first warm-up for a load is so many times longer: its code is compiled then, which takes some seconds. */
export const firstWarmup = 5
/** For a load of which hardly anything has been run before: creates, with which all begins, and payments. */
export const firstWarmupOfNew = 15

export interface Options {
  /** Scenarios by key, or by what their keys begin with; empty: all of them. */
  readonly only: ReadonlyArray<string>
  readonly rounds: number
  readonly seconds: number
  readonly warmupSeconds: number
  readonly connections: number
  /** Orders of the large table. */
  readonly many: number
  /** Which sides run; empty: all that the scenario has. */
  readonly sides: ReadonlyArray<string>
  /** Write the results and pictures into docs. */
  readonly write: boolean
  /** A folder with another version of the service, to be measured beside this one. */
  readonly before: string | undefined
  /** Tell what each load's statements cost Postgres. */
  readonly statements: boolean
  /** Flags for the service's node, such as --cpu-prof. */
  readonly node: ReadonlyArray<string>
}

const usage = `npm run bench -- [--only create,pay] [--rounds 3] [--seconds 5] [--quick] [--write]
  --only     scenarios by name: create-keyed is one, create all whose names begin so;
             weight counts index entries, bytes of the log and bytes on disk
  --rounds   how often each side is measured, in turn with the others
  --seconds  how long each of them is measured, after a warm-up
  --warmup   seconds before each of them; before a side's first five times as long, or fifteen times
  --quick    one round of two seconds, a small table: to see that it works
  --sides    service,script,at-once,ceiling: which of them run
  --write    put results and pictures into docs/performance.md
  --before   a folder with an earlier commit: what has a change brought?
  --statements  what each load's statements cost, by pg_stat_statements, which costs something itself
  --node     flags for the service's node, for profiles: --node=--cpu-prof`

export const readOptions = (words: ReadonlyArray<string>): Options => {
  const { values } = parseArgs({
    args: [...words],
    options: {
      only: { type: "string", default: "" },
      rounds: { type: "string" },
      seconds: { type: "string" },
      warmup: { type: "string" },
      connections: { type: "string", default: "64" },
      many: { type: "string" },
      sides: { type: "string", default: "" },
      quick: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      before: { type: "string" },
      statements: { type: "boolean", default: false },
      node: { type: "string", default: "" },
      help: { type: "boolean", default: false }
    }
  })
  if (values.help) {
    console.log(usage)
    process.exit(0)
  }
  const { quick } = values
  return {
    only: listOf(values.only),
    rounds: Number(values.rounds ?? (quick ? 1 : 3)),
    seconds: Number(values.seconds ?? (quick ? 2 : 5)),
    warmupSeconds: Number(values.warmup ?? (quick ? 1 : 2)),
    connections: Number(values.connections),
    many: Number(values.many ?? (quick ? 50_000 : 1_000_000)),
    sides: listOf(values.sides),
    write: values.write,
    before: values.before,
    statements: values.statements,
    node: listOf(values.node)
  }
}

const listOf = (text: string) => (text === "" ? [] : text.split(","))
