/** The address bar, read as it stands: the router decodes it once, after which `%` may be a sign or a code. */
import { usePathname, useSearch } from "wouter/use-browser-location"

/** A text of an address; what is no encoding stays as it is. */
export const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const useSearchQuery = (): URLSearchParams => new URLSearchParams(useSearch())

/** The number of an object's page, which its address ends with. */
export const useNumber = (): string =>
  decoded(
    usePathname()
      .split("/")
      .findLast((part) => part !== "") ?? ""
  )
