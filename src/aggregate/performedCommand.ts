/**
 * The command that an object has performed, as another runner is told of it: on which version, so that the other one
 * decides on the very same state, or finds that somebody else has written the object since.
 */
import { Schema } from "effect"
import { Answering } from "../idempotency/Answering.ts"
import { type InstructionKind, instructionKind } from "../wallets/Wallets.ts"

export interface PerformedCommand<Id, Command> {
  readonly id: Id
  /** Of the row that it was decided on. */
  readonly version: number
  readonly command: Command
  /** The request whose answer is stored with it. */
  readonly answer?: Answering | undefined
}

export const performedCommand = <Id, Command>(
  name: string,
  id: Schema.Codec<Id, unknown>,
  command: Schema.Codec<Command, unknown>
): InstructionKind<PerformedCommand<Id, Command>> =>
  instructionKind<PerformedCommand<Id, Command>>(
    name,
    Schema.Struct({ id, version: Schema.Int, command, answer: Schema.optional(Answering) })
  )
