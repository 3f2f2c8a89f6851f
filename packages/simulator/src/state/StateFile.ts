/**
 * State in one file: a line for each request or job with all of its changes. A dying process may leave a partial last
 * line, which the next start ignores. There is no fsync: a power failure may lose the last seconds.
 */
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { Effect, Option, Schema } from "effect"
import { jsonText, parseJson } from "../json.ts"
import type { Change } from "./Book.ts"
import type { World } from "./World.ts"

export class StateFileUnusable extends Schema.TaggedError<StateFileUnusable>()("StateFileUnusable", {
  message: Schema.String
}) {}

interface Header {
  readonly simulator: 1
  readonly millis: number
  readonly isStanding: boolean
}

/** Reads the state of an earlier run, and rewrites the file: each object once. */
export const restore = (world: World, file: string): Effect.Effect<void, StateFileUnusable> =>
  Effect.try({
    try: () => {
      for (const change of existsSync(file) ? changesIn(world, readFileSync(file, "utf8")) : []) world.restore(change)
      const fresh = `${file}.new`
      writeFileSync(fresh, lineOf(world, []) + lineOf(world, world.everything()))
      renameSync(fresh, file)
    },
    catch: (cause) => new StateFileUnusable({ message: `The state file ${file} cannot be used: ${String(cause)}` })
  })

/** To be called after each request, job and command. */
export const makeKeep = (world: World, file: string) => {
  let written = world.clock.millis()
  return (): void => {
    const changes = world.takeChanges()
    const hasMoved = world.clock.isStanding() && world.clock.millis() !== written
    if (changes.length === 0 && !hasMoved) return
    written = world.clock.millis()
    appendFileSync(file, lineOf(world, changes))
  }
}

const lineOf = (world: World, changes: ReadonlyArray<Change>): string =>
  `${jsonText([
    { simulator: 1, millis: world.clock.millis(), isStanding: world.clock.isStanding() } satisfies Header,
    ...changes
  ])}\n`

const changesIn = (world: World, text: string): ReadonlyArray<Change> =>
  text.split("\n").flatMap((line) => {
    const read = Option.getOrUndefined(parseJson(line)) as [Header, ...Array<Change>] | undefined
    if (read === undefined || !Array.isArray(read)) return []
    const [{ isStanding, millis }, ...changes] = read
    if (isStanding) world.clock.stand()
    world.clock.moveTo(millis)
    return changes
  })
