/** Handler of the operator's `held_up` group (docs/architecture.md, section 7). */
import { OperatorApi } from "@coffer/contract/Operator"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Channel } from "../../shared/channel/Channel.ts"
import { commonRefusals } from "../../shared/http/refusals.ts"
import { replyList } from "../../shared/http/replies.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { span } from "../../platform/runtime/span.ts"
import { NeedsAttention } from "./NeedsAttention.ts"
import { needsAttentionView } from "./NeedsAttentionView.ts"

const { InvalidField } = commonRefusals

export const layer = HttpApiBuilder.group(
  OperatorApi,
  "held_up",
  Effect.fnUntraced(function* (handlers) {
    const needsAttention = yield* NeedsAttention
    const { titleOf } = yield* Channel
    return handlers.handleAll({
      list: span("held_up.list")(function* ({ query }) {
        const page = yield* needsAttention.page(query)
        const counts = yield* needsAttention.counts(query)
        const view = needsAttentionView(yield* currentTime, titleOf)
        return yield* replyList("held_up", "/operator/v1/held_up", page, view, { counts })
      }, Effect.catchTags({ InvalidField }))
    })
  })
)
