/** Handlers of the `erasures` group, for the merchant and for the operator (docs/architecture.md, section 7). */
import { isoText } from "@coffer/model/isoText"
import { Api } from "@coffer/contract/Api"
import { Caller, CurrentOperator } from "@coffer/contract/Caller"
import type { ErasureResource } from "@coffer/contract/Erasures"
import * as Wire from "@coffer/contract/Errors"
import { OperatorApi } from "@coffer/contract/Operator"
import { erasuresMax } from "@coffer/model/Limits"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentRecord, requesterOf } from "../../shared/http/CurrentRequest.ts"
import { commonRefusals, refuseAs } from "../../shared/http/refusals.ts"
import { reply, replyList } from "../../shared/http/replies.ts"
import { span } from "../../platform/runtime/span.ts"
import {
  type Counts,
  countNames,
  type ErasureNotFound,
  Erasures,
  type NoSuchOrder,
  type Shown,
  type TooManyErasures,
  walkedNames
} from "./Erasures.ts"

const refusals = {
  ...commonRefusals,
  ErasureNotFound: refuseAs(Wire.ErasureNotFound, ({ erasureNo }: ErasureNotFound) => ({
    message: `No erasure ${erasureNo}.`
  })),
  TooManyErasures: refuseAs(Wire.Conflict, (_: TooManyErasures) => ({
    message: `${erasuresMax} erasures are already running; wait until one is done.`
  })),
  NoSuchOrder: refuseAs(Wire.OrderNotFound, ({ ref }: NoSuchOrder) => ({ message: `No order ${ref}.` }))
}
const { ErasureNotFound: notFound, InvalidField, NoSuchOrder: noOrder, TooManyErasures: tooMany } = refusals

const erasureView = ({ counts, erasure, held, isCapped, of }: Shown): ErasureResource => ({
  object: "erasure",
  erasure_no: erasure?.erasure_no ?? null,
  status: erasure?.status ?? "dry_run",
  merchant_id: of.merchant_id,
  mode: of.mode as ErasureResource["mode"],
  trade_no: of.trade_no,
  email_hash: of.email_hash,
  orders_waiting: held,
  counts: {
    ...pickCounts(countNames, counts, 0),
    ...pickCounts(walkedNames, counts, erasure === undefined ? null : 0)
  },
  is_capped: isCapped,
  requested_by: erasure?.requested_by ?? null,
  requested_at: erasure === undefined ? null : isoText(erasure.requested_at),
  done_at: erasure?.done_at ? isoText(erasure.done_at) : null
})

const pickCounts = <Name extends keyof Counts, Absent>(names: ReadonlyArray<Name>, counts: Counts, absent: Absent) =>
  Object.fromEntries(names.map((name) => [name, counts[name] ?? absent])) as Record<Name, number | Absent>

const replyWith = (shown: Shown) => reply(erasureView(shown), shown.erasure === undefined ? 200 : 202)

export const layer = HttpApiBuilder.group(
  Api,
  "erasures",
  Effect.fnUntraced(function* (handlers) {
    const erasures = yield* Erasures
    return handlers.handleAll({
      create: span("erasures.create")(
        function* ({ payload }) {
          const account = yield* Caller
          const by = requesterOf(yield* CurrentRecord)
          return yield* replyWith(yield* erasures.create({ account, by, terms: payload }))
        },
        Effect.catchTags({ InvalidField, NoSuchOrder: noOrder, TooManyErasures: tooMany })
      ),

      list: span("erasures.list")(function* ({ query }) {
        return yield* replyList("erasure", "/v1/erasures", yield* erasures.page(query, yield* Caller), erasureView)
      }, Effect.catchTags({ InvalidField })),

      get: span("erasures.get")(
        function* ({ params }) {
          return yield* reply(erasureView(yield* erasures.find(params.erasure_no, yield* Caller)))
        },
        Effect.catchTags({ ErasureNotFound: notFound })
      )
    })
  })
)

export const layerOperator = HttpApiBuilder.group(
  OperatorApi,
  "erasures",
  Effect.fnUntraced(function* (handlers) {
    const erasures = yield* Erasures
    return handlers.handleAll({
      create: span("operator.erasures.create")(
        function* ({ payload }) {
          const { operatorId } = yield* CurrentOperator
          const shown = yield* erasures.create({ account: undefined, by: operatorId, terms: payload })
          const record = yield* CurrentRecord
          // The audit log has only the buyer's hash.
          record.change = { after: erasureView(shown) }
          return yield* replyWith(shown)
        },
        Effect.catchTags({ InvalidField, NoSuchOrder: noOrder, TooManyErasures: Effect.die })
      ),

      list: span("operator.erasures.list")(function* ({ query }) {
        return yield* replyList("erasure", "/operator/v1/erasures", yield* erasures.page(query), erasureView)
      }, Effect.catchTags({ InvalidField })),

      get: span("operator.erasures.get")(
        function* ({ params }) {
          return yield* reply(erasureView(yield* erasures.find(params.erasure_no)))
        },
        Effect.catchTags({ ErasureNotFound: notFound })
      )
    })
  })
)
