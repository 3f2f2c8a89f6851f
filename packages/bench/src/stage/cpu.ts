/** The CPU time of processes, from `/proc`. Undefined on systems without it. */
import { readdirSync, readFileSync } from "node:fs"

/** Linux counts in hundredths of a second. */
const ticksPerSecond = 100

interface Stat {
  readonly parent: number
  /** The process' own and that of its children that have ended, microseconds. */
  readonly micros: number
}

const statOf = (pid: string): Stat | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The name, in parentheses, may contain any characters.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
    const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0)
    return { parent: Number(fields[1]), micros: (ticks * 1_000_000) / ticksPerSecond }
  } catch {
    return undefined
  }
}

/** The process with all its living children. */
export const cpuMicros = (root: number): number | undefined => {
  const own = statOf(String(root))
  if (own === undefined) return undefined
  let sum = own.micros
  for (const pid of readdirSync("/proc")) {
    if (!/^\d+$/.test(pid)) continue
    const stat = statOf(pid)
    if (stat?.parent === root) sum += stat.micros
  }
  return sum
}

/** Resident memory, bytes. */
export const residentBytes = (pid: number): number | undefined => {
  try {
    const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1_024
  } catch {
    return undefined
  }
}
