/** API logs of a merchant, as tests ask for them. */
import { Context, Effect } from "effect"
import { zstdDecompressSync } from "node:zlib"
import { Logs } from "../../../src/shared/logs/Logs.ts"
import type { Call } from "../Api.ts"
import type { Running } from "../Service.ts"

// oxlint-disable-next-line no-explicit-any -- a test reads what it expects
export type Log = any

/** Waits until what was called before is stored. */
export const flushed = ({ context }: Pick<Running, "context">) => Context.get(context, Logs).flushed

/** All that is stored of calls, as text: rows, and bodies as they are in their blocks. */
export const storedLogs = Effect.fnUntraced(function* ({ sql }: Running) {
  const rows = yield* sql<{ row: string }>`select l::text as row from api_logs l`
  const blocks = yield* sql<{ bodies: Uint8Array }>`select bodies from api_log_bodies`
  return [...rows.map(({ row }) => row), ...blocks.map(({ bodies }) => zstdDecompressSync(bodies).toString())].join(
    "\n"
  )
})

/** A merchant whose logs are its own. */
export const loggedMerchant = Effect.fnUntraced(function* (running: Running) {
  const { api } = running
  const merchant = yield* api.newMerchant()
  const key = merchant.sandboxKey
  const list = Effect.fnUntraced(function* (query = "", by = key) {
    yield* flushed(running)
    return yield* api.get(`/v1/logs${query}`, by)
  })
  const logsOf = (query = "", by = key) => Effect.map(list(query, by), ({ body }) => body.data.data as Array<Log>)
  /** One call, and the log that was made of it. */
  const logged = Effect.fnUntraced(function* (method: string, path: string, call: Call = {}) {
    const reply = yield* api.call(method, path, { key, ...call })
    const [log] = yield* logsOf(`?request_id=${reply.headers.get("x-request-id")}`)
    return { reply, log: log as Log }
  })
  return { api, key, merchant, list, logsOf, logged }
})
