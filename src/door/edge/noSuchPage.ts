/** A person who opens an address that does not exist gets a page; programs get the envelope of errors. Pure. */
import type { HttpServerResponse } from "effect/http"
import type { RequestRecord } from "../../shared/http/CurrentRequest.ts"
import { type Language, languageOf } from "../../shared/pages/language.ts"
import { html } from "../../shared/pages/html.ts"
import { marks, renderState, type Words } from "../../shared/pages/layout.ts"
import { headersIn, respondWith } from "../../shared/pages/respond.ts"

const words = {
  en: { heading: "Page not found", text: "Check the address, or open the link again from where you found it." },
  zh: { heading: "找不到该页面", text: "请检查网址，或从原来的位置重新打开链接。" },
  "zh-Hant": { heading: "找不到此頁面", text: "請檢查網址，或從原來的位置重新開啟連結。" }
} as const satisfies Record<Language, Words>

/** Pages of the console have a way back to it. */
const home = { en: "Open the console", zh: "打开控制台", "zh-Hant": "開啟控制台" } as const

type Unknown = Pick<RequestRecord, "method" | "path" | "sent">

/** A browser that opens a page says so. An address of an API is answered as the API answers. */
export const isForPerson = ({ method, path, sent }: Unknown): boolean =>
  method === "GET" && sent["accept"]?.includes("text/html") === true && !/\/v1(\/|$)/.test(path)

export const noSuchPage = ({ path, sent }: Unknown): HttpServerResponse.HttpServerResponse => {
  const language = languageOf({ accepted: sent["accept-language"], chosen: null, locale: null })
  const more = path.startsWith("/console") ? html`<p><a href="/console">${home[language]}</a></p>` : undefined
  const page = renderState(words[language], { language, mark: marks.calm, more, footer: "Coffer" })
  return respondWith(page, 404, { ...headersIn(language), vary: "Accept, Accept-Language" })
}
