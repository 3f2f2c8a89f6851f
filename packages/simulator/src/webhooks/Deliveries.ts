/**
 * Delivers events: one at a time to each endpoint, in the order in which they became due, with retries. Faults drop,
 * duplicate, delay or swap them, and a test may hold all of them.
 */
import { Effect, Semaphore } from "effect"
import { type Faults, secondsDefault } from "../server/faults.ts"
import type { World } from "../state/World.ts"
import { makeSend, type Waiting } from "./send.ts"

export type ReleaseOrder = "oldest_first" | "newest_first" | ReadonlyArray<number>

export interface Deliveries {
  /** Sends it after earlier ones. Ends when it was sent or postponed. */
  readonly deliver: (waiting: Waiting) => Effect.Effect<void>
  readonly hold: () => void
  /** Sends held events in this order. Numbers are positions in their original order; the others are dropped. */
  readonly release: (order: ReleaseOrder) => Effect.Effect<number>
  readonly heldCount: () => number
}

export const makeDeliveries = (world: World, faults: Faults): Deliveries => {
  const inTurn = makeTurns(makeBegin(world, faults))
  let held: Array<Waiting> | undefined

  return {
    deliver: (waiting) =>
      Effect.suspend(() => {
        if (held === undefined) return inTurn(waiting)
        held.push(waiting)
        return Effect.void
      }),
    hold: () => {
      held ??= []
    },
    release: (order) =>
      Effect.suspend(() => {
        const chosen = inOrder(held ?? [], order)
        held = undefined
        return Effect.as(Effect.forEach(chosen, inTurn, { discard: true }), chosen.length)
      }),
    heldCount: () => held?.length ?? 0
  }
}

const inOrder = (all: ReadonlyArray<Waiting>, order: ReleaseOrder): ReadonlyArray<Waiting> => {
  if (order === "oldest_first") return all
  if (order === "newest_first") return all.toReversed()
  return order.flatMap((place) => (all[place] === undefined ? [] : [all[place]]))
}

/** One at a time for each endpoint. */
const makeTurns = (begin: (waiting: Waiting) => Effect.Effect<void>) => {
  const turns = new Map<string, Semaphore.Semaphore>()
  return (waiting: Waiting): Effect.Effect<void> => {
    const { endpoint } = waiting.delivery
    const turn = turns.get(endpoint) ?? Semaphore.makeUnsafe(1)
    turns.set(endpoint, turn)
    return turn.withPermits(1)(begin(waiting))
  }
}

/** An attempt, unless a fault changes the first one. */
const makeBegin = (world: World, faults: Faults) => {
  const send = makeSend(world)
  /** Swapped events that wait for another one, by endpoint, and the job that sends them if none comes. */
  const swapped = new Map<string, Array<Waiting & { readonly job: string }>>()

  const sendSwapped = Effect.fnUntraced(function* (endpoint: string) {
    const aside = swapped.get(endpoint) ?? []
    swapped.delete(endpoint)
    for (const { job, ...waiting } of aside) {
      if (waiting.book.get("x.job", job) === undefined) continue
      waiting.book.drop("x.job", job)
      yield* send(waiting)
    }
  })

  return Effect.fnUntraced(function* (waiting: Waiting) {
    const { book, delivery } = waiting
    const isFirst = delivery.attempt === 1 && delivery.isStruck !== true
    const fault = isFirst
      ? faults.strike(`webhook ${book.get("event", delivery.event)?.type}`, book.account)
      : undefined
    const later = world.clock.millis() + (fault?.seconds ?? secondsDefault) * 1000
    switch (fault?.kind) {
      case "lose":
        return
      case "late":
        world.schedule(book, later, { ...delivery, isStruck: true })
        return
      case "swap": {
        const job = world.schedule(book, later, { ...delivery, isStruck: true })
        swapped.set(delivery.endpoint, [...(swapped.get(delivery.endpoint) ?? []), { ...waiting, job }])
        return
      }
      case "twice":
        yield* send(waiting)
        return yield* send(waiting)
      default:
        yield* send(waiting)
        return yield* sendSwapped(delivery.endpoint)
    }
  })
}
