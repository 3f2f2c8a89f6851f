/**
 * Every endpoint of the merchants' and of the operator's API, as the contract has them. The console's are in
 * `test/http/people/roles.long.test.ts`.
 */
import { Api } from "@coffer/contract/Api"
import { OperatorApi } from "@coffer/contract/Operator"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

export const endpoints: ReadonlyArray<HttpApiEndpoint.Top> = [Api, OperatorApi]
  .flatMap(({ groups }) => Object.values(groups) as unknown as ReadonlyArray<HttpApiGroup.Top>)
  .flatMap((group) => Object.values(group.endpoints) as unknown as ReadonlyArray<HttpApiEndpoint.Top>)
