/** Handler of the console's `search` group. */
import { matchesMax } from "@coffer/contract/MerchantSearch"
import { MerchantId } from "@coffer/model/Ids"
import { isoTextOrNull } from "@coffer/model/isoText"
import { Effect } from "effect"
import { consoleGroup } from "../../shared/http/granting.ts"
import { replyList } from "../../shared/http/replies.ts"
import { span } from "../../platform/runtime/span.ts"
import { AccountSearch } from "./AccountSearch.ts"

export const layer = consoleGroup(
  "search",
  Effect.fnUntraced(function* (handlers) {
    const search = yield* AccountSearch

    return handlers.handleAll({
      find: span("search.find")(function* ({ params: { merchant_id: merchantId }, query: { mode, text } }) {
        const found = yield* search.find({ merchantId: MerchantId.make(merchantId), mode }, text)
        const shown = [...Map.groupBy(found, ({ kind }) => kind).values()].flatMap((same) => same.slice(0, matchesMax))
        const page = { data: shown, hasMore: shown.length < found.length }
        const url = `/console/api/merchants/${merchantId}/search`
        return yield* replyList("match", url, page, ({ created_at, ...one }) => ({
          object: "match",
          ...one,
          created_at: isoTextOrNull(created_at)
        }))
      })
    })
  })
)
