/** The form of direct calls and of their answers, which both ends know (`DirectCalls.ts`, `incomingCalls.ts`). */
import { type Effect, Schema } from "effect"

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

/** A defect keeps its name and message, as one does that comes by a message. */
const defect = Schema.toCodecJson(Schema.Defect())
export const encodeDefect = Schema.encodeSync(defect)
export const decodeDefect = Schema.decodeUnknownSync(defect)

/** How a call ended, in its answer. */
export const outcomes = { success: 0, failure: 1, defect: 2, notHere: 3 } as const
