/**
 * Sends an entry from one runner to another: the exception, since the owner of a wallet owns its orders
 * (docs/decisions/0022). No row travels. A message holds the commands for which the rows were made. The runner that
 * receives it reads the object, decides again by the same rules, and makes the rows itself: each room defines the rows
 * of its own commands. Any other message is refused, logged and counted (docs/decisions/0027).
 */
import type { OrderCommand } from "@coffer/rules/order/Order"
import type { Movement } from "@coffer/rules/wallet/post"
import { Context, Effect, Equal, Exit, Layer, Metric, Option, Schema, SchemaTransformation } from "effect"
import { Answering } from "../../shared/idempotency/Answering.ts"
import { type Change, type CommitError, type Instruction, NotCommitted } from "../../platform/commit/Change.ts"
import { isDatabaseTrouble } from "../../platform/postgres/trouble.ts"
import { currentMillis } from "../../platform/runtime/clock.ts"
import { jsonText, parseJson } from "../../platform/runtime/codecs.ts"
import type { Entry } from "./Wallets.ts"

// Sending -------------------------------------------------------------------------

/** A kind of command. Runners that serve one database agree on its name and its schema. */
export interface InstructionKind<in out A> {
  readonly name: string
  /** From a value to JSON and back. */
  readonly codec: Schema.Codec<A, unknown>
}

export const instructionKind = <A>(name: string, schema: Schema.Codec<A, unknown>): InstructionKind<A> => ({
  name,
  codec: Schema.toCodecJson(schema) as unknown as Schema.Codec<A, unknown>
})

export const instruct = <A>({ codec, name }: InstructionKind<A>, value: NoInfer<A>): Instruction => ({
  name,
  encoded: () => Schema.encodeSync(codec)(value)
})

/**
 * The command that an object has performed, and on which version: the other runner decides on the same state, or finds
 * that the object was written since.
 */
export interface PerformedCommand<Id, Command> {
  readonly id: Id
  /** The version of the row that it was decided on. */
  readonly version: number
  readonly command: Command
  /** The request whose answer is stored with it. */
  readonly answer?: Answering | undefined
}

export const performedSchema = <Id, Command>(
  name: string,
  id: Schema.Codec<Id, unknown>,
  command: Schema.Codec<Command, unknown>
): InstructionKind<PerformedCommand<Id, Command>> =>
  instructionKind<PerformedCommand<Id, Command>>(
    name,
    Schema.Struct({ id, version: Schema.Int, command, answer: Schema.optional(Answering) })
  )

/** An entry as another runner has sent it. It has only its text: posting it before it is decoded would throw. */
const asSent = (unread: string) => ({ unread }) as unknown as Entry
const textIn = (entry: Entry): string | undefined => (entry as { readonly unread?: string }).unread

/** In a message: the commands, as JSON. */
export const EntryMessage = Schema.declare<Entry>((_): _ is Entry => _ !== undefined, {
  toCodecJson: () =>
    Schema.link<Entry>()(
      Schema.String,
      SchemaTransformation.transform<Entry, string>({
        decode: asSent,
        encode: (entry) => textIn(entry) ?? textOf(entry)
      })
    )
})

const textOf = ({ changes, instructions }: Entry): string => {
  // The other runner would not write them.
  if (instructions.length === 0 && changes.length > 0) throw new TypeError("rows without the command that made them")
  return jsonText(instructions.map(({ encoded, name }) => ({ name, body: encoded() })))
}

// Receiving -----------------------------------------------------------------------

/** The consequences of one command. */
export interface CarriedOut extends Omit<Entry, "instructions"> {
  /** The command itself, where an object has performed it. */
  readonly performed?: unknown
  /** The order's command that follows. The message has to contain that command, too. */
  readonly order?: OrderCommand | undefined
}

export class Instructions extends Context.Service<
  Instructions,
  {
    /** Defines once, when the room is built, which rows follow from a command. */
    readonly define: <A>(
      kind: InstructionKind<A>,
      carryOut: (value: A) => Effect.Effect<CarriedOut, CommitError>
    ) => Effect.Effect<void>
    /** The entry that another runner has described. `taken`: the command of the order that takes it. */
    readonly read: (received: Entry, taken?: OrderCommand) => Effect.Effect<Entry, CommitError>
  }
>()("@coffer/wallets/Instructions") {}

/** In one message: an order's, a refund's or a dispute's, and the claim's or the bank's. */
const instructionsMax = 4

const InstructionList = Schema.Array(Schema.Struct({ name: Schema.String, body: Schema.Unknown })).check(
  Schema.isMaxLength(instructionsMax)
)
/** A command with unknown fields was not written by a runner of this version. */
const strictly = { onExcessProperty: "error" } as const
const decodeInstructions = Schema.decodeUnknownOption(InstructionList, strictly)

export const layer = Layer.effect(
  Instructions,
  Effect.gen(function* () {
    const refuse = yield* makeRefuse
    const kinds = new Map<string, (body: unknown) => Effect.Effect<CarriedOut, CommitError>>()

    const read = Effect.fnUntraced(function* (received: Entry, taken?: OrderCommand) {
      const unread = textIn(received)
      if (unread === undefined) return received
      const instructions = Option.flatMap(parseJson(unread), decodeInstructions)
      if (Option.isNone(instructions)) return yield* refuse("it is no list of commands")
      const entry = { movements: new Array<Movement>(), reserve: 0, changes: new Array<Change>() }
      const performed: Array<unknown> = [taken]
      const orderCommands: Array<OrderCommand> = []
      for (const { body, name } of instructions.value) {
        const carryOut = kinds.get(name)
        if (carryOut === undefined) return yield* refuse("it has a command of no known name")
        const one = yield* carryOut(body)
        entry.movements.push(...one.movements)
        entry.reserve += one.reserve
        entry.changes.push(...one.changes)
        performed.push(one.performed)
        if (one.order !== undefined) orderCommands.push(one.order)
      }
      if (!orderCommands.every((command) => performed.some((other) => Equal.equals(command, other)))) {
        return yield* refuse("it has half of a command, without what follows from it for the order")
      }
      return { ...entry, instructions: instructions.value.map(({ body, name }) => ({ name, encoded: () => body })) }
    }, Effect.catchDefect(notRead))

    return Instructions.of({
      define: ({ codec, name }, carryOut) => {
        const decode = Schema.decodeUnknownExit(codec, strictly)
        return Effect.sync(() => {
          kinds.set(name, (body) => {
            const value = decode(body)
            return Exit.isSuccess(value)
              ? carryOut(value.value)
              : refuse(`its command ${name} is not what it should be`)
          })
        })
      },
      read
    })
  })
)

/** For the owner of an order or a wallet: reads the entry of a message before its command is performed. */
export const readEntry = Effect.map(
  Instructions,
  ({ read }) =>
    <Message extends { readonly entry?: Entry | undefined; readonly command?: OrderCommand }>(message: Message) => {
      const { command, entry } = message
      return entry === undefined
        ? Effect.succeed(message)
        : Effect.map(read(entry, command), (made): Message => ({ ...message, entry: made }))
    }
)

/** Nothing is written yet. A defect would lose its type between the runners. */
const notRead = (defect: unknown) =>
  isDatabaseTrouble(defect) ? Effect.fail(new NotCommitted({ reason: "overloaded" })) : Effect.die(defect)

const refusedMessages = Metric.counter("coffer_runner_messages_refused_total", {
  description: "Invalid messages from other runners",
  incremental: true
})

const logEvery = 60_000

/** All are counted, and one a minute is logged. Its content is not logged: it may be secret. */
const makeRefuse = Effect.gen(function* () {
  yield* Metric.update(refusedMessages, 0)
  let lastLogged = -Infinity
  return Effect.fnUntraced(function* (why: string) {
    yield* Metric.update(refusedMessages, 1)
    const now = yield* currentMillis
    if (now - lastLogged >= logEvery) {
      lastLogged = now
      yield* Effect.logWarning(`a message of another runner was refused: ${why}; more of this minute are only counted`)
    }
    return yield* new NotCommitted({ reason: "rejected" })
  })
})
