/** Removes requests that no second operator repeated within a day; writes the counts of the audit log. */
import { Effect, Layer } from "effect"
import { hourly, Workers } from "../../platform/jobs/Workers.ts"
import { AuditLog } from "./AuditLog.ts"
import { SecondOperator } from "./SecondOperator.ts"

/** Rows removed by one statement, so that none holds locks for long. */
const batchMax = 1_000

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { supervise } = yield* Workers
    const second = yield* SecondOperator
    const log = yield* AuditLog
    yield* supervise(() => hourly("expired approvals", (now) => second.dropExpired(now, batchMax)))
    yield* supervise(() => hourly("counted entries of the audit log", (now) => Effect.as(log.writeCounts(now), 0)))
  })
)
