/**
 * A constant load for hours: keyed creates, payments, reads, refunds and lists in an open loop, on a Postgres with its
 * default vacuums and checkpoints. A line is written each minute, and the books are checked at the end, which may come
 * early: by SIGINT, or when the disk is nearly full.
 */
import { statfsSync } from "node:fs"
import * as Driver from "./driver/Driver.ts"
import { p50, p99, type Summary } from "./driver/summary.ts"
import type { Options } from "./options.ts"
import { say } from "./say.ts"
import { assertBooksWhole } from "./stage/books.ts"
import { cpuMicros, residentBytes } from "./stage/cpu.ts"
import * as Postgres from "./stage/Postgres.ts"
import { insertMerchants, merchantsOf } from "./stage/rows.ts"
import * as Sides from "./stage/Sides.ts"

/** The state at the end of a minute, and the minute's answers. */
export interface Minute {
  /** Seconds since the load began. */
  readonly seconds: number
  readonly summary: Summary
  /** Requests due per second. */
  readonly rate: number
  /** Processor time of a request, microseconds. */
  readonly cpu: { readonly side: number | undefined; readonly postgres: number | undefined }
  /** Resident set of the service. */
  readonly memoryBytes: number | undefined
  readonly deadRows: number
  readonly liveRows: number
  readonly tableBytes: number
  readonly indexBytes: number
  /** The whole database, and the existing segments of the log. */
  readonly diskBytes: number
  /** Written into the log since the load began. */
  readonly logBytes: number
}

const merchantsCount = 1_000
/** Each is used every few seconds, so that none is closed as idle. */
const connectionsOf = (rate: number) => Math.min(256, Math.max(16, rate))
/** Below this the soak ends. */
const freeBytesMin = 2 * 1_073_741_824

interface Heard {
  /** Ends the load early. */
  readonly ended: AbortSignal
  /** Called with the version of Postgres. */
  readonly started: (version: string) => void
  readonly tell: (minute: Minute) => void
  /** Called if the books are intact, with the number of ledger rows. */
  readonly whole: (ledgerRows: number) => void
}

export const soak = async (options: Options, { ended, started, tell, whole }: Heard): Promise<void> => {
  const { everySeconds, hours, rate } = options.soak
  const postgres = await Postgres.start([])
  started(postgres.version)
  const driver = Driver.start()
  const full = new AbortController()
  let side: Sides.Side | undefined
  try {
    const merchants = merchantsOf(merchantsCount)
    await Postgres.migrated(postgres, database)
    await insertMerchants(postgres, database, merchants)
    side = await Sides.start(postgres, "service", database, { flags: options.node })
    const look = await observer(postgres, side)
    let lines = Promise.resolve()
    const began = performance.now()
    const note = (summary: Summary) => {
      lines = lines.then(async () => {
        const minute = { seconds: (performance.now() - began) / 1_000, rate, summary, ...(await look(summary)) }
        tell(minute)
        say(`  ${textOf(minute)}`)
        if (freeBytes(postgres.home) < freeBytesMin) full.abort()
      })
      lines.catch(() => full.abort())
    }
    const last = await driver.run(
      {
        ports: side.ports,
        connections: connectionsOf(rate),
        warmupMillis: 0,
        millis: hours * 3_600_000,
        kind: { kind: "mix", keys: merchants.map(({ key }) => key) },
        rate,
        lapMillis: everySeconds * 1_000
      },
      { lap: note },
      AbortSignal.any([ended, full.signal])
    )
    // The answers since the last line.
    if (last.requests > 0) note(last)
    await lines
    whole(await assertBooksWhole(postgres, database))
  } finally {
    driver.stop()
    await side?.stop()
    await postgres.stop()
  }
}

const database = "soak"

const stateText = `select sum(n_dead_tup)::float8 as dead, sum(n_live_tup)::float8 as live,
    sum(pg_table_size(relid))::float8 as tables, sum(pg_indexes_size(relid))::float8 as indexes,
    pg_database_size(current_database())::float8 + (select sum(size)::float8 from pg_ls_waldir()) as disk,
    pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as log
  from pg_stat_user_tables`

const observer = async (postgres: Postgres.Postgres, { pids: [pid] }: Sides.Side) => {
  const state = async () => {
    const [row] = await postgres.query(database, stateText)
    return (name: string) => Number(row![name])
  }
  const readCpu = () => [cpuMicros(pid!), cpuMicros(postgres.postmasters()[0]!)] as const
  const logBefore = (await state())("log")
  let before = readCpu()
  return async ({ requests }: Summary) => {
    const after = readCpu()
    const [own, store] = after.map((to, index) => to && (to - (before[index] ?? 0)) / requests)
    before = after
    const now = await state()
    return {
      cpu: { side: own, postgres: store },
      memoryBytes: residentBytes(pid!),
      deadRows: now("dead"),
      liveRows: now("live"),
      tableBytes: now("tables"),
      indexBytes: now("indexes"),
      diskBytes: now("disk"),
      logBytes: now("log") - logBefore
    }
  }
}

const freeBytes = (folder: string) => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

const megabytes = (bytes = Number.NaN) => `${Math.round(bytes / 1_048_576)} MB`

const textOf = (minute: Minute) =>
  `${Math.round(minute.seconds)} s: ${minute.summary.perSecond.toFixed(1)} of ${minute.rate}/s, ` +
  `p50 ${p50(minute.summary).toFixed(1)} ms, p99 ${p99(minute.summary).toFixed(1)} ms, ` +
  `memory ${megabytes(minute.memoryBytes)}, ${minute.deadRows} dead rows, disk ${megabytes(minute.diskBytes)}`
