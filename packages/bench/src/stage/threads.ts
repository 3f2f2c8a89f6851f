/**
 * The work of processes so far, from `/proc`: how often their threads went to sleep and were woken, and for how long
 * they ran, by the nanosecond. Wake-ups are counted, so other work on the machine does not change them.
 */
import { readdirSync, readFileSync } from "node:fs"

export interface Work {
  /** How often a thread slept and had to be woken. */
  readonly wakes: number
  /** Page faults. */
  readonly faults: number
  /** Processor time in user and kernel, microseconds. */
  readonly micros: number
}

const none: Work = { wakes: 0, faults: 0, micros: 0 }

const added = (a: Work, b: Work, times = 1): Work => ({
  wakes: a.wakes + times * b.wakes,
  faults: a.faults + times * b.faults,
  micros: a.micros + times * b.micros
})

/** A process that has ended meanwhile counts as zero. */
const textOf = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

const workOf = (thread: string): Work => {
  const [, wakes = "0"] = /^voluntary_ctxt_switches:\s+(\d+)/m.exec(textOf(`${thread}/status`)) ?? []
  const [nanos = "0"] = textOf(`${thread}/schedstat`).split(" ")
  const stat = textOf(`${thread}/stat`)
  // The name, in parentheses, may contain any characters.
  const [, , , , , , , faults = "0"] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return { wakes: Number(wakes), faults: Number(faults), micros: Number(nanos) / 1_000 }
}

const entriesOf = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const threadsOf = (pid: number) => entriesOf(`/proc/${pid}/task`).map((id) => [id, `/proc/${pid}/task/${id}`] as const)

/** By group of threads or processes. */
export type Works = ReadonlyMap<string, Work>

const grouped = (works: Iterable<readonly [group: string, work: Work]>): Works => {
  const sums = new Map<string, Work>()
  for (const [group, work] of works) sums.set(group, added(sums.get(group) ?? none, work))
  return sums
}

/** A service: the thread that runs its program, and those of the engine and of Node beside it. */
const serviceWorks = (pid: number): Works =>
  grouped(
    threadsOf(pid).map(([id, path]) => [id === String(pid) ? "service" : "service's other threads", workOf(path)])
  )

/** Postgres: sessions of this database, the writer of the log, and all other processes. */
const postgresWorks = (postmaster: number, database: string): Works =>
  grouped(
    entriesOf("/proc").flatMap((pid) => {
      const parent = /^PPid:\s+(\d+)/m.exec(textOf(`/proc/${pid}/status`))?.[1]
      if (!/^\d+$/.test(pid) || parent !== String(postmaster)) return []
      const title = textOf(`/proc/${pid}/cmdline`)
      return threadsOf(Number(pid)).map(([, path]) => [groupOf(title, database), workOf(path)] as const)
    })
  )

const groupOf = (title: string, database: string): string => {
  if (title.includes(` ${database} `)) return "sessions"
  return title.includes("walwriter") ? "writer of the log" : "Postgres' other processes"
}

/** A service with its threads, and Postgres as it serves this database. */
export const worksOf = (pid: number, postmaster: number, database: string): Works =>
  new Map([...serviceWorks(pid), ...postgresWorks(postmaster, database)])

/** The difference of two readings. */
export const between = (from: Works, to: Works): Works =>
  new Map([...to].map(([group, work]) => [group, added(work, from.get(group) ?? none, -1)]))
