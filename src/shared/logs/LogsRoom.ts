/** The logs of API calls, for the wiring. */
import { Layer } from "effect"
import { jobs } from "../../platform/jobs/Opening.ts"
import * as LogJobs from "./LogJobs.ts"
import * as Logs from "./Logs.ts"
import * as LogStore from "./LogStore.ts"

export const layer = Layer.merge(Logs.layer, jobs(LogJobs.layer)).pipe(Layer.provideMerge(LogStore.layer))
