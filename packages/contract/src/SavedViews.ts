/** Views that people of a merchant save in the console: a list with its filters, under a name. */
import { optional, withoutNulls } from "@coffer/model/optional"
import { OneLine } from "@coffer/model/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, PersonSession } from "./Caller.ts"
import { enveloped, listed } from "./Envelope.ts"
import { Conflict, InvalidRequest, SavedViewNotFound } from "./Errors.ts"
import { instant, kind, merchantId, ofMerchant, text, withExample } from "./fields.ts"
import { sampleIds } from "./sampleIds.ts"

const ofConsole = "/console/api/merchants/:merchant_id"

/** The maximum of a person's own views at one merchant, and of views that a merchant's people share. */
export const savedViewsMax = { own: 100, shared: 200 } as const

const viewName = OneLine(1, 100).annotate({ description: "What people call it." })
const viewQuery = Schema.String.check(
  Schema.isMaxLength(2_000),
  Schema.isPattern(/^[!-~]*$/, { expected: "the query of an address, percent-encoded" })
).annotate({ description: "Filters and columns, as the query of the page's address without its `?`." })
const isShared = Schema.Boolean.annotate({ description: "Whether all people of the merchant see it." })

export const SavedViewResource = withExample(
  Schema.Struct({
    object: kind("saved_view"),
    view_id: text("Number of the view."),
    merchant_id: merchantId,
    page: text("The page that it belongs to: `orders`."),
    name: text("What people call it."),
    query: text("The query of the page's address, without its `?`."),
    is_shared: isShared,
    is_own: Schema.Boolean.annotate({ description: "Whether it was created by the person who asks." }),
    created_at: instant("When it was first saved."),
    updated_at: instant("When it last changed.")
  }).annotate({ identifier: "SavedView", description: "A named list with its filters." }),
  {
    object: "saved_view",
    view_id: sampleIds.savedView,
    merchant_id: sampleIds.merchant,
    page: "orders",
    name: "Paid in euros",
    query: "status=paid&currency=USD",
    is_shared: false,
    is_own: true,
    created_at: "2026-11-21T09:00:00.000Z",
    updated_at: "2026-11-21T09:00:00.000Z"
  }
)
export type SavedViewResource = typeof SavedViewResource.Encoded

const CreateSavedView = withoutNulls(
  Schema.Struct({
    page: Schema.String.check(
      Schema.isMaxLength(40),
      Schema.isPattern(/^[a-z][a-z_]*$/, { expected: "the name of a page" })
    ).annotate({
      description: "The page that it belongs to: `orders`, `refunds`, `disputes` and so on."
    }),
    name: viewName,
    query: viewQuery,
    is_shared: optional(isShared, "Whether all people of the merchant see it. Default: `false`.")
  }).annotate({ examples: [{ page: "orders", name: "Paid in dollars", query: "status=paid&currency=USD" }] })
)
export type CreateSavedView = typeof CreateSavedView.Type

const UpdateSavedView = withoutNulls(
  Schema.Struct({
    name: optional(viewName, "What people call it."),
    query: optional(viewQuery, "Filters and columns."),
    is_shared: optional(isShared, "Whether all people of the merchant see it.")
  }).annotate({ examples: [{ is_shared: true }] })
)
export type UpdateSavedView = typeof UpdateSavedView.Type

const ofView = { ...ofMerchant, view_id: text("The view's number.") }

export class SavedViewsGroup extends HttpApiGroup.make("saved_views")
  .add(
    HttpApiEndpoint.get("list", `${ofConsole}/views`, {
      params: ofMerchant,
      success: listed(SavedViewResource)
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Saved views, newest first",
        description: `At most ${savedViewsMax.own} of the person's own, and ${savedViewsMax.shared} that are shared.`
      })
    ),
    HttpApiEndpoint.post("create", `${ofConsole}/views`, {
      params: ofMerchant,
      payload: CreateSavedView,
      success: enveloped(SavedViewResource).pipe(HttpApiSchema.status(201)),
      error: [Conflict, InvalidRequest]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Save a view",
        description: "409: the limit is reached. A viewer may save views but not share them: 403."
      })
    ),
    HttpApiEndpoint.post("update", `${ofConsole}/views/:view_id`, {
      params: ofView,
      payload: UpdateSavedView,
      success: enveloped(SavedViewResource),
      error: [Conflict, InvalidRequest, SavedViewNotFound]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Change a view of mine",
        description: "Omitted fields are unchanged. 404 for another person's view."
      })
    ),
    HttpApiEndpoint.post("remove", `${ofConsole}/views/:view_id/remove`, {
      params: ofView,
      success: enveloped(SavedViewResource),
      error: SavedViewNotFound
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Remove a view",
        description: "Your own; an owner may also delete views that others shared."
      })
    )
  )
  .middleware(Decoding)
  .middleware(PersonSession)
  .annotate(OpenApi.Description, "Named lists with their filters.") {}
