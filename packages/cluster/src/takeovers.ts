/**
 * The log of the cluster, as this runner sees it, for operators: who joined, who left, who ended unexpectedly, and how
 * many shards this runner took over.
 */
import { Effect } from "effect"
import { elapsedMillis } from "./realTime.ts"
import { addressOf, type Registered } from "./judging.ts"
import { cannotTalk, type Entries, type Entry } from "./Roster.ts"
import { addressOf as nameOf, canTalk, TakesPart, ThisRunner } from "./ThisRunner.ts"

/** For a line that explains why shards were taken over. A runner that left longer ago is not the reason. */
const recentMillis = 30_000

export interface Witness {
  /** Logs changes of the register, in which ended runners are not healthy. */
  readonly see: (judged: Registered, entries: Entries) => Effect.Effect<void>
  /** Logs that this runner has acquired the locks of this many shards. */
  readonly took: (shards: number) => Effect.Effect<void>
}

interface Present {
  readonly name: string
  readonly run: number | null | undefined
}

export const makeWitness = Effect.gen(function* () {
  const self = yield* ThisRunner
  const { otherwise } = yield* TakesPart
  const own = self.place === undefined ? undefined : nameOf(self.place)
  /** The runners that were healthy at the last look, and their log lines. */
  const present = new Map<string, Present>()
  const strangers = new Set<string>()
  let reason: { readonly text: string; readonly at: number } | undefined

  const remember = (text: string) => {
    reason = { text, at: elapsedMillis() }
    return text
  }

  const tellEnd = ({ name, run }: Present, entry: Entry | undefined) => {
    // It has taken its row away.
    if (entry === undefined) return Effect.logInfo(remember(`${name} has stopped`))
    if (!entry.takes_part) {
      return Effect.logWarning(remember(`${name} has given up its shards, because ${otherwise}`))
    }
    const why = entry.run === run && entry.lives ? "it does not answer" : "Postgres has lost its connections"
    return Effect.logWarning(
      `${remember(`${name} ended without shutting down`)}: ${why}. The others take over its shards`
    )
  }

  const see: Witness["see"] = (judged, entries) =>
    Effect.gen(function* () {
      // A runner without a cluster has no takeovers to report.
      if (own === undefined) return
      const healthy = new Set(
        judged.flatMap(([runner, is]) => (is && addressOf(runner) !== own ? [addressOf(runner)] : []))
      )
      for (const [address, known] of present) {
        const entry = entries.get(address)
        if (healthy.has(address) && (entry === undefined || entry.run === known.run)) continue
        present.delete(address)
        yield* tellEnd(known, entry)
      }
      for (const address of healthy) {
        if (present.has(address)) continue
        const entry = entries.get(address)
        const name = `the runner ${address}${entry === undefined ? "" : ` (version ${entry.version})`}`
        present.set(address, { name, run: entry?.run })
        yield* Effect.logInfo(`${name} is in the cluster`)
      }
      for (const entry of entries.values()) {
        if (!entry.lives || canTalk(entry.messages, self.messages) || strangers.has(entry.address)) continue
        strangers.add(entry.address)
        yield* Effect.logWarning(`${cannotTalk(self, entry)} Commands for what the other one owns are answered 503.`)
      }
    })

  const took = (shards: number) => {
    if (shards === 0 || own === undefined) return Effect.void
    const line = `this runner took over ${shards} shards`
    if (reason === undefined || elapsedMillis() - reason.at > recentMillis) return Effect.logInfo(line)
    return Effect.logInfo(`${line}, ${((elapsedMillis() - reason.at) / 1_000).toFixed(1)} s after ${reason.text}`)
  }

  const witness: Witness = { see, took }
  return witness
})
