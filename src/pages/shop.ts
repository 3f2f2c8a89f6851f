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
  zh: { help: "对付款有疑问？", page: "帮助页面" }
} as const satisfies Record<Language, object>

/** Every page stands one folder below the address of the service, wherever a proxy has put that. */
export const shopName = ({ logo, name }: Shop): Html =>
  html`<p class="shop">${logo === null ? undefined : html`<img src="../files/${logo}" alt="" />`}<bdi>${name}</bdi></p>`

/** Undefined when the merchant named no contact. */
export const helpOf = ({ supportEmail, supportUrl }: Shop, language: Language): Html | undefined => {
  const { help, page } = helpWords[language]
  const links = [
    ...(supportEmail === null
      ? []
      : [html`<a href="mailto:${mailAddress(supportEmail)}"><bdi>${supportEmail}</bdi></a>`]),
    ...(supportUrl === null || !isHttpUrl(supportUrl)
      ? []
      : [html`<a href="${supportUrl}" rel="noreferrer">${page}</a>`])
  ]
  return links.length === 0 ? undefined : html`<p class="help">${help} ${links}</p>`
}

/** `?` would begin headers of the mail. */
export const mailAddress = (address: string): string => address.split("@").map(encodeURIComponent).join("@")
