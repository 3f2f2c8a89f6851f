/**
 * The sandbox's bank in a dispute, for the service: accepts evidence until the deadline, accepts a concession, and
 * answers the status.
 */
import { isoText } from "@coffer/model/isoText"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { ChannelUnreachable } from "../../shared/channel/payments.ts"
import type { DisputeDesk, DisputeName, StepAnswer } from "../../shared/channel/disputes.ts"
import { span } from "../../platform/runtime/span.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { oneRow, stepTaken, wordOf } from "./sandboxDisputeRows.ts"
import { sandboxReach, unreachableOnSqlError } from "./sandboxReach.ts"

/** The bank writes a conceded dispute off after this. */
const concessionTakes = "5 seconds"

type Step = Effect.fn.Return<StepAnswer, ChannelUnreachable>

export const makeSandboxDisputeDesk = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const reachOf = yield* sandboxReach
  const reach = (merchantId: string) => Effect.catchTags(reachOf(merchantId), unreachableOnSqlError)

  /** The row as of now: one that was conceded, or not answered in time, is lost once its time is up. */
  const current = ({ processorDisputeId }: DisputeName, now: DateTime.Utc) => {
    const at = sql`${isoText(now)}::text::timestamptz`
    return oneRow(sql`update sandbox_disputes set state = case
          when state = 'accepted' and lost_at <= ${at} then 'lost'
          when state = 'needs_response' and due_by < ${at} then 'lost'
          else state end
        where processor_dispute_id = ${processorDisputeId} returning *`)
  }

  const desk: DisputeDesk = {
    isTest: () => false,

    submit: span("SandboxDisputes.submit")(function* (dispute): Step {
      yield* reach(dispute.merchantId)
      const now = yield* currentTime
      yield* current(dispute, now)
      const submittedAt = sql`${isoText(now)}::text::timestamptz`
      const written = sql`update sandbox_disputes set
            submitted_at = case when state = 'needs_response' then ${submittedAt} else submitted_at end,
            state = case when state = 'needs_response' then 'under_review' else state end
          where processor_dispute_id = ${dispute.processorDisputeId} returning *`
      return yield* stepTaken(written, (row) =>
        row.submitted_at === null
          ? { _tag: "Refused", word: wordOf(row) }
          : { _tag: "Taken", word: { status: "under_review", outcome: undefined } }
      )
    }),

    accept: span("SandboxDisputes.accept")(function* (dispute): Step {
      yield* reach(dispute.merchantId)
      const now = yield* currentTime
      yield* current(dispute, now)
      const lostAt = sql`${isoText(DateTime.addDuration(now, concessionTakes))}::text::timestamptz`
      const written = sql`update sandbox_disputes set
            lost_at = case when state = 'needs_response' then ${lostAt} else lost_at end,
            state = case when state = 'needs_response' then 'accepted' else state end
          where processor_dispute_id = ${dispute.processorDisputeId} returning *`
      return yield* stepTaken(written, (row) =>
        row.lost_at === null
          ? { _tag: "Refused", word: wordOf(row) }
          : { _tag: "Taken", word: { status: "accepted", outcome: undefined } }
      )
    }),

    status: span("SandboxDisputes.status")(function* (dispute) {
      yield* reach(dispute.merchantId)
      return wordOf(yield* current(dispute, yield* currentTime))
    })
  }
  return desk
})
