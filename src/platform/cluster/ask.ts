/**
 * A command for the owner of an object, from outside the cluster. It is answered in time, or the caller has to retry.
 * When a runner dies, messages to it are sent again, so every command may arrive twice (docs/architecture.md, section
 * 3).
 */
import { Duration, Effect, Schema } from "effect"
import type { ClusterError } from "effect/cluster"
import { within } from "../runtime/Deadline.ts"

/** How long a caller waits for an owner on any runner; less if its request has less time left. */
export const ownerPatience = Duration.seconds(5)
const ownerMillis = Duration.toMillis(ownerPatience)

/** The owner did not answer in time, or too many wait for the object: 503 with `Retry-After`. */
export class OwnerUnavailable extends Schema.TaggedError<OwnerUnavailable>()("OwnerUnavailable", {
  reason: Schema.String
}) {}

export type ClusterFailure =
  | ClusterError.MailboxFull
  | ClusterError.AlreadyProcessingMessage
  | ClusterError.PersistenceError
  | ClusterError.EntityNotAssignedToRunner

export const ask = <A, E, R>(
  call: Effect.Effect<A, E | ClusterFailure, R>
): Effect.Effect<A, E | OwnerUnavailable, R> =>
  within(askAsOwner(call), ownerMillis, () => Effect.fail(new OwnerUnavailable({ reason: "TimeoutError" })))

/** A command that another command needs. The time limit of the one from outside covers both. */
export const askAsOwner = <A, E, R>(
  call: Effect.Effect<A, E | ClusterFailure, R>
): Effect.Effect<A, E | OwnerUnavailable, R> =>
  Effect.mapError(call, (error) => (isClusterFailure(error) ? new OwnerUnavailable({ reason: error._tag }) : error))

const clusterFailures = new Set([
  "MailboxFull",
  "AlreadyProcessingMessage",
  "PersistenceError",
  "EntityNotAssignedToRunner"
])

const isClusterFailure = <E>(error: E | ClusterFailure): error is ClusterFailure =>
  typeof error === "object" && error !== null && "_tag" in error && clusterFailures.has(String(error._tag))
