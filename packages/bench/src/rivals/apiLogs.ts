/**
 * API logs as the service keeps them: redacted, in the background, many rows at once, in a transaction that does not
 * wait for the disk. A rival that wrote a row per request would be much slower; this is the generous choice.
 */
import { redact } from "@coffer/rules/redaction"
import type { Pool } from "pg"

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

const types = {
  request_id: "text",
  merchant_id: "text",
  mode: "text",
  method: "text",
  path: "text",
  status: "integer",
  error_code: "text",
  duration_ms: "integer",
  ip: "text",
  user_agent: "text",
  idempotency_key: "text",
  request_body: "jsonb",
  response_body: "jsonb",
  created_at: "timestamptz"
} as const
const columns = Object.keys(types) as ReadonlyArray<keyof typeof types>

const insertion = {
  name: "logs",
  text: `insert into api_logs (${columns.join(", ")})
    select * from unnest(${columns.map((column, index) => `$${index + 1}::${types[column]}[]`).join(", ")})`
}

const rowOf = (call: Call): Record<keyof typeof types, unknown> => {
  const response = JSON.parse(call.response_body)
  return {
    request_id: call.request_id,
    merchant_id: call.merchant_id,
    mode: call.mode,
    method: call.method,
    path: call.path,
    status: call.status,
    error_code: response.error ?? null,
    duration_ms: call.duration_ms,
    ip: call.ip,
    user_agent: call.user_agent,
    idempotency_key: call.idempotency_key,
    request_body: call.request_body == null ? null : JSON.stringify(redact(call.request_body)),
    response_body: JSON.stringify(redact(response)),
    created_at: new Date(call.at).toISOString()
  }
}

export const makeApiLogs = (pool: Pool) => {
  let waiting: Array<Call> = []
  let busy = false

  const write = async (calls: ReadonlyArray<Call>) => {
    const rows = calls.map(rowOf)
    const client = await pool.connect()
    try {
      await client.query("begin")
      await client.query("set local synchronous_commit to off")
      await client.query({ ...insertion, values: columns.map((column) => rows.map((row) => row[column])) })
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
    const next = new Date(Date.now() + (offset + 1) * 86_400_000).toISOString().slice(0, 10)
    await pool.query(`create table if not exists api_logs_${day.replaceAll("-", "")} partition of api_logs
      for values from ('${day}T00:00:00Z') to ('${next}T00:00:00Z')`)
  }
}
