/** The sandbox: its issuer, its clocks, and the seeds of new sandboxes. Its bank is a channel, with its buyers. */
import { Layer } from "effect"
import { jobs } from "../../platform/jobs/Opening.ts"
import * as ClockJobs from "./ClockJobs.ts"
import * as SandboxClocks from "./SandboxClocks.ts"
import * as SandboxClockStore from "./SandboxClockStore.ts"
import * as SandboxIssuer from "./SandboxIssuer.ts"
import * as SandboxJobs from "./SandboxJobs.ts"
import * as Seeds from "./Seeds.ts"
import * as SeedStore from "./SeedStore.ts"

export const layer = Layer.mergeAll(jobs(SandboxJobs.layer), jobs(ClockJobs.layer), Seeds.layerNewSandbox).pipe(
  Layer.provideMerge(Layer.mergeAll(Seeds.layer, SandboxIssuer.layer, SandboxClocks.layer)),
  Layer.provideMerge(Layer.mergeAll(SeedStore.layer, SandboxClockStore.layer))
)
