/** Webhook endpoints. The secret is only in the answer to the creation. */
import { Result } from "effect"
import { apiVersion } from "../facts/table.ts"
import { refuse } from "../wire/failure.ts"
import type { Operations } from "./Call.ts"
import { changedMetadata, find, newMetadata } from "./common.ts"
import { list } from "./list.ts"

const endpointsMax = 16

export const endpoints: Operations<
  | "GET /v1/webhook_endpoints"
  | "POST /v1/webhook_endpoints"
  | "GET /v1/webhook_endpoints/:id"
  | "POST /v1/webhook_endpoints/:id"
  | "DELETE /v1/webhook_endpoints/:id"
> = {
  "POST /v1/webhook_endpoints": {
    simulates: ["api_version", "connect", "description", "enabled_events", "expand", "metadata", "url"],
    run: ({ book, world }, params) =>
      Result.gen(function* () {
        if (!/^https?:\/\/\S+$/.test(params.url))
          return yield* refuse("Not a valid URL", { code: "url_invalid", param: "url" })
        if (book.count("webhook_endpoint") >= endpointsMax) {
          return yield* refuse(`You have reached the maximum of ${endpointsMax} webhook endpoints.`)
        }
        if (params.api_version !== undefined && params.api_version !== apiVersion) {
          return yield* refuse(`The simulator speaks ${apiVersion} only.`, { param: "api_version" })
        }
        const metadata = yield* newMetadata(params.metadata)
        const endpoint = book.put("webhook_endpoint", {
          id: world.newId("we"),
          object: "webhook_endpoint",
          api_version: params.api_version ?? null,
          application: null,
          created: world.seconds(),
          description: params.description || null,
          enabled_events: params.enabled_events,
          livemode: book.livemode,
          metadata,
          status: "enabled",
          url: params.url
        })
        const secret = world.newId("whsec", 32)
        book.put("x.secret", { id: endpoint.id, secret, connect: params.connect === true })
        return { ...endpoint, secret }
      })
  },
  "GET /v1/webhook_endpoints": {
    simulates: ["ending_before", "expand", "limit", "starting_after"],
    run: (call, params) => list(call, "webhook_endpoint", params)
  },
  "GET /v1/webhook_endpoints/:id": { simulates: ["expand"], run: (call) => find(call, "webhook_endpoint") },
  "POST /v1/webhook_endpoints/:id": {
    simulates: ["description", "disabled", "enabled_events", "expand", "metadata", "url"],
    run: (call, params) =>
      Result.gen(function* () {
        const endpoint = yield* find(call, "webhook_endpoint")
        const metadata = yield* changedMetadata(endpoint.metadata, params.metadata)
        return call.book.put("webhook_endpoint", {
          ...endpoint,
          metadata,
          description: params.description === undefined ? endpoint.description : params.description || null,
          enabled_events: params.enabled_events ?? endpoint.enabled_events,
          url: params.url ?? endpoint.url,
          status: params.disabled === undefined ? endpoint.status : params.disabled ? "disabled" : "enabled"
        })
      })
  },
  "DELETE /v1/webhook_endpoints/:id": {
    simulates: [],
    run: (call) =>
      Result.map(find(call, "webhook_endpoint"), ({ id }) => {
        call.book.drop("webhook_endpoint", id)
        call.book.drop("x.secret", id)
        return { id, object: "webhook_endpoint", deleted: true }
      })
  }
}
