/** Idempotency keys, for the wiring. */
import { Layer } from "effect"
import { jobs } from "../platform/jobs/Opening.ts"
import * as IdempotencyJobs from "./IdempotencyJobs.ts"
import * as IdempotencyKeys from "./IdempotencyKeys.ts"
import * as IdempotencyStore from "./IdempotencyStore.ts"

export const layer = Layer.merge(IdempotencyKeys.layer, jobs(IdempotencyJobs.layer)).pipe(
  Layer.provideMerge(IdempotencyStore.layer)
)
