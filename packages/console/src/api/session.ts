/** The person who is signed in, the account that a page is about, and what the role of the person allows there. */
import type { PersonRole } from "@coffer/model/PersonRole"
import { covers, type Scope } from "@coffer/model/Scopes"
import { mayMoveMany, scopesOfRole } from "@coffer/rules/people/roleScopes"
import { createContext, useContext, useEffect, useRef } from "react"
import { readAgain, shown } from "./acts.ts"
import { type Account, askWhetherThere, OwnApi } from "./clients.ts"
import { awaySince } from "./connection.ts"
import { useAtom } from "./registry.ts"

export const sessionAtom = OwnApi.query("session", "get", { reactivityKeys: shown, timeToLive: "1 hour" })

/** The settings of a merchant. */
export const settingsAtom = (merchantId: string) =>
  OwnApi.query("settings", "get", { params: { merchant_id: merchantId }, reactivityKeys: shown })

export interface InAccount extends Account {
  readonly role: PersonRole
  /** Where the account's pages are: `/mer_.../sandbox`. */
  readonly base: string
  /** Whether the role has this scope. Other actions are not offered, and the service refuses them (0130). */
  readonly may: (scope: Scope) => boolean
  /** The same for a bulk action that moves money. */
  readonly mayMoveMany: boolean
}

export const inAccount = (account: Account, role: PersonRole): InAccount => ({
  ...account,
  role,
  base: `/${account.merchantId}/${account.mode}`,
  may: (scope) => covers(scopesOfRole(role, account.mode), scope),
  mayMoveMany: mayMoveMany(role, account.mode)
})

export const AccountContext = createContext<InAccount | undefined>(undefined)

export const useAccount = (): InAccount => useContext(AccountContext)!

/** Milliseconds between two checks while the service is away. */
const lookEvery = 3_000

/** Polls a service that is away, and reloads everything shown once it answers, or the browser is online again. */
export const useReturn = () => {
  useEffect(() => {
    const reload = () => void readAgain(OwnApi)
    addEventListener("online", reload)
    return () => removeEventListener("online", reload)
  }, [])
  const isAway = useAtom(awaySince) !== undefined
  const wasAway = useRef(false)
  useEffect(() => {
    if (!isAway) {
      if (wasAway.current) void readAgain(OwnApi)
      wasAway.current = false
      return
    }
    wasAway.current = true
    const timer = setInterval(() => void askWhetherThere(), lookEvery)
    return () => clearInterval(timer)
  }, [isAway])
}
