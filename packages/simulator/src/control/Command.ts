/** A command: its validated input and its action. */
import { Effect, Schema } from "effect"
import type { RefundFate } from "../acts/refunds.ts"
import type { Engine } from "../Engine.ts"
import type { Faults } from "../server/faults.ts"
import type { Book } from "../state/Book.ts"
import type { Kind, Kinds } from "../state/kinds.ts"
import type { World } from "../state/World.ts"
import type { Deliveries } from "../webhooks/Deliveries.ts"

/** The command cannot be carried out, and changed nothing. */
export class ControlRefused extends Schema.TaggedError<ControlRefused>()("ControlRefused", {
  message: Schema.String
}) {}

export interface Parts {
  readonly world: World
  readonly engine: Engine
  readonly deliveries: Deliveries
  readonly faults: Faults
  /** The outcomes of the next refunds, in order. */
  readonly fates: Array<RefundFate>
  readonly revoked: Set<string>
  /** Called after each change. */
  readonly keep: () => void
}

export interface Command<I, A> {
  readonly input: Schema.Decoder<I>
  readonly run: (input: I) => Effect.Effect<A, ControlRefused>
}

export const command = <I, A>(
  input: Schema.Decoder<I>,
  run: (input: I) => Effect.Effect<A, ControlRefused>
): Command<I, A> => ({ input, run })

export const refuse = (message: string) => Effect.fail(new ControlRefused({ message }))

export const nothing = Schema.Struct({})

/** An object of any account, with its book. */
export const there = <K extends Kind>(
  world: World,
  kind: K,
  id: string
): Effect.Effect<readonly [Book, Kinds[K]], ControlRefused> => {
  const book = world.find(kind, id)
  return book === undefined ? refuse(`There is no ${kind} ${id}.`) : Effect.succeed([book, book.get(kind, id)!])
}
