/** `coffer openapi`: prints the OpenAPI document of the merchant API, or with `--operator` that of the operator API. */
import { Api } from "@coffer/contract/Api"
import { compacted } from "@coffer/contract/compactDocument"
import { OperatorApi } from "@coffer/contract/Operator"
import { Console, Effect, Formatter } from "effect"
import { OpenApi } from "effect/http-api"

export const runOpenapi = ({ operator }: { readonly operator: boolean }) =>
  Effect.suspend(() => {
    const document = operator ? OpenApi.fromApi(OperatorApi) : OpenApi.fromApi(Api)
    return Console.log(Formatter.formatJson(compacted(document), { space: 2 }))
  })
