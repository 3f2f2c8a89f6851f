/** The writes of webhook endpoints, secrets and deliveries, as `writes.ts` has them of all others. */
import { Effect } from "effect"
import { type Post, sold, type Write, write } from "./write.ts"

const endpoint = (post: Post) =>
  Effect.map(post("/v1/webhook_endpoints", { url: "https://shop.example/" }), ({ id }) => id as string)

export const webhookWrites: ReadonlyArray<Write> = [
  ...write(
    "create endpoint",
    "keyed",
    "select 1 from webhook_settings where merchant_id = $1 and jsonb_array_length(endpoints) = 1",
    () => Effect.succeed({ path: "/v1/webhook_endpoints", body: { url: "https://shop.example/" } })
  ),
  ...write(
    "update endpoint",
    "both",
    `select 1 from webhook_settings where merchant_id = $1 and endpoints @> '[{"status": "disabled"}]'`,
    ({ post }) =>
      Effect.map(endpoint(post), (id) => ({ path: `/v1/webhook_endpoints/${id}`, body: { status: "disabled" } }))
  ),
  ...write(
    "rotate endpoint",
    "keyed",
    "select 1 from webhook_settings where merchant_id = $1 and jsonb_array_length(endpoints #> '{0,secrets,old}') = 1",
    ({ post }) => Effect.map(endpoint(post), (id) => ({ path: `/v1/webhook_endpoints/${id}/rotate_secret` }))
  ),
  ...write(
    "delete endpoint",
    "both",
    "select 1 from webhook_settings where merchant_id = $1 and mode = 'sandbox' and endpoints = '[]'",
    ({ post }) => Effect.map(endpoint(post), (id) => ({ path: `/v1/webhook_endpoints/${id}` })),
    { method: "DELETE" }
  ),
  ...write(
    "rotate the account's secret",
    "keyed",
    "select 1 from webhook_settings where merchant_id = $1 and jsonb_array_length(signing -> 'old') = 1",
    () => Effect.succeed({ path: "/v1/webhook_signing_secret/rotate" })
  ),
  ...write(
    "end an endpoint's old secrets",
    "both",
    `select 1 from webhook_settings where merchant_id = $1 and endpoints #>> '{0,secrets,rotatedAt}' is not null
      and endpoints #> '{0,secrets,old}' = '[]'`,
    Effect.fnUntraced(function* ({ post }) {
      const path = `/v1/webhook_endpoints/${yield* endpoint(post)}`
      yield* post(`${path}/rotate_secret`)
      return { path: `${path}/end_previous_secrets` }
    })
  ),
  ...write(
    "end the account's old secrets",
    "both",
    `select 1 from webhook_settings where merchant_id = $1 and signing ->> 'rotatedAt' is not null
      and signing -> 'old' = '[]'`,
    ({ post }) =>
      Effect.map(post("/v1/webhook_signing_secret/rotate"), () => ({ path: "/v1/webhook_signing_secret/end_previous" }))
  ),
  ...write(
    "resend delivery",
    "keyed",
    "select 1 from deliveries where merchant_id = $1 and resend_of is not null",
    Effect.fnUntraced(function* ({ api, merchant, post }) {
      yield* endpoint(post)
      yield* sold(post)
      const { body } = yield* api.get("/v1/webhook_deliveries", merchant.sandboxKey)
      return { path: `/v1/webhook_deliveries/${body.data.data[0].id}/resend` }
    })
  ),
  ...write(
    "resend delivery, by the operator",
    "plain",
    "select distinct resend_of from deliveries where merchant_id = $1 and resend_of is not null",
    Effect.fnUntraced(function* ({ api, merchant, post }) {
      yield* endpoint(post)
      yield* sold(post)
      const { body } = yield* api.get("/v1/webhook_deliveries", merchant.sandboxKey)
      return { path: `/operator/v1/webhook_deliveries/${body.data.data[0].id}/resend` }
    }),
    { by: "operator" }
  )
]
