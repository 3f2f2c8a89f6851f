/** Disputes, for the wiring. */
import { Layer } from "effect"
import { jobs, slots } from "../platform/jobs/Opening.ts"
import * as DisputeCommands from "./DisputeCommands.ts"
import * as DisputeEntity from "./DisputeEntity.ts"
import * as DisputeJobs from "./DisputeJobs.ts"
import * as Disputes from "./Disputes.ts"
import * as DisputeStore from "./DisputeStore.ts"

export const layer = Layer.mergeAll(jobs(DisputeJobs.layer), slots(DisputeEntity.layer)).pipe(
  Layer.provideMerge(Disputes.layer),
  Layer.provideMerge(DisputeCommands.layer),
  Layer.provideMerge(DisputeStore.layer)
)
