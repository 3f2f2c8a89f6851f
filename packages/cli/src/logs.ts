/** `coffer logs`: your own API calls, as the service has kept them. */
import { apiLogs } from "@coffer/resources/calls"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { ApiLog } from "../../sdk/src/index.ts"
import { failed } from "./CliFailure.ts"
import { connect } from "./client.ts"
import { columnsOf } from "./declared.ts"
import { oneOf, text } from "./flags.ts"
import { command, json } from "./frame.ts"
import { indentedJson } from "./json.ts"
import { withoutNone } from "./withoutNone.ts"
import { paint, printObject } from "./output.ts"
import { plain } from "./plain.ts"
import { listCommand, tailCommand, type Tailed } from "./resource.ts"

const filters = {
  failed: Flag.Boolean("failed").pipe(Flag.withDefault(false), Flag.withDescription("Only failed calls (4xx and 5xx)")),
  status: text("status", "Only this status or class: 404, 4xx"),
  path: text("path", "Only this exact path: /v1/orders"),
  error: text("error", "Only calls with this error code: conflict"),
  source: oneOf("source", ["api", "console"], "Only calls with a key (api), or changes from the console (console)"),
  requestId: text("request-id", "Only this request")
}

const ownPath = "/v1/logs"

const logs: Tailed<ApiLog, typeof filters> = {
  called: "calls",
  idOf: ({ request_id }) => request_id,
  columns: columnsOf(apiLogs, { duration_ms: ({ duration_ms }) => `${duration_ms} ms` }),
  filters,
  list: ({ apiLogs }, cursors, flags) => queriesOf(flags).map((query) => apiLogs.list({ ...cursors, ...query })),
  followed: ({ apiLogs }, flags) =>
    queriesOf(flags).map((query) => (after, options) => apiLogs.follow({ after, ...query }, options)),
  isOwnEcho: ({ method, path, status }, { path: wanted }) =>
    method === "GET" && path === ownPath && status === 200 && Option.getOrUndefined(wanted) !== ownPath
}

/** A list takes one status or class. */
function queriesOf({ error, failed, path, requestId, source, status }: Command.Command.Config.Infer<typeof filters>) {
  const query = withoutNone({ path, error_code: error, request_id: requestId, source })
  const statuses = failed ? ["4xx", "5xx"] : Option.toArray(status)
  return statuses.length === 0 ? [query] : statuses.map((one) => ({ ...query, status: one }))
}

const get = command(
  "get",
  { does: "Print one call with its request and response bodies", example: "req_…" },
  { requestId: Argument.String("request-id") },
  ({ requestId }) =>
    Effect.gen(function* () {
      const { ask } = yield* connect()
      const { data } = yield* ask(({ apiLogs }) => apiLogs.list({ request_id: requestId, limit: 1 }).page())
      const [call] = data
      if (call === undefined) {
        const next = "coffer logs list shows your calls; new calls take a moment to appear"
        return yield* failed("log_not_found", `No call ${plain(requestId)} found.`, next)
      }
      if (yield* json) return yield* printObject(call)
      const { request_body, response_body, ...head } = call
      const style = yield* paint
      yield* printObject(head)
      // As they were sent: amounts are in minor units here.
      for (const [title, body] of [
        ["Request", request_body],
        ["Answer", response_body]
      ] as const) {
        yield* Console.log(`\n${style("bold", title)}\n${body === null ? "-" : indentedJson(body)}`)
      }
    })
)

export const logsCommand = Command.make("logs").pipe(
  Command.withDescription("Your API calls: get, list, tail"),
  Command.withSubcommands([get, listCommand(logs), tailCommand(logs)])
)
