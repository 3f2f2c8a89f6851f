/** `coffer logs`: your own API calls, as the service has kept them. */
import { Option } from "effect"
import { Command, Flag } from "effect/cli"
import type { ApiLog } from "../../sdk/src/index.ts"
import { text } from "./flags.ts"
import { withoutNone } from "./withoutNone.ts"
import { time } from "./output.ts"
import { listCommand, type Resource, tailCommand } from "./resource.ts"

const filters = {
  failed: Flag.Boolean("failed").pipe(
    Flag.withDefault(false),
    Flag.withDescription("Only calls that were refused or failed (4xx and 5xx)")
  ),
  status: text("status", "Only this status, or a class: 404, 4xx"),
  path: text("path", "Only calls of exactly this path: /v1/orders"),
  error: text("error", "Only calls that were refused with this error: conflict"),
  requestId: text("request-id", "Only the call with this number")
}

const ownPath = "/v1/logs"

const logs: Resource<ApiLog, typeof filters> = {
  called: "calls",
  idOf: ({ request_id }) => request_id,
  columns: [
    { title: "REQUEST ID", of: ({ request_id }) => request_id },
    { title: "STATUS", of: ({ status }) => String(status), isStatus: true },
    { title: "METHOD", of: ({ method }) => method },
    { title: "PATH", of: ({ path }) => path },
    { title: "MS", of: ({ duration_ms }) => String(duration_ms) },
    { title: "ERROR", of: ({ error_code }) => error_code ?? "-" },
    { title: "WHEN", of: ({ created_at }) => time(created_at) }
  ],
  filters,
  list: (coffer, cursors, { error, failed, path, requestId, status }) => {
    const query = { ...cursors, ...withoutNone({ path, error_code: error, request_id: requestId }) }
    const statuses = failed ? ["4xx", "5xx"] : Option.toArray(status)
    return statuses.length === 0
      ? [coffer.apiLogs.list(query)]
      : statuses.map((one) => coffer.apiLogs.list({ ...query, status: one }))
  },
  isDropped: true,
  isOwnEcho: ({ method, path, status }, { path: wanted }) =>
    method === "GET" && path === ownPath && status === 200 && Option.getOrUndefined(wanted) !== ownPath
}

export const logsCommand = Command.make("logs").pipe(
  Command.withDescription("Your API calls: list, tail"),
  Command.withSubcommands([listCommand(logs), tailCommand(logs)])
)
