/** Sends every page for buyers: with the policies of its headers, and never from a cache. */
import { HttpServerResponse } from "effect/http"
import { type Language, tags } from "./language.ts"
import { styleSource } from "./style.ts"

/** `more`: further sources of the policy. `styles`: styles besides that of all pages. */
export const policy = (more: ReadonlyArray<string> = [], styles: ReadonlyArray<string> = []) =>
  [
    "default-src 'none'",
    `style-src ${[styleSource, ...styles].join(" ")}`,
    // The icon of the page, and the shop's logo.
    "img-src data: 'self'",
    ...more,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'"
  ].join("; ")

export const headers = {
  "content-security-policy": policy(),
  "x-content-type-options": "nosniff",
  // The address is the key to the page: no shop, cache or search engine may learn it.
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "x-robots-tag": "noindex"
}

/** For a page whose language follows from the request. */
export const headersIn = (language: Language) => ({ "content-language": tags[language], vary: "Accept-Language" })

export const respondWith = (markup: string, status = 200, more: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.text(markup, {
    status,
    headers: { ...headers, ...more },
    contentType: "text/html; charset=utf-8"
  })
