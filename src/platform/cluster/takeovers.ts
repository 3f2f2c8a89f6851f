/**
 * What this runner sees of the others, told in lines that an operator understands: who joined, who left, who ended
 * without a word, and what this runner took over.
 */
import { Effect } from "effect"
import type { Runner } from "effect/cluster"
import { elapsedMillis } from "../runtime/realTime.ts"
import { canTalk } from "./messages.ts"
import { cannotTalk, type Entry } from "./Roster.ts"

type Registered = ReadonlyArray<readonly [runner: Runner.Runner, healthy: boolean]>

/** For a line that says why shards came here. A runner that left longer ago is no reason. */
const recentMillis = 30_000

export interface Witness {
  /** Returns the register, in which those that have ended are not healthy. */
  readonly see: (
    runners: Registered,
    entries: ReadonlyMap<string, Entry>
  ) => Effect.Effect<Array<[Runner.Runner, boolean]>>
  /** States that this runner has got the locks of so many shards. */
  readonly took: (shards: number) => Effect.Effect<void>
}

/** `own`: the address of this runner, unless it is alone. */
export const makeWitness = (own: string | undefined): Witness => {
  /** Those that counted as healthy when we last looked, and what is told of them. */
  const present = new Map<string, string>()
  const strangers = new Set<string>()
  let reason: { readonly text: string; readonly at: number } | undefined

  const remember = (text: string) => {
    reason = { text, at: elapsedMillis() }
    return text
  }

  const see: Witness["see"] = (runners, entries) =>
    Effect.gen(function* () {
      const judged = runners.map(([runner, healthy]): [Runner.Runner, boolean] => {
        const address = addressOf(runner)
        return [runner, healthy && (address === own || entries.get(address)?.lives !== false)]
      })
      // Alone there is nobody to tell of.
      if (own === undefined) return judged
      const healthy = new Set(
        judged.flatMap(([runner, is]) => (is && addressOf(runner) !== own ? [addressOf(runner)] : []))
      )
      const registered = new Set(runners.map(([runner]) => addressOf(runner)))

      for (const [address, name] of present) {
        if (healthy.has(address)) continue
        present.delete(address)
        const entry = entries.get(address)
        if (!registered.has(address) && entry === undefined) {
          yield* Effect.logInfo(remember(`${name} has stopped`))
        } else {
          const why = entry?.lives === false ? "Postgres has lost its connections" : "it does not answer"
          yield* Effect.logWarning(
            `${remember(`${name} has ended without a word`)}: ${why}. The others take over its shards`
          )
        }
      }
      for (const address of healthy) {
        if (present.has(address)) continue
        const entry = entries.get(address)
        const name = `the runner ${address}${entry === undefined ? "" : ` (version ${entry.version})`}`
        present.set(address, name)
        yield* Effect.logInfo(`${name} is in the cluster`)
      }
      for (const entry of entries.values()) {
        if (!entry.lives || canTalk(entry.messages) || strangers.has(entry.address)) continue
        strangers.add(entry.address)
        yield* Effect.logWarning(`${cannotTalk(entry)} Commands for what the other one owns are answered 503.`)
      }
      return judged
    })

  const took = (shards: number) => {
    if (shards === 0 || own === undefined) return Effect.void
    const line = `this runner took over ${shards} shards`
    if (reason === undefined || elapsedMillis() - reason.at > recentMillis) return Effect.logInfo(line)
    return Effect.logInfo(`${line}, ${((elapsedMillis() - reason.at) / 1_000).toFixed(1)} s after ${reason.text}`)
  }

  return { see, took }
}

const addressOf = ({ address }: Runner.Runner): string => `${address.host}:${address.port}`
