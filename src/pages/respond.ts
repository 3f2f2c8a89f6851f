/** How every page for buyers is sent: the policies that its headers set, and never from a cache. */
import { HttpServerResponse } from "effect/http"
import { styleSource } from "./style.ts"

export const headers = {
  "content-security-policy": [
    "default-src 'none'",
    `style-src ${styleSource}`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'"
  ].join("; "),
  "x-content-type-options": "nosniff",
  // The address is the key to the page: no shop, cache or search engine may learn it.
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "x-robots-tag": "noindex"
}

export const respondWith = (markup: string, status = 200, more: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.text(markup, {
    status,
    headers: { ...headers, ...more },
    contentType: "text/html; charset=utf-8"
  })
