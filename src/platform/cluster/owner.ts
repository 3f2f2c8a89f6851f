/**
 * Sends a command to the runner that owns its object (docs/decisions/0022). Objects of one kind are spread over slots.
 * A slot is an entity of the cluster, so one runner owns it with all its objects. A command that arrives at that runner
 * is carried out in the caller's own fiber, without a message. Any other runner calls the owner directly
 * (docs/decisions/0022), or sends a message to the slot if it cannot.
 */
import * as DirectCalls from "@coffer/cluster/DirectCalls"
import { countedAs } from "@coffer/cluster/shownAs"
import { Cause, Clock, Effect, Hash, Layer, Metric, Option, References, Schema, String as Text } from "effect"
import { ClusterSchema, Entity, EntityId, Sharding, ShardingConfig } from "effect/cluster"
import { Rpc, RpcClient } from "effect/rpc"
import { OwnerUnavailable, type ClusterFailure } from "./ask.ts"
import { localPayload } from "./localPayload.ts"
import { CurrentDeadline } from "../runtime/Deadline.ts"
import { HeldInOutage } from "../postgres/outage.ts"
import { clockHeader, MerchantClocks, headerOf } from "../runtime/MerchantClocks.ts"

/** As many as there are shards, so that each runner gets its part of every kind of object. */
const slots = Array.from({ length: 300 }, (_, slot) => EntityId.make(String(slot)))
/** The slot of an object. All runners compute the same slot for it. */
const slotOf = (key: string): number => Math.abs(Hash.string(key) % slots.length)

/** Messages that a slot has received and not yet answered. */
const mailboxCapacity = 8_192

/** The share between runners is the cost of another runner (docs/scaling.md). */
/** One for each series: a metric that several share rebuilds its key whenever another one was counted before. */
const commandsTotal = (attributes: { readonly kind: string; readonly owner: string }) =>
  Metric.counter("coffer_commands_asked_total", {
    description: "Commands for an object, by kind and by whether this runner owns it",
    incremental: true,
    attributes
  })

interface Definition<Message, Success, Failure, R, RX> {
  /** The entity's. Runners that serve one database agree on it. */
  readonly name: string
  readonly payload: Schema.Codec<Message, unknown>
  readonly success: Schema.Codec<Success, unknown>
  readonly failure: Schema.Codec<Failure, unknown>
  /** The slot of a command follows from this key: that of its object, or of what the object belongs to. */
  readonly keyOf: (message: Message) => string
  /** Carries a command out on the runner that owns the object. */
  readonly perform: Effect.Effect<Perform<Message, Success, Failure>, never, R>
  /** The first step for a message of another runner. A command of this runner is performed as it is. */
  readonly received?: Effect.Effect<
    (message: NoInfer<Message>) => Effect.Effect<NoInfer<Message>, NoInfer<Failure>>,
    never,
    RX
  >
}

type Perform<Message, Success, Failure> = (message: Message) => Effect.Effect<Success, Failure>

export const ownerOf = <Message, Success, Failure, R, RX = never>(
  definition: Definition<Message, Success, Failure, R, RX>
) => {
  const {
    failure: error,
    keyOf,
    name,
    perform,
    received = Effect.succeed(Effect.succeed<Message>),
    success
  } = definition
  const payload = localPayload(definition.payload)
  const messages = { name, payload: definition.payload, success, failure: error }
  const entity = Entity.make(name, [Rpc.make("Perform", { payload, success, error })])
  const performReceived = Effect.map(
    Effect.all([perform, received]),
    ([here, read]) =>
      (message: Message) =>
        Effect.flatMap(read(message), here)
  )

  return {
    /** The messages between runners (`messages.ts`). */
    messages,
    /** Carries a command out, wherever its owner is. The caller bounds the wait (`ask.ts`). */
    ask: Effect.gen(function* () {
      const sharding = yield* Sharding.Sharding
      const { simulateRemoteSerialization } = yield* ShardingConfig.ShardingConfig
      const performed = yield* performReceived
      const here = simulateRemoteSerialization
        ? (message: Message) => performed(asReceived(payload, message))
        : yield* perform
      // Where no spans are collected, none is made for a call.
      const client = yield* entity.annotate(ClusterSchema.ClientTracingEnabled, yield* References.TracerEnabled).client
      const clients = new Map<number, ReturnType<typeof client>>()
      const clientOf = (slot: number) => {
        let found = clients.get(slot)
        if (found === undefined) clients.set(slot, (found = client(slots[slot]!)))
        return found
      }
      const context = yield* Effect.context()
      const counter = (owner: string) => countedAs(commandsTotal({ kind: Text.pascalToSnake(name), owner }), context)
      const counted = { here: counter("here"), elsewhere: counter("elsewhere") }
      const isHere = hereIn(entity, sharding)
      const { caller, ownerOf: knownOwner } = yield* DirectCalls.DirectCalls
      const direct = caller(messages)

      return (message: Message): Effect.Effect<Success, Failure | ClusterFailure> =>
        Effect.suspend(() => {
          const slot = slotOf(keyOf(message))
          if (isHere(slot)) {
            counted.here()
            return here(message)
          }
          counted.elsewhere()
          const call = sendToOwner(() => clientOf(slot).Perform(message))
          return Effect.withFiber((fiber) => {
            fiber.getRef(CurrentDeadline).doneBy = knownOwner(name, String(slot))
            const clock = headerOf(fiber.getRef(Clock.Clock))
            // The sandbox's clock is sent with the command: the other runner may not know it yet.
            const sent = clock === undefined ? call : RpcClient.withHeaders(call, { [clockHeader]: clock })
            // A message carries the span of its caller.
            return fiber.getRef(References.TracerEnabled) ? sent : direct(String(slot), message, clock, sent)
          })
        })
    }),
    /** The slots of this runner, for the commands of other runners. A slot that has been activated stays active. */
    layer: Layer.unwrap(
      Effect.gen(function* () {
        const [performed, clocks] = [yield* performReceived, yield* MerchantClocks]
        const perform = (message: Message, clock: string | undefined) =>
          clocks.withinHeader(clock, heldInOutage(performed(message)))
        const isHere = hereIn(entity, yield* Sharding.Sharding)
        const direct = yield* DirectCalls.DirectCalls
        yield* direct.serve(messages, { isHere: (slot) => isHere(Number(slot)), perform, isWithoutOwner })
        return entity.toLayer(
          entity.of({ Perform: ({ headers, payload }) => perform(payload, headers[clockHeader]) }),
          { concurrency: "unbounded", mailboxCapacity, maxIdleTime: "Infinity", disableFatalDefects: true }
        )
      })
    )
  }
}

/** A request of another runner waits for it, as one of this runner would. */
const heldInOutage = Effect.provideService(HeldInOutage, true)

/** Whether this runner owns the slot now. */
const hereIn = (
  entity: Pick<Entity.Entity<string, never>, "getShardGroup">,
  sharding: Sharding.Sharding["Service"]
) => {
  const shards = slots.map((slot) => sharding.getShardId(slot, entity.getShardGroup(slot)))
  return (slot: number): boolean => slot in shards && sharding.hasShardId(shards[slot]!)
}

/**
 * A runner that stops or has lost its locks breaks off the commands of other runners. It replies with an interruption,
 * or that a nested command found no owner. The command is then sent again, to the next owner, so it may arrive twice.
 * The caller bounds the wait. A caller that is interrupted itself does not send again. Model: models/shards.pml.
 */
const sendToOwner = <A, E, R>(call: () => Effect.Effect<A, E, R>, triesLeft = 50): Effect.Effect<A, E, R> =>
  Effect.catchCauseIf(
    call(),
    (cause) => triesLeft > 0 && (Cause.hasInterruptsOnly(cause) || isWithoutOwner(errorOf(cause))),
    () => Effect.delay(sendToOwner(call, triesLeft - 1), "100 millis")
  )

const errorOf = (cause: Cause.Cause<unknown>) => Option.getOrUndefined(Cause.findErrorOption(cause))

/** A nested command found no owner. */
const isWithoutOwner = (error: unknown): boolean =>
  error instanceof OwnerUnavailable && error.reason === "EntityNotAssignedToRunner"

/** The message as another runner would receive it. The framework does the same to messages that stay in the process. */
const asReceived = <Message>(schema: Schema.Codec<Message, unknown>, message: Message): Message => {
  const wire = Schema.toCodecJson(schema)
  return Schema.decodeSync(wire)(Schema.encodeSync(wire)(message))
}
