/**
 * An entity whose actors wake cheaply. What an actor needs of the house is taken once, when the layer is built, and not
 * by each actor; and an actor's context holds none of the house's services: waking copies its context, and so does
 * every message (docs/performance-notes.md).
 */
import { Effect, Layer, Schedule, type Scope } from "effect"
import { type Entity, Sharding } from "effect/cluster"
import type { Rpc } from "effect/rpc"
import { withoutServices } from "../runtime/withoutServices.ts"

/** `prepare` is run once; the effect that it gives, for each actor that wakes. */
export const entityLayer = <
  Type extends string,
  Rpcs extends Rpc.Any,
  Handlers extends Entity.HandlersFrom<Rpcs>,
  E,
  R
>(
  entity: Entity.Entity<Type, Rpcs>,
  prepare: Effect.Effect<Effect.Effect<Handlers, never, ActorServices>, E, R>,
  options: Parameters<Entity.Entity<Type, Rpcs>["toLayer"]>[1]
): Layer.Layer<
  never,
  E,
  Exclude<R, Scope.Scope> | Sharding.Sharding | Rpc.ServicesServer<Rpcs> | Rpc.Middleware<Rpcs>
> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const wake = yield* prepare
      const sharding = yield* Sharding.Sharding
      yield* Effect.updateContext(
        sharding.registerEntity(entity, wake, { defectRetryPolicy: noneOfOurOwn, ...options }),
        withoutServices<Scope.Scope | Rpc.ServicesServer<Rpcs> | Rpc.Middleware<Rpcs>>
      )
    })
  )

/**
 * How actors that cannot wake are tried again: as the framework does, which comes after this. What comes after another
 * policy is set up when it is needed; by itself it would be for each actor that wakes, a sixth of the steps of waking.
 */
const noneOfOurOwn = Schedule.recurs(0)

type ActorServices = Entity.CurrentAddress | Scope.Scope
