/** The auditor of the books and its anchors, for the wiring. */
import { Layer } from "effect"
import { jobs } from "../../platform/jobs/Opening.ts"
import * as Anchors from "./Anchors.ts"
import * as AuditJobs from "./AuditJobs.ts"
import * as Auditor from "./Auditor.ts"
import * as AuditStore from "./AuditStore.ts"

export const layer = Layer.provideMerge(
  jobs(AuditJobs.layer),
  Layer.mergeAll(Anchors.layer, Auditor.layer, AuditStore.layer)
)
