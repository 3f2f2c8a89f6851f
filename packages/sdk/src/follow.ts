/**
 * Follows a list by long polling: each object once, oldest first, as it is created. The service answers when there is
 * something newer than the newest object read, and never inserts an object before one that it has shown. So nothing is
 * missed or duplicated, even if connections break.
 */
import { CofferError, InvalidRequestError } from "./errors.ts"
import type { List, Page } from "./List.ts"
import type { CallOptions, Clock } from "./options.ts"
import { retryDelay } from "./retry.ts"

export interface FollowOptions extends Pick<CallOptions, "signal" | "timeoutMs"> {
  /**
   * Called once when the service stops answering. The request is retried, honouring `Retry-After`, until it answers.
   */
  readonly onLost?: ((error: CofferError) => void) | undefined
  /** Called once when it answers again. */
  readonly onFound?: (() => void) | undefined
}

/** Seconds that the service may hold an answer; it accepts at most 25. */
export const waitSeconds = 25
/** The maximum page size. */
const pageMax = 100
/** The pause between two answers, so that bursts arrive as pages; and after an empty answer that came too early. */
const restMs = 250
const earlyMs = 1_000
/** The poll interval for a service without `wait`: it leaves most of the read quota to others. */
const pollMs = 3_000

export interface Source<Item> {
  /** With `wait`, the answer comes when there is an object, or after this many seconds. */
  readonly list: (query: FollowQuery) => List<Item>
  readonly idOf: (item: Item) => string
  readonly clock: Clock
  readonly random: () => number
}

type Wait = Pick<FollowQuery, "wait">
const noWait: Wait = {}

interface FollowQuery {
  readonly limit: number
  readonly ending_before?: string
  readonly wait?: number
}

/** `after`: the newest object read before; null: from the first one; undefined: from now on. */
export async function* follow<Item>(
  { clock, idOf, list, random }: Source<Item>,
  after: string | null | undefined,
  { onFound, onLost, signal }: FollowOptions
): AsyncGenerator<Item, void, undefined> {
  /** A service from before `wait` refuses the parameter by name, and is polled instead. */
  let wait: Wait = { wait: waitSeconds }
  /** Retries until there is an answer. A permanent refusal ends it. */
  const answerOf = async <A>(ask: () => Promise<A>): Promise<A> => {
    for (let misses = 0; ;) {
      try {
        const answer = await ask()
        if (misses > 0) onFound?.()
        return answer
      } catch (error) {
        if (error instanceof InvalidRequestError && error.param === "wait" && wait !== noWait) {
          wait = noWait
          continue
        }
        const delay = error instanceof CofferError ? retryDelay(error, ++misses, random, true) : undefined
        if (delay === undefined) throw error
        if (misses === 1) onLost?.(error as CofferError)
        await clock.sleep(Math.max(delay, restMs), signal)
      }
    }
  }
  const newestOf = ({ data }: Page<Item>) => (data[0] === undefined ? undefined : idOf(data[0]))

  /** The service has taken the position. */
  let isTaken = false
  const newer = async (): Promise<ReadonlyArray<Item>> => {
    if (position === undefined) return answerOf(() => firstOf(list, wait))
    try {
      return (await answerOf(() => list({ limit: pageMax, ...wait, ending_before: position! }).page())).data
    } catch (error) {
      const isRemoved = isTaken && error instanceof InvalidRequestError && error.param === "ending_before"
      if (!isRemoved) throw error
      // It was removed after its days, and everything that is left is newer.
      position = undefined
      return newer()
    }
  }

  let position = after === undefined ? newestOf(await answerOf(() => list({ limit: 1 }).page())) : (after ?? undefined)
  for (;;) {
    const began = clock.now()
    const items = await newer()
    isTaken = true
    for (const item of items.toReversed()) {
      position = idOf(item)
      yield item
    }
    const isEarly = items.length === 0 && clock.now() - began < earlyMs
    await clock.sleep(wait === noWait ? pollMs : isEarly ? earlyMs : restMs, signal)
  }
}

/** The first objects, newest first, once there are any. */
const firstOf = async <Item>(list: Source<Item>["list"], wait: Wait): Promise<ReadonlyArray<Item>> => {
  const { data, has_more } = await list({ limit: pageMax, ...wait }).page()
  if (!has_more) return data
  const all: Array<Item> = []
  for await (const item of list({ limit: pageMax })) all.push(item)
  return all
}
