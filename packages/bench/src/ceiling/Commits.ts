/**
 * Group commit without Effect: the service's own statements (`src/platform/commit/statements.ts`), a plain queue
 * for each of two lanes, and a pipelined connection. It shows what the design could reach on this machine if its
 * framework cost nothing.
 */
import type pg from "pg"
import { nameOf, plan, textAlone } from "../../../../src/platform/commit/statements.ts"
import type { ChangeSet } from "../../../../src/platform/commit/Change.ts"
import { makePipeline } from "../rivals/pool.ts"

const lanes = 2
const batchMax = 256

interface Waiting {
  readonly changes: ChangeSet
  readonly done: (failure?: Error) => void
}

/** A row of the set was not at the expected version. */
class NotWritten extends Error {}

export const makeCommits = async (url: string) => {
  const all = await Promise.all(Array.from({ length: lanes }, () => makeLane(url)))
  return (lane: string, changes: ChangeSet): Promise<void> =>
    new Promise((resolve, reject) => {
      all[laneOf(lane)]!({ changes, done: (failure) => (failure === undefined ? resolve() : reject(failure)) })
    })
}

const makeLane = async (url: string) => {
  const client = await makePipeline(url)
  let waiting: Array<Waiting> = []
  let busy = false

  const drain = async () => {
    busy = true
    while (waiting.length > 0) {
      const sets = waiting.slice(0, batchMax)
      waiting = waiting.slice(batchMax)
      await write(client, sets)
      await new Promise(setImmediate)
    }
    busy = false
  }

  return (set: Waiting) => {
    waiting.push(set)
    if (!busy) void drain()
  }
}

const write = async (client: pg.Client, sets: ReadonlyArray<Waiting>): Promise<void> => {
  const batch = plan(sets)
  for (const [set, { message }] of batch.refused) set.done(new NotWritten(message))
  const sent = [
    client.query("begin"),
    ...batch.statements.map((statement) =>
      client.query({ name: nameOf(statement), text: textAlone(statement), values: [...statement.params] })
    )
  ]
  try {
    const [, ...results] = await Promise.all(sent)
    if (results.every(({ rowCount }, index) => rowCount === batch.statements[index]!.keys.length)) {
      await client.query("commit")
      for (const { done } of batch.accepted) done()
      return
    }
    throw new NotWritten("a row was not written")
  } catch (cause) {
    await client.query("rollback")
    // The load has no conflicts, so the ceiling need not find out which set caused one.
    for (const { done } of batch.accepted) done(cause as Error)
  }
}

const laneOf = (key: string): number => {
  let hash = 0
  for (let index = 0; index < key.length; index++) hash = (hash * 31 + key.charCodeAt(index)) | 0
  return Math.abs(hash) % lanes
}
