/** Receipts, for the wiring. */
import { Layer } from "effect"
import { jobs } from "../../platform/jobs/Opening.ts"
import * as ReceiptJobs from "./ReceiptJobs.ts"
import * as Receipts from "./Receipts.ts"
import * as ReceiptStore from "./ReceiptStore.ts"

export const layer = jobs(ReceiptJobs.layer).pipe(
  Layer.provideMerge(Receipts.layer),
  Layer.provideMerge(ReceiptStore.layer)
)
