/** Handler of the console's `overview` group. */
import { Effect } from "effect"
import { consoleGroup } from "../../shared/http/granting.ts"
import { reply } from "../../shared/http/replies.ts"
import { span } from "../../platform/runtime/span.ts"
import { Overview } from "./Overview.ts"

export const layer = consoleGroup(
  "overview",
  Effect.fnUntraced(function* (handlers) {
    const overview = yield* Overview

    return handlers.handleAll({
      get: span("overview.get")(
        function* ({ params, query: { days, mode } }) {
          return yield* reply(yield* overview.of(params.merchant_id, mode, Number(days)))
        },
        Effect.catchTags({ MerchantNotFound: Effect.die })
      )
    })
  })
)
