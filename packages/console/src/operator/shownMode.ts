/**
 * The environment that an operator looks at stays the same from page to page. The address names it where a page shows
 * one environment; a page that shows both keeps the last one for its links.
 */
import type { Mode } from "@coffer/model/Ids"
import { createContext, useCallback, useContext, useState } from "react"
import { useLocation } from "wouter"
import { useSearchQuery } from "../parts/address.ts"

/** Pages with the environment in their query: live, unless it says sandbox. */
const pagesOfOne = /^\/operator(\/held-up|\/payouts(\/[^/]+)?|\/deliveries\/[^/]+)?$/
const pagesOfMerchant = /^\/operator\/merchants\/[^/]+\/(sandbox|live)(\/|$)/

/** `path` without the console's base. Undefined for a page that shows both environments. */
export const modeAt = (path: string, query: URLSearchParams): Mode | undefined => {
  const own = pagesOfMerchant.exec(path)?.[1] as Mode | undefined
  return own ?? (pagesOfOne.test(path) ? (query.get("mode") === "sandbox" ? "sandbox" : "live") : undefined)
}

/** An address of the console that shows this environment, too, unless it names one. */
export const withMode = (to: string, mode: Mode): string => {
  const [page = "", hash] = to.split("#", 2)
  const [path = "", search] = page.split("?", 2)
  const query = new URLSearchParams(search)
  if (mode === "live" || query.has("mode") || !pagesOfOne.test(path.replace(/^\/console/, ""))) return to
  return `${path}?${new URLSearchParams([...query, ["mode", mode]])}${hash === undefined ? "" : `#${hash}`}`
}

const ModeContext = createContext<Mode>("live")

/** The environment that this page shows or, of a page that shows both, the last one. */
export const useMode = (): Mode => useContext(ModeContext)
export const ShownMode = ModeContext

export const useShownMode = () => {
  const [path] = useLocation()
  const named = modeAt(path, useSearchQuery())
  const [last, setLast] = useState<Mode>("live")
  if (named !== undefined && named !== last) setLast(named)
  const mode = named ?? last
  return { mode, carry: useCallback((to: string) => withMode(to, mode), [mode]) }
}
