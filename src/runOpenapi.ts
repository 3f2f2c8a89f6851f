/** `coffer openapi`: prints the OpenAPI document of the merchant API. */
import { Api } from "@coffer/contract/Api"
import { Console, Effect, Formatter } from "effect"
import { OpenApi } from "effect/http-api"

export const runOpenapi = Effect.suspend(() => Console.log(Formatter.formatJson(OpenApi.fromApi(Api), { space: 2 })))
