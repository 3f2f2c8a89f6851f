/**
 * An entity whose actors start cheaply. The services that actors need are resolved once, when the layer is built, and
 * not by each actor. An actor's context contains none of them, because the start of an actor and every message copy the
 * context (docs/performance-notes.md).
 */
import { Effect, Layer, Schedule, type Scope } from "effect"
import { type Entity, Sharding } from "effect/cluster"
import type { Rpc } from "effect/rpc"
import { withoutServices } from "../runtime/withoutServices.ts"

/** `prepare` runs once. The effect that it returns runs for each actor that starts. */
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
      const startActor = yield* prepare
      const sharding = yield* Sharding.Sharding
      yield* Effect.updateContext(
        sharding.registerEntity(entity, startActor, { defectRetryPolicy: emptyPolicy, ...options }),
        withoutServices<Scope.Scope | Rpc.ServicesServer<Rpcs> | Rpc.Middleware<Rpcs>>
      )
    })
  )

/**
 * Retries actors that fail to start as the framework does by default. With an empty policy before it, the framework
 * builds its retry schedule only on failure. Without one it builds it for each start of an actor, a sixth of the work.
 */
const emptyPolicy = Schedule.recurs(0)

type ActorServices = Entity.CurrentAddress | Scope.Scope
