/** Which endpoint an address names, for whoever has to know before the framework's router has decided. */
import { Api } from "@coffer/contract/Api"
import { OperatorApi } from "@coffer/contract/Operator"
import { FindMyWay } from "effect/http"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { routerConfig } from "./routing.ts"

/** Of both APIs. */
export const endpoints: ReadonlyArray<HttpApiEndpoint.Top> = [Api, OperatorApi].flatMap((api) =>
  (Object.values(api.groups) as ReadonlyArray<HttpApiGroup.Top>).flatMap((group) => Object.values(group.endpoints))
)

const router = FindMyWay.make<HttpApiEndpoint.Top>(routerConfig)
for (const endpoint of endpoints) router.on(endpoint.method, endpoint.path as FindMyWay.PathInput, endpoint)

export const endpointAt = (method: string, url: string): HttpApiEndpoint.Top | undefined =>
  router.find(method, url)?.handler

const methods = ["GET", "POST", "DELETE"]

/** For the `Allow` header. What answers GET answers HEAD. */
export const methodsAt = (url: string): ReadonlyArray<string> =>
  methods
    .filter((method) => router.find(method, url) !== undefined)
    .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))
