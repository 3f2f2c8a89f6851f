/** Operators, approvals by a second operator, and the audit log. */
import { Layer } from "effect"
import { jobs } from "../../platform/jobs/Opening.ts"
import * as AuditLog from "./AuditLog.ts"
import * as OperatorJobs from "./OperatorJobs.ts"
import * as Operators from "./Operators.ts"
import * as SecondOperator from "./SecondOperator.ts"

export const layer = Layer.provideMerge(
  jobs(OperatorJobs.layer),
  Layer.mergeAll(Operators.layer, AuditLog.layer, SecondOperator.layer)
)
