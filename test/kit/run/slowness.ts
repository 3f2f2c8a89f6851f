/**
 * A promise in seconds is one about a machine that has nothing else to do. Tests of such promises stretch them by as
 * much as this one is slower at that moment.
 */
import { Duration, Effect } from "effect"

const sampleMicros = 50_000

/** How many times as long as its processor time a piece of work takes. */
const slowness = () => {
  const [cpu, begun] = [process.cpuUsage(), performance.now()]
  let used = 0
  while (used < sampleMicros) {
    const { system, user } = process.cpuUsage(cpu)
    used = system + user
  }
  return Math.max(1, ((performance.now() - begun) * 1_000) / used)
}

/** Looks at the machine after what is measured. */
export const stretched = (promised: Duration.Input): Effect.Effect<Duration.Duration> =>
  Effect.sync(() => Duration.times(Duration.fromInputUnsafe(promised), slowness()))
