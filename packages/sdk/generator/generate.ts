/** Generates the files of `src/generated` from the contract. */
import { Api } from "@coffer/contract/Api"
import { OpenApi } from "effect/http-api"
import { type Json, operationsIn } from "./operations.ts"
import { resourcesOf } from "./resources.ts"
import { typesOf } from "./types.ts"

/** The published document of the merchant API. */
export const published = (): Json => OpenApi.fromApi(Api) as Json

/** By their names in that folder. */
export const generate = (): Readonly<Record<string, string>> => {
  const document = published()
  const operations = operationsIn(document)
  return {
    "types.ts": `${typesOf(document, operations)}\n`,
    "resources.ts": `${resourcesOf(document, operations)}\n`
  }
}
