/** The operators' API, in a module of its own: only pages of operators load it. */
import { OperatorApi } from "@coffer/contract/Operator"
import * as AtomHttpApi from "effect/reactivity/AtomHttpApi"
import { baseUrl, bySession, prepare, readable } from "./clients.ts"

/** The operators' API as a person of the installation calls it. */
export class OperatorsApi extends AtomHttpApi.Service<OperatorsApi>()("operator", {
  api: OperatorApi,
  httpClient: bySession,
  baseUrl,
  transformClient: prepare((url) => url.replace("/operator/v1/", "/console/api/operator/")),
  transformResponse: readable
}) {}
