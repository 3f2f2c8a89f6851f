/** Reads the raw address bar: the router decodes it once, after which a `%` is ambiguous. */
import { useLocation } from "wouter"
import { usePathname, useSearch } from "wouter/use-browser-location"
import type { Query } from "../api/lists.ts"

/** Decodes a part of an address; invalid escapes stay. */
export const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const useSearchQuery = (): URLSearchParams => new URLSearchParams(useSearch())

/** The query in the address, and its setter. Setting a filter returns to the newest page. */
export const useQuery = (): [Query, (query: Query) => void] => {
  const [path, go] = useLocation()
  const query = Object.fromEntries(useSearchQuery())
  return [
    query,
    (next) => {
      const entries = Object.entries(next).filter(([, value]) => value !== "")
      go(entries.length === 0 ? path : `${path}?${new URLSearchParams(entries)}`)
    }
  ]
}

/** The object's number at the end of the address. */
export const useNumber = (): string =>
  decoded(
    usePathname()
      .split("/")
      .findLast((part) => part !== "") ?? ""
  )

/** Links from data may only lead to http and https. */
export const isWeb = (url: string): boolean => /^https?:\/\//.test(url)
