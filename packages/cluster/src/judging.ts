/**
 * Which runners this runner considers healthy. The register has the runners that joined. Postgres has the sessions
 * that still hold a lock. When Postgres restarts or closes all connections, every session is gone at once, which says
 * nothing about a process. So a runner that has lost its own session keeps its last judgement of the others for some
 * seconds, until they had the time to open theirs again. Model: models/shards.pml.
 */
import type { Runner } from "effect/cluster"
import type { Doubt } from "./Doubt.ts"
import type { Entries } from "./Roster.ts"

export type Registered = ReadonlyArray<readonly [runner: Runner.Runner, healthy: boolean]>
export type Judged = Array<[runner: Runner.Runner, healthy: boolean]>

export interface Judge {
  /** The register, in which those that have ended are not healthy. */
  readonly judge: (runners: Registered, entries: Entries) => Judged
  /** Postgres does not answer. Returns the last judgement. */
  readonly withoutPostgres: () => Judged
}

/**
 * `own`: the address of this runner, undefined for a single process, which judges no other. `takesPart`: whether it
 * wants shards.
 */
export const makeJudge = (own: string | undefined, takesPart: () => boolean, doubt: Doubt["Service"]): Judge => {
  let last: Judged = []

  const watchOwnSession = (own: string, entries: Entries) => {
    const self = entries.get(own)
    if (self?.run !== null) doubt.saw(self?.session ?? null)
  }

  const judge: Judge["judge"] = (runners, entries) => {
    if (own !== undefined) watchOwnSession(own, entries)
    const before = new Set(last.flatMap(([runner, is]) => (is ? [addressOf(runner)] : [])))
    const isAlive = (address: string) => {
      if (own === undefined || address === own) return takesPart()
      const entry = entries.get(address)
      // A runner that leaves takes its row away.
      return entry !== undefined && entry.takes_part && (entry.lives || (doubt.isOpen() && before.has(address)))
    }
    const judged = runners.map(([runner, healthy]): Judged[number] => [runner, healthy && isAlive(addressOf(runner))])
    const registered = new Set(runners.map(([runner]) => addressOf(runner)))
    // The register forgets a runner that could not write to it for 15 s, and all of them when Postgres was away.
    const forgotten = last.filter(([runner, is]) => is && !registered.has(addressOf(runner)))
    if (doubt.isOpen()) judged.push(...forgotten.filter(([runner]) => isAlive(addressOf(runner))))
    return (last = judged)
  }

  const withoutPostgres = () => {
    doubt.begin()
    return last
  }
  return { judge, withoutPostgres }
}

export const addressOf = ({ address }: Runner.Runner): string => `${address.host}:${address.port}`
