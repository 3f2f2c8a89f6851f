/**
 * What a wallet is told: named movements, and the rows that are written with them. No row travels between runners. A
 * message holds the commands for which the rows were made. The runner that receives it makes the rows itself
 * (`Instructions.ts`, docs/decisions/0033).
 */
import type { Movement } from "@coffer/rules/wallet/post"
import { Schema, SchemaTransformation } from "effect"
import type { ChangeSet } from "../platform/commit/Change.ts"
import { jsonText } from "../platform/runtime/codecs.ts"

/** A kind of command. Runners that serve one database agree on its name and its schema. */
export interface InstructionKind<in out A> {
  readonly name: string
  /** From a value to JSON and back. */
  readonly codec: Schema.Codec<A, unknown>
}

/** A command that this runner has carried out. It is encoded only when it goes to another runner. */
export interface Instruction {
  readonly name: string
  readonly encoded: () => unknown
}

export const instructionKind = <A>(name: string, schema: Schema.Codec<A, unknown>): InstructionKind<A> => ({
  name,
  codec: Schema.toCodecJson(schema) as unknown as Schema.Codec<A, unknown>
})

export const instruct = <A>({ codec, name }: InstructionKind<A>, value: NoInfer<A>): Instruction => ({
  name,
  encoded: () => Schema.encodeSync(codec)(value)
})

export interface Entry {
  readonly movements: ReadonlyArray<Movement>
  /** How much more is promised from now on; below zero, how much less. */
  readonly reserve: number
  /** Written in the same transaction. A version in them makes the entry idempotent. */
  readonly changes: ChangeSet
  /** The commands that all of it was made for. */
  readonly instructions: ReadonlyArray<Instruction>
}

export const noEntry: Entry = { movements: [], reserve: 0, changes: [], instructions: [] }

/** An entry as another runner has sent it. `Instructions` reads it. */
export interface Unread {
  readonly unread: string
}

export const isUnread = (entry: Entry | Unread): entry is Unread => "unread" in entry

/** In a message: the commands, as JSON. */
export const EntryMessage = Schema.declare<Entry | Unread>((_): _ is Entry | Unread => _ !== undefined, {
  toCodecJson: () =>
    Schema.link<Entry | Unread>()(
      Schema.String,
      SchemaTransformation.transform<Entry | Unread, string>({
        decode: (unread) => ({ unread }),
        encode: (entry) => (isUnread(entry) ? entry.unread : textOf(entry))
      })
    )
})

const textOf = ({ changes, instructions }: Entry): string => {
  // The other runner would leave them out.
  if (instructions.length === 0 && changes.length > 0) throw new TypeError("rows without the command that made them")
  return jsonText(instructions.map(({ encoded, name }) => ({ name, body: encoded() })))
}
