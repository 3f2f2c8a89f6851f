/**
 * What stands around every page of checkout and payment links: the shop's name, the switch of the language, and the way
 * back to the shop.
 */
import type { Mode } from "@coffer/model/Ids"
import type { Order } from "@coffer/rules/order/Order"
import { html, type Html } from "../pages/html.ts"
import { type Language, languageOf, languages, tags } from "../pages/language.ts"
import type { Frame } from "../pages/layout.ts"
import { returnAddress } from "./returnAddress.ts"
import { script } from "./script.ts"
import { type Texts, texts } from "./texts.ts"

/** Where a page is seen, and in which language. */
export interface Seen {
  readonly language: Language
  /** Of the page, without a host and a query: the switch of the language leads there. */
  readonly address: string
  /** The merchant's name; undefined where no merchant is known. */
  readonly shop: string | undefined
}

/** What a request says of the language, beside what the order says. */
export interface Asking {
  readonly url: string
  readonly accepted: string | undefined
}

/** The buyer's choice on the page, kept from page to page; null when there was none. */
export const chosenIn = (url: string): string | null => {
  const query = url.indexOf("?")
  return query < 0 ? null : new URLSearchParams(url.slice(query)).get("lang")
}

/** An address of ours that keeps the buyer's choice of a language. */
export const withChoice = (address: string, url: string): string => {
  const chosen = languages.find((language) => language === chosenIn(url))
  return chosen === undefined ? address : `${address}?lang=${chosen}`
}

export const seenLanguage = ({ accepted, url }: Asking, locale: Language | null): Language =>
  languageOf({ accepted, chosen: chosenIn(url), locale })

export const wordsOf = ({ language }: Seen): Texts => texts[language]

/** `watched`: the page turns when its order changes. */
export const frameOf = (
  seen: Seen,
  of?: { readonly mode: Mode },
  { watched = false }: { readonly watched?: boolean } = {}
): Frame => ({
  language: seen.language,
  sandbox: of?.mode === "sandbox",
  top: html`${seen.shop === undefined ? undefined : html`<p class="shop"><bdi>${seen.shop}</bdi></p>`}
  ${languageSwitch(seen)} ${watched ? html`<span hidden data-watch="${seen.address}/events"></span>` : undefined}`,
  script
})

const languageSwitch = ({ address, language }: Seen) => {
  const other: Language = language === "en" ? "zh" : "en"
  return html`<nav>
    <a class="switch" href="${address}?lang=${other}" hreflang="${tags[other]}" lang="${tags[other]}"
      >${texts[language].otherLanguage}</a
    >
  </nav>`
}

/** Undefined when the merchant named no address. */
export const returnButton = (
  order: Order,
  seen: Seen,
  look: "button" | "button quiet" | "return"
): Html | undefined => {
  const href = returnAddress(order)
  const { back, shop } = wordsOf(seen)
  return href === undefined
    ? undefined
    : html`<a class="${look}" href="${href}" rel="noreferrer">${back.link(seen.shop ?? shop)}</a>`
}
