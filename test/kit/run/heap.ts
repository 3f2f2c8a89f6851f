/** The heap of this process: the collector on demand, and what became old. */
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

type Collect = (options?: { readonly type: "minor" }) => void

const collector = (): Collect => {
  setFlagsFromString("--expose-gc")
  return runInNewContext("gc") as Collect
}

/** A full collection. */
export const collectGarbage = (): void => collector()()

const oldBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")!.space_used_size

const rounds = 200
/** Calls after which the young objects are collected. */
const callsPerRound = 50

/**
 * How many bytes became old while `work` was called ten thousand times. The first full collection makes all old that is
 * there, as any process is after a while. The small ones that follow make old whatever they meet for the second time.
 * It is done twice and the lower count is the answer, since what else the process does becomes old, too.
 */
export const oldBytesOf = async (work: () => unknown): Promise<number> => {
  const collect = collector()
  for (let call = 0; call < rounds; call++) await work()
  const once = async () => {
    collect()
    const before = oldBytes()
    for (let call = 0; call < rounds * callsPerRound; call++) {
      await work()
      if (call % callsPerRound === 0) collect({ type: "minor" })
    }
    return oldBytes() - before
  }
  return Math.min(await once(), await once())
}

/** An object of some two kilobytes. */
export const someObject = (): object => ({ parts: Array.from({ length: 50 }, (_, index) => ({ index })) })

/** The most that {@link oldBytesOf} finds where nothing of ten thousand such objects, 20 MB, is kept. */
export const oldBytesMax = 4 * 1024 * 1024
