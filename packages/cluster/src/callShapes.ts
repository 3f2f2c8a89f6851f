/** The form of direct calls and of their answers, which both ends know (`DirectCalls.ts`, `incomingCalls.ts`). */
import { type Effect, Schema } from "effect"
import type { EntityAddress } from "effect/cluster"

/** Calls that may be under way on one connection. Further ones go by messages, which have limits of their own. */
export const callsMax = 8_192

/** The form of a call on the way. The other end has the same under the same name. */
export interface Shapes<Message, Success, Failure> {
  readonly name: string
  readonly payload: Schema.Codec<Message, unknown>
  readonly success: Schema.Codec<Success, unknown>
  readonly failure: Schema.Codec<Failure, unknown>
}

export interface Server<Message, Success, Failure> {
  /** Whether this runner has the entity now. */
  readonly isHere: (entity: string) => boolean
  /** `header` is what the caller has sent beside the message. */
  readonly perform: (message: Message, header: string | undefined) => Effect.Effect<Success, Failure>
  /** Whether this failure says that the call has to find another owner. */
  readonly isWithoutOwner: (error: Failure) => boolean
}

export interface Decoded {
  readonly success: (answer: unknown) => any
  readonly failure: (answer: unknown) => any
}

export interface Question {
  /** Undefined for a probe. */
  readonly of: EntityAddress.EntityAddress | undefined
  readonly decoded: Decoded
  readonly otherwise: Effect.Effect<any, any>
}

/** The connection for direct calls to a runner (`DirectCalls.ts`). */
export interface DirectConnection {
  readonly call: (line: ReadonlyArray<unknown>, question: Question) => Effect.Effect<any, any>
  /** Since when it has received nothing although it owes an answer to a call. */
  readonly silentSince: () => number | undefined
  /** Probes the connection. It may be dead while the runner is alive. */
  readonly probe: Effect.Effect<boolean>
  /** Fails pending calls on behalf of the other runner, and closes. */
  readonly giveUp: () => void
  /** Sends the calls that wait by messages. */
  readonly close: () => void
}

/** A defect keeps its name and message, as one does that comes by a message. */
const defect = Schema.toCodecJson(Schema.Defect())
export const encodeDefect = Schema.encodeSync(defect)
export const decodeDefect = Schema.decodeUnknownSync(defect)

/** How a call ended, in its answer. */
export const outcomes = { success: 0, failure: 1, defect: 2, notHere: 3 } as const
