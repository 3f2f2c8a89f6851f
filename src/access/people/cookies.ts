/** The console's address for browsers, and its two cookies. Both are `HttpOnly` and `SameSite`. */
import { Option } from "effect"
import { Cookies, HttpServerResponse } from "effect/http"
import type { RequestRecord } from "../../shared/http/CurrentRequest.ts"
import type { Settings } from "../../platform/runtime/Settings.ts"

type Addresses = Pick<Settings["Service"], "adminUrl" | "publicUrl">
type At = Pick<RequestRecord, "isAtAdmin">

/** The address of the console, without a slash at the end, at the port by which a request came. */
export const makeConsoleUrl =
  ({ adminUrl = "", publicUrl }: Addresses) =>
  ({ isAtAdmin }: At): string =>
    isAtAdmin === true ? adminUrl : publicUrl

/** `browser`: binds a sign-in link to the requesting browser. `session`: the secret of a session. */
export type CookieName = "browser" | "session"

const options = { httpOnly: true, sameSite: "strict", path: "/" } as const
/** Days; a session's own end comes earlier. */
const browserDays = 365

/** `__Host-`: only over https, and no other host of the domain can set it. */
const nameOf = (name: CookieName, isSecure: boolean) => `${isSecure ? "__Host-" : ""}coffer_${name}`

/** The cookies at the port by which a request came. */
export const makeCookies = ({ adminUrl, publicUrl }: Addresses) => {
  const open = cookiesAt(publicUrl)
  const inner = cookiesAt(adminUrl ?? publicUrl)
  return ({ isAtAdmin }: At) => (isAtAdmin === true ? inner : open)
}

const cookiesAt = (url: string) => {
  const isSecure = url.startsWith("https:")
  return {
    read: (header: string | undefined, name: CookieName): Option.Option<string> =>
      Option.filter(Option.fromNullishOr(Cookies.parseHeader(header ?? "")[nameOf(name, isSecure)]), (value) =>
        /^[\w-]{43}$/.test(value)
      ),
    set: (response: HttpServerResponse.HttpServerResponse, name: CookieName, value: string) =>
      HttpServerResponse.setCookieUnsafe(response, nameOf(name, isSecure), value, {
        ...options,
        secure: isSecure,
        // A session's cookie ends with the browser's own session or with the row, whichever ends first.
        ...(name === "browser" ? { maxAge: `${browserDays} days` } : {})
      }),
    clear: (response: HttpServerResponse.HttpServerResponse, name: CookieName) =>
      HttpServerResponse.setCookieUnsafe(response, nameOf(name, isSecure), "", {
        ...options,
        secure: isSecure,
        maxAge: 0
      })
  }
}
