/** The person who is signed in, the account that a page is about, and what the role of the person allows there. */
import type { PersonRole } from "@coffer/model/PersonRole"
import { covers, type Scope } from "@coffer/model/Scopes"
import { scopesOfRole } from "@coffer/rules/people/roleScopes"
import { createContext, useContext } from "react"
import { type Account, type AccountApi, accountApi, OwnApi } from "./clients.ts"
import { shown } from "./acts.ts"

export const sessionAtom = OwnApi.query("session", "retrieve", { reactivityKeys: shown, timeToLive: "1 hour" })

export interface InAccount extends Account {
  readonly role: PersonRole
  readonly api: AccountApi
  /** Where the account's pages are: `/mer_.../sandbox`. */
  readonly base: string
  /** Whether the role has this scope. Acts beyond it are not offered, and the service refuses them (0130). */
  readonly may: (scope: Scope) => boolean
}

export const inAccount = (account: Account, role: PersonRole): InAccount => ({
  ...account,
  role,
  api: accountApi(account),
  base: `/${account.merchantId}/${account.mode}`,
  may: (scope) => covers(scopesOfRole(role, account.mode), scope)
})

export const AccountContext = createContext<InAccount | undefined>(undefined)

export const useAccount = (): InAccount => useContext(AccountContext)!
