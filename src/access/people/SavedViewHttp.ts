/**
 * Handlers of the console's `saved_views` group. A view belongs to its person: others see it if it is shared, and then
 * an owner may remove it. All roles save views; a viewer cannot share them, since a viewer changes nothing that others
 * see.
 */
import { isoText } from "@coffer/model/isoText"
import { CurrentPerson } from "@coffer/contract/Caller"
import { savedViewsMax, type SavedViewResource } from "@coffer/contract/SavedViews"
import * as Wire from "@coffer/contract/Errors"
import { Effect, Option } from "effect"
import { consoleGroup } from "../../shared/http/granting.ts"
import { refuseWith, reply, replyList } from "../../shared/http/replies.ts"
import { storableText } from "../../platform/postgres/storable.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { span } from "../../platform/runtime/span.ts"
import { type SavedView, SavedViews } from "./SavedViews.ts"

const viewOf =
  (personId: string) =>
  (row: SavedView): SavedViewResource => ({
    object: "saved_view",
    view_id: row.view_id,
    merchant_id: row.belongs_to,
    page: row.page,
    name: row.name,
    query: row.query,
    is_shared: row.is_shared,
    is_own: row.person_id === personId,
    created_at: isoText(row.created_at),
    updated_at: isoText(row.updated_at)
  })

const noSuchView = refuseWith(
  (request_id) => new Wire.SavedViewNotFound({ message: "No such saved view.", request_id })
)
const tooMany = refuseWith(
  (request_id) =>
    new Wire.Conflict({
      message: `Limit reached: ${savedViewsMax.own} views per person, ${savedViewsMax.shared} shared per merchant.`,
      request_id
    })
)
const notShared = refuseWith(
  (request_id) => new Wire.Forbidden({ message: "The role viewer can't share views.", request_id })
)

export const layer = consoleGroup(
  "saved_views",
  Effect.fnUntraced(function* (handlers) {
    const views = yield* SavedViews

    const saverAt = (belongsTo: string) =>
      Effect.map(CurrentPerson, ({ personId, shown }) => ({
        saver: { belongsTo, personId },
        role: shown.person.roles.find(({ merchant_id }) => merchant_id === belongsTo)?.role,
        view: viewOf(personId)
      }))

    return handlers.handleAll({
      list: span("saved_views.list")(function* ({ params: { merchant_id } }) {
        const { saver, view } = yield* saverAt(merchant_id)
        const page = { data: yield* views.of(saver), hasMore: false }
        return yield* replyList("saved_view", `/console/api/merchants/${merchant_id}/views`, page, view)
      }),
      create: span("saved_views.create")(function* ({ params: { merchant_id }, payload }) {
        const { role, saver, view } = yield* saverAt(merchant_id)
        if (payload.is_shared === true && role === "viewer") return yield* notShared
        const saved = yield* views.insert(saver, { ...payload, name: storableText(payload.name) })
        return Option.isSome(saved) ? yield* reply(view(saved.value), 201) : yield* tooMany
      }),
      update: span("saved_views.update")(function* ({ params: { merchant_id, view_id }, payload }) {
        const { role, saver, view } = yield* saverAt(merchant_id)
        if (payload.is_shared === true && role === "viewer") return yield* notShared
        const { name, ...others } = payload
        const change = name === undefined ? others : { ...others, name: storableText(name) }
        const changed = yield* views.update(saver, storableText(view_id), change, yield* currentTime)
        if (changed === "missing") return yield* noSuchView
        return changed === "too_many" ? yield* tooMany : yield* reply(view(changed))
      }),
      remove: span("saved_views.remove")(function* ({ params: { merchant_id, view_id } }) {
        const { role, saver, view } = yield* saverAt(merchant_id)
        const removed = yield* views.remove(saver, storableText(view_id), { shared: role === "owner" })
        return Option.isSome(removed) ? yield* reply(view(removed.value)) : yield* noSuchView
      })
    })
  })
)
