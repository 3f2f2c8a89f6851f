/** What a merchant's people find in one environment by what they remember of it, while they type. */
import { Currency } from "@coffer/model/Money"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Decoding, PersonSession } from "./Caller.ts"
import { listed } from "./Envelope.ts"
import { InvalidRequest } from "./Errors.ts"
import { anyMode, kind, ofMerchant, orNull, text, withExample } from "./fields.ts"
import { foundKinds } from "./foundKinds.ts"
import { sampleIds } from "./sampleIds.ts"

/** The maximum of objects of each kind that a search finds. */
export const matchesMax = 8
/** The size of a page of one kind. */
export const matchesPage = 50
/** The kinds of which there may be many. */
export const pagedKinds = ["order", "payment_link"] as const
export type PagedKind = (typeof pagedKinds)[number]

export const MatchResource = withExample(
  Schema.Struct({
    object: kind("match"),
    kind: Schema.Literals(foundKinds).annotate({ description: "The kind of object." }),
    id: text("The object's own number: for an order, its `trade_no`."),
    number: orNull(Schema.String, "The merchant's own number, or the channel's of a dispute."),
    amount: orNull(Schema.Int, "Its amount in minor units."),
    currency: orNull(Currency, "The currency of the amount."),
    status: orNull(Schema.String, "Its status."),
    text: orNull(Schema.String, "The subject of an order or a link; the reason of a refund or a dispute."),
    email: orNull(Schema.String, "The address for the receipt of an order."),
    created_at: orNull(Schema.String, "When it was created.")
  }).annotate({
    identifier: "Match",
    description: "An object that a search has found, and what tells it from others."
  }),
  {
    object: "match",
    kind: "order",
    id: sampleIds.order,
    number: "cart-1",
    amount: 1999,
    currency: "USD",
    status: "paid",
    text: "Two books",
    email: "reader@example.com",
    created_at: "2026-11-21T09:00:00.000Z"
  }
)
export type MatchResource = typeof MatchResource.Encoded

export class MerchantSearchGroup extends HttpApiGroup.make("search")
  .add(
    HttpApiEndpoint.get("find", "/console/api/merchants/:merchant_id/search", {
      params: ofMerchant,
      query: {
        mode: anyMode,
        text: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)).annotate({
          description:
            "A number in any case; or parts that each narrow: an amount, four digits of a card, a part of an " +
            "address, words of a subject."
        }),
        kind: Schema.optionalKey(Schema.Literals(pagedKinds)).annotate({
          description: `A page of objects of this kind, at most ${matchesPage}.`
        }),
        starting_after: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^\w{1,100}$/))).annotate({
          description: "With `kind`: the `id` of the last object of the page before."
        })
      },
      success: listed(MatchResource),
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Find objects of the merchant",
        description:
          "By a complete number in any case (ours, the merchant's, the channel's, a receipt's or a request's), and " +
          "orders and payment links by parts that each narrow: an amount, the last four digits of a card, a part of " +
          "an address, the beginnings of words of a number or subject. Of each kind the newest, at most " +
          `${matchesMax}; \`has_more\` if there are more.`
      })
    )
  )
  .middleware(Decoding)
  .middleware(PersonSession)
  .annotate(OpenApi.Description, "Search in a merchant's objects.") {}
