/**
 * A call to an actor from outside. The actor answers in time, or the caller has to retry. When a runner dies, its calls
 * are sent again, so every command may arrive twice (docs/architecture.md, section 3).
 */
import { Duration, Effect, Schema } from "effect"
import type { ClusterError } from "effect/cluster"

/** How long a caller waits for an actor, wherever it lives. */
export const actorPatience = Duration.seconds(5)

/** The actor did not answer in time, or its mailbox is full: 503 with `Retry-After`. */
export class ActorUnavailable extends Schema.TaggedError<ActorUnavailable>()("ActorUnavailable", {
  reason: Schema.String
}) {}

export type ClusterFailure =
  | ClusterError.MailboxFull
  | ClusterError.AlreadyProcessingMessage
  | ClusterError.PersistenceError
  | ClusterError.EntityNotAssignedToRunner

export const ask = <A, E, R>(
  call: Effect.Effect<A, E | ClusterFailure, R>
): Effect.Effect<A, E | ActorUnavailable, R> =>
  askAsActor(call).pipe(
    Effect.timeoutOrElse({
      duration: actorPatience,
      orElse: () => Effect.fail(new ActorUnavailable({ reason: "TimeoutError" }))
    })
  )

/** A call from one actor to another. The time limit of the call from outside covers both. */
export const askAsActor = <A, E, R>(
  call: Effect.Effect<A, E | ClusterFailure, R>
): Effect.Effect<A, E | ActorUnavailable, R> =>
  Effect.mapError(call, (error) => (isClusterFailure(error) ? new ActorUnavailable({ reason: error._tag }) : error))

const clusterFailures = new Set([
  "MailboxFull",
  "AlreadyProcessingMessage",
  "PersistenceError",
  "EntityNotAssignedToRunner"
])

const isClusterFailure = <E>(error: E | ClusterFailure): error is ClusterFailure =>
  typeof error === "object" && error !== null && "_tag" in error && clusterFailures.has(String(error._tag))
