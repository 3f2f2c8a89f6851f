/** Removes what one operator asked for and no other repeated within a day; writes what the audit log has counted. */
import { DateTime, Effect, Layer, Option } from "effect"
import { Workers } from "../platform/jobs/Workers.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { AuditLog } from "./AuditLog.ts"
import { SecondOperator } from "./SecondOperator.ts"

/** Rows removed by one statement, so that none holds locks for long. */
const batchMax = 1_000
const every = "1 hour"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const second = yield* SecondOperator
    const log = yield* AuditLog
    yield* workers.supervise(() => ({
      name: "expired approvals",
      tidies: true,
      run: Effect.flatMap(currentTime, (now) => second.dropExpired(now, batchMax)),
      next: Effect.map(currentTime, (now) => Option.some(DateTime.addDuration(now, every)))
    }))
    yield* workers.supervise(() => ({
      name: "counted entries of the audit log",
      tidies: true,
      run: Effect.as(Effect.flatMap(currentTime, log.writeCounts), 0),
      next: Effect.map(currentTime, (now) => Option.some(DateTime.addDuration(now, every)))
    }))
  })
)
