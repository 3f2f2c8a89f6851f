/**
 * Follows a list: each object once, oldest first, as it happens. The service answers when there is something newer than
 * the newest object that was read, and shows nothing that a later object could precede. So nothing is missed and
 * nothing comes twice, even if connections break.
 */
import { CofferError, InvalidRequestError } from "./errors.ts"
import type { List, Page } from "./List.ts"
import type { CallOptions, Clock } from "./options.ts"
import { retryDelay } from "./retry.ts"

export interface FollowOptions extends Pick<CallOptions, "signal" | "timeoutMs"> {
  /** Called once when the service does not answer. The request is retried, as its `Retry-After` says, until it does. */
  readonly onLost?: ((error: CofferError) => void) | undefined
  /** Called once when it answers again. */
  readonly onFound?: (() => void) | undefined
}

/** Seconds that an answer may take to come; the service takes 25 at most. */
export const waitSeconds = 25
/** The most that a page has. */
const pageMax = 100
/** Between two answers, so that many events in a row come as pages; and after an empty one that came too early. */
const restMs = 250
const earlyMs = 1_000
/** Between two answers of a service that does not know `wait`: most of the quota of reads is left to others. */
const pollMs = 3_000

export interface Source<Item> {
  /** With `wait`, the answer comes when there is an object, or after so many seconds. */
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

/** `after`: the newest object that was read before; null: from the first one on; undefined: from now on. */
export async function* follow<Item>(
  { clock, idOf, list, random }: Source<Item>,
  after: string | null | undefined,
  { onFound, onLost, signal }: FollowOptions
): AsyncGenerator<Item, void, undefined> {
  /** A service that is older than `wait` refuses it by its name, and is asked now and then. */
  let wait: Wait = { wait: waitSeconds }
  /** Asks until an answer comes. A refusal that would come again ends it. */
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

  let position = after === undefined ? newestOf(await answerOf(() => list({ limit: 1 }).page())) : (after ?? undefined)
  for (;;) {
    const began = clock.now()
    const items =
      position === undefined
        ? await answerOf(() => firstOf(list, wait))
        : (await answerOf(() => list({ limit: pageMax, ...wait, ending_before: position! }).page())).data
    for (const item of items.toReversed()) {
      position = idOf(item)
      yield item
    }
    const isEarly = items.length === 0 && clock.now() - began < earlyMs
    await clock.sleep(wait === noWait ? pollMs : isEarly ? earlyMs : restMs, signal)
  }
}

/** All that there is, newest first, once there is any. */
const firstOf = async <Item>(list: Source<Item>["list"], wait: Wait): Promise<ReadonlyArray<Item>> => {
  const { data, has_more } = await list({ limit: pageMax, ...wait }).page()
  if (!has_more) return data
  const all: Array<Item> = []
  for await (const item of list({ limit: pageMax })) all.push(item)
  return all
}
