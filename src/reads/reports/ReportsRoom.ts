/** Reports for bookkeeping: answered at once, or written as files. */
import { Layer } from "effect"
import { jobs } from "../../platform/jobs/Opening.ts"
import * as ReportJobs from "./ReportJobs.ts"
import * as Reports from "./Reports.ts"
import * as ReportSources from "./ReportSources.ts"
import * as ReportStore from "./ReportStore.ts"

export const layer = Layer.merge(Reports.layer, jobs(ReportJobs.layer)).pipe(
  Layer.provideMerge(Layer.merge(ReportStore.layer, ReportSources.layer))
)
