/** Handlers of the `disputes` group (spec: Endpoints, Disputes). */
import { Api } from "@coffer/contract/Api"
import { Caller } from "@coffer/contract/Caller"
import { DisputeResource } from "@coffer/contract/Disputes"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { span } from "../../platform/runtime/span.ts"
import { replyCsv } from "../../shared/http/csv.ts"
import { commonRefusals, unavailable } from "../../shared/http/refusals.ts"
import { channelRefusals } from "../../shared/channel/channelRefusals.ts"
import { reply, replyList } from "../../shared/http/replies.ts"
import { ListWaits } from "../../shared/http/ListWaits.ts"
import { waitRefusals } from "../../shared/http/waitRefusals.ts"
import { disputeRefusals } from "./disputeRefusals.ts"
import { Disputes } from "./Disputes.ts"
import { replacedVersion } from "../../shared/http/replaced.ts"
import { disputeView, evidenceView } from "./DisputeView.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "disputes",
  Effect.fnUntraced(function* (handlers) {
    const disputes = yield* Disputes
    const pageOf = yield* (yield* ListWaits).on("disputes", disputes.page)
    const { InvalidField } = commonRefusals
    const { ChannelUnreachable } = channelRefusals
    const { DisputeConflict, DisputeNotFound } = disputeRefusals

    return handlers.handleAll({
      submitEvidence: span("disputes.submitEvidence")(
        function* ({ params, payload }) {
          const dispute = yield* disputes.respond(yield* Caller, params.ref, payload, yield* replacedVersion)
          return yield* reply(disputeView(dispute))
        },
        Effect.catchTags({ ChannelUnreachable, DisputeConflict, DisputeNotFound, InvalidField, ...unavailable })
      ),

      accept: span("disputes.accept")(
        function* ({ params }) {
          const dispute = yield* disputes.concede(yield* Caller, params.ref)
          return yield* reply(disputeView(dispute))
        },
        Effect.catchTags({ ChannelUnreachable, DisputeConflict, DisputeNotFound, ...unavailable })
      ),

      list: span("disputes.list")(function* ({ query }) {
        const account = yield* Caller
        if (query.format === "csv") {
          return yield* replyCsv("disputes", DisputeResource, yield* disputes.exported(account, query), disputeView)
        }
        const page = yield* pageOf(account, query)
        return yield* replyList("dispute", "/v1/disputes", page, disputeView)
      }, Effect.catchTags(waitRefusals)),

      get: span("disputes.get")(function* ({ params }) {
        const dispute = yield* disputes.find(yield* Caller, params.ref)
        return yield* reply(disputeView(dispute))
      }, Effect.catchTags({ DisputeNotFound })),

      getEvidence: span("disputes.getEvidence")(function* ({ params }) {
        const { dispute, kept } = yield* disputes.evidence(yield* Caller, params.ref)
        return yield* reply(evidenceView(dispute, kept))
      }, Effect.catchTags({ DisputeNotFound }))
    })
  })
)
