/** How a shop presents itself on every page: its logo and name, and where buyers find help. */
import { isHttpUrl } from "@coffer/rules/delivery/address"
import { type Html, html } from "./html.ts"
import type { Language } from "./language.ts"

export interface Shop {
  readonly name: string
  /** The name of its file. */
  readonly logo: string | null
  readonly supportEmail: string | null
  readonly supportUrl: string | null
}

export const helpWords = {
  en: { help: "Questions about your payment?", page: "Help page" },
  zh: { help: "对付款有疑问？", page: "帮助页面" },
  "zh-Hant": { help: "對付款有疑問？", page: "說明頁面" }
} as const satisfies Record<Language, object>

/** Every page stands one folder below the address of the service, wherever a proxy has put that. */
export const shopName = ({ logo, name }: Shop): Html =>
  html`<p class="shop">${logo === null ? undefined : html`<img src="../files/${logo}" alt="" />`}<bdi>${name}</bdi></p>`

/** Undefined when the merchant named no contact. `look`: the style of a link where no style sheet holds, in a mail. */
export const helpOf = ({ supportEmail, supportUrl }: Shop, language: Language, look?: string): Html | undefined => {
  const { help, page } = helpWords[language]
  const link = (href: string, words: string) =>
    html`<a href="${href}" rel="noreferrer" ${look && html`style="${look}"`}><bdi>${words}</bdi></a> `
  const links = [
    ...(supportEmail === null ? [] : [link(`mailto:${mailAddress(supportEmail)}`, supportEmail)]),
    ...(supportUrl === null || !isHttpUrl(supportUrl) ? [] : [link(supportUrl, page)])
  ]
  return links.length === 0 ? undefined : html`${help} ${links}`
}

/** `?` would begin headers of the mail. */
const mailAddress = (address: string): string => address.split("@").map(encodeURIComponent).join("@")
