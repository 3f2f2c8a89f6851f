/** Handler of the console's `search` group. */
import { matchesMax, matchesPage } from "@coffer/contract/MerchantSearch"
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
      find: span("search.find")(function* ({ params: { merchant_id: merchantId }, query }) {
        const { kind, mode, starting_after: after = "", text } = query
        const account = { merchantId: MerchantId.make(merchantId), mode }
        const found = yield* kind === undefined
          ? search.find(account, text)
          : search.page(account, text, { kind, after })
        const max = kind === undefined ? matchesMax : matchesPage
        const shown = [...Map.groupBy(found, (each) => each.kind).values()].flatMap((same) => same.slice(0, max))
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
