/**
 * One call to an actor, from outside: it answers in time or the caller is told to come back. A call in flight on a
 * runner that dies is sent again, so every command must be one that may arrive twice (docs/architecture.md, section 3).
 */
import { Duration, Effect, Schema } from "effect"
import type { ClusterError } from "effect/cluster"

/** How long a caller waits for an actor, wherever it lives. */
export const actorPatience = Duration.seconds(5)

/** The actor did not answer in time, or too many wait for it: 503 with `Retry-After`. */
export class ActorUnavailable extends Schema.TaggedError<ActorUnavailable>()("ActorUnavailable", {
  reason: Schema.String
}) {}

type ClusterFailure =
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

/** The call of an actor to another: whoever asked the first has the patience for both. */
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
