/** Reads the raw address bar: the router decodes it once, after which a `%` is ambiguous. */
import { usePathname, useSearch } from "wouter/use-browser-location"

/** Decodes a part of an address; invalid escapes stay. */
export const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const useSearchQuery = (): URLSearchParams => new URLSearchParams(useSearch())

/** The object's number at the end of the address. */
export const useNumber = (): string =>
  decoded(
    usePathname()
      .split("/")
      .findLast((part) => part !== "") ?? ""
  )

/** Links from data may only lead to http and https. */
export const isWeb = (url: string): boolean => /^https?:\/\//.test(url)
