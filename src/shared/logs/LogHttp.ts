/** Handlers of the `logs` group (spec: Endpoints, Events and logs). */
import { Api } from "@coffer/contract/Api"
import { Caller } from "@coffer/contract/Caller"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import { CurrentRecord } from "../http/CurrentRequest.ts"
import { ListWaits } from "../http/ListWaits.ts"
import { waitRefusals } from "../http/waitRefusals.ts"
import { replyList } from "../http/replies.ts"
import { Logs } from "./Logs.ts"
import { logView } from "./LogView.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "logs",
  Effect.fnUntraced(function* (handlers) {
    const logs = yield* Logs
    const { apiLogDays } = (yield* Settings).keep
    const pageOf = yield* (yield* ListWaits).on("api_logs", logs.page)

    return handlers.handleAll({
      list: span("logs.list")(function* ({ query }) {
        const page = yield* pageOf(yield* Caller, query)
        // A client that polls the log would add a row to it with each poll.
        if (query.ending_before !== undefined) (yield* CurrentRecord).isUnlogged = true
        return yield* replyList("api_log", "/v1/logs", page, logView, { retention_days: apiLogDays })
      }, Effect.catchTags(waitRefusals))
    })
  })
)
