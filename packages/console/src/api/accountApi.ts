/** The merchant API in one account, in a module of its own: the first page needs nothing of its contract (0245). */
import { Api } from "@coffer/contract/Api"
import * as AtomHttpApi from "effect/reactivity/AtomHttpApi"
import { type Account, baseUrl, bySession, prepare, readable } from "./clients.ts"
import { useAccount } from "./session.ts"

interface OfAccount {
  readonly account: Account
}

const makeAccountApi = (prefix: string) =>
  AtomHttpApi.Service<OfAccount>()(prefix, {
    api: Api,
    httpClient: bySession,
    baseUrl,
    transformClient: prepare((url) => url.replace("/v1/", prefix)),
    transformResponse: readable
  })
export type AccountApi = ReturnType<typeof makeAccountApi>

const accountApis = new Map<string, AccountApi>()

/** The merchant API as a person of the merchant calls it in one environment. */
export const accountApi = ({ merchantId, mode }: Account): AccountApi => {
  const prefix = `/console/api/accounts/${merchantId}/${mode}/`
  const made = accountApis.get(prefix) ?? makeAccountApi(prefix)
  accountApis.set(prefix, made)
  return made
}

/** That of the account that the page is about. */
export const useApi = (): AccountApi => accountApi(useAccount())
