/**
 * API logs as the service keeps them: redacted, in the background, many rows at once, in a transaction that does not
 * wait for the disk. A rival that wrote a row per request would be much slower; this is the generous choice.
 */
import type { Mode } from "@coffer/model/Ids"
import { redact } from "@coffer/rules/redaction"
import { DateTime, Effect } from "effect"
import type { Pool } from "pg"
import { insertion, paramsOf } from "../../../../src/shared/logs/logInsertion.ts"
import type { NewLogRow } from "../../../../src/shared/logs/LogStore.ts"

export interface Call {
  readonly request_id: string
  readonly merchant_id: string
  readonly mode: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly duration_ms: number
  readonly ip: string
  readonly user_agent: string | null
  readonly idempotency_key: string | null
  readonly request_body: unknown
  readonly response_body: string
  readonly at: number
}

const batchMax = 500
const waitingMax = 10_000
const pauseMillis = 100

const rowOf = (call: Call): NewLogRow => {
  const response = JSON.parse(call.response_body)
  const { at, ...cells } = call
  return {
    ...cells,
    mode: call.mode as Mode,
    error_code: response.error ?? null,
    request_body: call.request_body == null ? null : JSON.stringify(redact(call.request_body)),
    response_body: JSON.stringify(redact(response)),
    created_at: DateTime.makeUnsafe(at)
  }
}

export const makeApiLogs = (pool: Pool) => {
  let waiting: Array<Call> = []
  let busy = false

  const write = async (calls: ReadonlyArray<Call>) => {
    const values = await Effect.runPromise(paramsOf(calls.map(rowOf)))
    const client = await pool.connect()
    try {
      await client.query("begin")
      await client.query("set local synchronous_commit to off")
      await client.query({ name: "logs", text: insertion, values })
      await client.query("commit")
    } catch (cause) {
      await client.query("rollback").catch(() => undefined)
      throw cause
    } finally {
      client.release()
    }
  }

  const drain = async () => {
    busy = true
    while (waiting.length > 0) {
      const calls = waiting.slice(0, batchMax)
      waiting = waiting.slice(batchMax)
      await write(calls).catch((cause: unknown) => console.error("API logs were lost", cause))
      if (waiting.length < batchMax) await new Promise((resolve) => setTimeout(resolve, pauseMillis))
    }
    busy = false
  }

  return {
    append: (call: Call) => {
      if (waiting.length >= waitingMax) return
      waiting.push(call)
      if (!busy) void drain()
    }
  }
}

/** Makes the partitions that the service's own worker would have made. */
export const openLogDays = async (pool: Pool) => {
  for (const offset of [-1, 0, 1]) {
    const day = new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
    for (const table of ["api_logs", "api_log_bodies"]) {
      await pool.query("select open_log_day($1, $2::text::date)", [table, day])
    }
  }
}
