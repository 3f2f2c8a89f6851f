/** The sandbox: its bank as a channel, its buyer and issuer, its clocks, and the seeds of new sandboxes. */
import { Layer } from "effect"
import { jobs } from "../platform/jobs/Opening.ts"
import * as ClockJobs from "./ClockJobs.ts"
import * as SandboxBank from "./SandboxBank.ts"
import * as SandboxBuyer from "./SandboxBuyer.ts"
import * as SandboxClocks from "./SandboxClocks.ts"
import * as SandboxClockStore from "./SandboxClockStore.ts"
import * as SandboxDisputeChannel from "./SandboxDisputeChannel.ts"
import * as SandboxDisputes from "./SandboxDisputes.ts"
import * as SandboxIssuer from "./SandboxIssuer.ts"
import * as SandboxJobs from "./SandboxJobs.ts"
import * as SandboxRefunds from "./SandboxRefunds.ts"
import * as Seeds from "./Seeds.ts"
import * as SeedStore from "./SeedStore.ts"

/** Beneath orders. */
export const channel = Layer.mergeAll(
  SandboxBank.layer,
  SandboxDisputes.layer,
  SandboxDisputeChannel.layer,
  SandboxRefunds.layer
)

export const layer = Layer.mergeAll(jobs(SandboxJobs.layer), jobs(ClockJobs.layer), Seeds.layerNewSandbox).pipe(
  Layer.provideMerge(Layer.mergeAll(Seeds.layer, SandboxIssuer.layer, SandboxClocks.layer)),
  Layer.provideMerge(SandboxBuyer.layer),
  Layer.provideMerge(Layer.mergeAll(SeedStore.layer, SandboxClockStore.layer))
)
