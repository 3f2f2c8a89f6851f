/** Measurements without rivals: how long a start takes, and how much memory payments leave behind. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Bench } from "./Bench.ts"
import { say } from "./say.ts"
import type { Options } from "./options.ts"
import { residentBytes } from "./stage/cpu.ts"
import { assertBooksWhole } from "./stage/books.ts"
import * as Postgres from "./stage/Postgres.ts"
import { type Many, orderOf } from "./stage/rows.ts"
import * as Sides from "./stage/Sides.ts"

export interface StartUp {
  readonly side: Sides.SideName
  /** From the start of the process to its first ready answer, on an existing database. */
  readonly millis: number
}

/** Sides start in turn. */
export const startUp = async (
  bench: Bench,
  options: Options,
  names: ReadonlyArray<Sides.SideName>,
  tell: (found: StartUp) => void
): Promise<void> => {
  for (const name of names) {
    await Postgres.clone(bench.postgres, await bench.template("small", name === "before"), databaseOf(name))
  }
  for (let round = 0; round < Math.max(3, options.rounds); round++) {
    for (const name of names) {
      const folder = name === "before" ? options.before : undefined
      const started = await Sides.start(bench.postgres, name, databaseOf(name), { folder })
      say(`  ${Sides.titles[name]} starts in ${started.startMillis.toFixed(0)} ms`)
      tell({ side: name, millis: started.startMillis })
      await started.stop()
    }
  }
}

const databaseOf = (name: Sides.SideName) => `${name.replace("-", "_")}_start`

export interface Memory {
  readonly side: Sides.SideName
  readonly payments: number
  /** Resident set of the process before and after them. */
  readonly before: number | undefined
  readonly after: number | undefined
}

/** Measures the memory of a process before and after a number of payments without a pause, each of its own order. */
export const memory = async (bench: Bench, options: Options, name: Sides.SideName): Promise<Memory> => {
  const payments = options.quick ? 2_000 : 100_000
  const stage = await bench.stageOf(name, "small", { place: "memory" })
  const many: Many = { merchants: stage.merchants, count: payments, since: Date.now(), step: 0, lot: "MEM000" }
  await stage.insertOrders(many)
  await bench.postgres.query(stage.side.database, "vacuum analyze")
  const orders = Array.from({ length: payments }, (_, index) => {
    const { merchant, tradeNo } = orderOf(many, index + 1)
    return [merchant.key, tradeNo] as const
  })
  const [pid] = stage.side.pids
  await sleep(2_000)
  const before = residentBytes(pid!)
  await bench.drive(stage.side, { kind: "pay", orders })
  const found = { side: name, payments, before, after: residentBytes(pid!) }
  await assertBooksWhole(bench.postgres, stage.side.database)
  say(`  ${weightOf(found)}`)
  return found
}

export const weightOf = ({ after, before, payments, side }: Memory): string =>
  `${Sides.titles[side]} ${megabytes(before)} before and ${megabytes(after)} right after ` +
  `${payments.toLocaleString("en")} payments without a pause`

const megabytes = (bytes: number | undefined): string =>
  bytes === undefined ? "?" : `${Math.round(bytes / 1_048_576)} MB`
