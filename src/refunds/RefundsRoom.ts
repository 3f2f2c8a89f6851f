/** Refunds, for the wiring. */
import { Layer } from "effect"
import { jobs } from "../platform/jobs/Opening.ts"
import * as RefundCommands from "./RefundCommands.ts"
import * as RefundJobs from "./RefundJobs.ts"
import * as Refunds from "./Refunds.ts"
import * as RefundStore from "./RefundStore.ts"

export const layer = jobs(RefundJobs.layer).pipe(
  Layer.provideMerge(Refunds.layer),
  Layer.provideMerge(RefundCommands.layer),
  Layer.provideMerge(RefundStore.layer)
)
