/** Calls to runners that fall silent, with other ends that answer on command. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, type Exit, Fiber, Layer } from "effect"
import { ClusterError, EntityAddress, EntityId, EntityType, RunnerAddress, Runners, ShardId } from "effect/cluster"
import * as Suspects from "@coffer/cluster/Suspects"
import { thisRunner } from "../kit/runners/thisRunner.ts"

type Sent = Parameters<Runners.Runners["Service"]["send"]>[0]

const object = EntityAddress.make({
  shardId: ShardId.make("default", 1),
  entityType: EntityType.make("Objects"),
  entityId: EntityId.make("1")
})

/** Other runners by port, each with what it does when it is asked anything. */
const cluster = Effect.fnUntraced(function* (answers: Map<number, Effect.Effect<void>>) {
  const answer = ({ port }: RunnerAddress.RunnerAddress) => Effect.suspend(() => answers.get(port)!)
  const there = { ping: answer, send: ({ address }: Sent) => answer(address) } as unknown as Runners.Runners["Service"]
  const layer = Suspects.layerRunners().pipe(
    Layer.provide(Layer.succeed(Runners.Runners, there)),
    Layer.provideMerge(Suspects.layer.pipe(Layer.provide(thisRunner())))
  )
  const { send } = Context.get(yield* Layer.build(layer), Runners.Runners)
  return Effect.fnUntraced(function* (port: number) {
    const told = yield* Deferred.make<void, unknown>()
    const respond = ({ exit }: { readonly exit: Exit.Exit<void, unknown> }) => Deferred.done(told, exit)
    const message = { _tag: "OutgoingRequest", envelope: { address: object, requestId: 1n }, respond }
    const sending = send({ address: RunnerAddress.make("10.0.0.9", port), message } as unknown as Sent)
    // The library ends a call that is answered.
    return yield* Effect.raceFirst(sending, Deferred.await(told))
  })
})

const assertRefused = Effect.fnUntraced(function* (call: Effect.Effect<void, unknown>) {
  assert.instanceOf(yield* Effect.flip(call), ClusterError.MailboxFull)
})

const [frozen, starting] = [1, 2]

describe("a runner that answers nothing any more", () => {
  it.live("is not waited for: the calls that are under way end when it is suspected, and others at once", () =>
    Effect.gen(function* () {
      const awake = yield* Deferred.make<void>()
      const answers = new Map([
        [frozen, Effect.void],
        [starting, Deferred.await(awake)]
      ])
      const call = yield* cluster(answers)
      yield* call(frozen)
      answers.set(frozen, Deferred.await(awake))

      // It may still be starting: it has never answered.
      const waiting = yield* Effect.forkChild(call(starting))
      const underWay = yield* Effect.replicateEffect(Effect.forkChild(call(frozen)), 3)
      for (const fiber of underWay) yield* assertRefused(Fiber.join(fiber))
      yield* assertRefused(call(frozen))
      assert.isUndefined(waiting.pollUnsafe())
      yield* Deferred.succeed(awake, undefined)
      yield* Fiber.join(waiting)
    })
  )
})
