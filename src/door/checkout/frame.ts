/** The frame of every page for buyers: the shop, its help, the language switch, and the link back to the shop. */
import { isoText } from "@coffer/model/isoText"
import type { Mode } from "@coffer/model/Ids"
import type { PaymentMethod } from "@coffer/model/PaymentMethod"
import type { Order } from "@coffer/rules/order/Order"
import { type DateTime } from "effect"
import type { HttpServerRequest } from "effect/http"
import { time } from "../../shared/pages/amounts.ts"
import { html, type Html } from "../../shared/pages/html.ts"
import { type Language, languageOf, languages, tags } from "../../shared/pages/language.ts"
import type { Frame } from "../../shared/pages/layout.ts"
import { helpOf, legalOf, type Shop, shopName } from "../../shared/pages/shop.ts"
import { accentOf } from "../../shared/pages/style.ts"
import { returnAddress } from "./returnAddress.ts"
import { script } from "./script.ts"
import { type Texts, texts } from "./texts.ts"

/** The reader of a page, and the language. */
export interface PageContext {
  readonly language: Language
  /** The buyer's choice of language, if any: the page's links keep it. */
  readonly chosen: Language | undefined
  /** Undefined where no merchant is known. */
  readonly shop: Shop | undefined
  /** The methods that the merchant offers. */
  readonly offered: ReadonlyArray<PaymentMethod>
  /** The address of the order's receipt, once there is one. */
  readonly receipt?: string | undefined
  /** The id of the attempt of the page's forms; pages of payment links have none. */
  readonly attemptNo?: string
}

/** The language of a page, from its request and its order. */
export const languageFor = (
  { headers, url }: Pick<HttpServerRequest.HttpServerRequest, "headers" | "url">,
  locale: "en" | "zh" | null
): Pick<PageContext, "chosen" | "language"> => {
  const query = url.indexOf("?")
  const chosen = query < 0 ? null : new URLSearchParams(url.slice(query)).get("lang")
  return {
    chosen: languages.find((language) => language === chosen),
    language: languageOf({ accepted: headers["accept-language"], chosen, locale })
  }
}

/** The query of a page's address. As a relative address it reloads the page, under any prefix of a proxy. */
export const choiceOf = ({ chosen }: Pick<PageContext, "chosen">): string =>
  chosen === undefined ? "" : `?lang=${chosen}`

/** For a link that reloads the page. */
export const againOf = (context: PageContext): string => choiceOf(context) || "?"

export const wordsOf = ({ language }: PageContext): Texts => texts[language]

/** `watched`: the page reloads when its order changes. */
export const frameOf = (
  context: PageContext,
  of?: { readonly mode: Mode },
  { watched = false }: { readonly watched?: boolean } = {}
): Frame => ({
  language: context.language,
  sandbox: of?.mode === "sandbox",
  top: html`${context.shop && shopName(context.shop)} ${languageSwitch(context)}
  ${watched ? html`<span hidden data-watch></span>` : undefined}`,
  help: context.shop && helpOf(context.shop, context.language),
  legal: context.shop && legalOf(context.shop, context.language),
  accent: context.shop?.accentColor ? accentOf(context.shop.accentColor)?.style : undefined,
  script
})

const languageSwitch = ({ language }: PageContext) =>
  html`<nav class="languages">
    ${languages
      .filter((other) => other !== language)
      .map(
        (other) =>
          html`<a
            class="switch"
            href="?lang=${other}"
            hreflang="${tags[other]}"
            lang="${tags[other]}"
            aria-label="${texts[other].name.whole}"
            >${texts[other].name.short}</a
          >`
      )}
  </nav>`

/** For a sentence: the shop's name, or "the shop". */
export const shopIn = (context: PageContext): string => context.shop?.name ?? wordsOf(context).shop

/** In the shop's time zone, which it names; a script shows it in the buyer's own. `around`: the surrounding text. */
export const timeIn = (at: DateTime.Utc, { language, shop }: PageContext, around = "{when}"): Html =>
  html`<time datetime="${isoText(at)}" data-until="${around}"
    >${around.replace("{when}", time(at, language, shop?.timeZone))}</time
  >`

/** Undefined if the merchant gave no address. */
export const returnButton = (
  order: Order,
  context: PageContext,
  look: "button" | "button quiet" | "return"
): Html | undefined => {
  const href = returnAddress(order)
  const { back } = wordsOf(context)
  return href === undefined
    ? undefined
    : html`<a class="${look}" href="${href}" rel="noreferrer">${back.link(shopIn(context))}</a>`
}
