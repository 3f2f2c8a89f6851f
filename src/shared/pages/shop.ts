/** A shop's presentation on every page: its logo, name and colour, where buyers find help, and its terms. */
import { isHttpUrl } from "@coffer/rules/delivery/address"
import { type Html, html } from "./html.ts"
import type { Language } from "./language.ts"

export interface Shop {
  readonly name: string
  /** The name of its file. */
  readonly logo: string | null
  readonly supportEmail: string | null
  readonly supportUrl: string | null
  readonly termsUrl: string | null
  readonly privacyUrl: string | null
  /** On receipts. */
  readonly businessAddress: string | null
  readonly taxId: string | null
  /** `#rrggbb`, read on light pages; `lightenedFor` makes it one for dark pages (`rules/shop/accent`). */
  readonly accentColor: string | null
  /** The time zone of the page if no script provides the buyer's own. */
  readonly timeZone: string
}

export const helpWords = {
  en: { help: "Questions about your payment?", page: "Help page", terms: "Terms", privacy: "Privacy" },
  zh: { help: "对付款有疑问？", page: "帮助页面", terms: "服务条款", privacy: "隐私政策" },
  "zh-Hant": { help: "對付款有疑問？", page: "說明頁面", terms: "服務條款", privacy: "隱私權政策" }
} as const satisfies Record<Language, object>

/** Every page is one path segment below the address of the service, under any prefix of a proxy. */
export const shopName = ({ logo, name }: Shop): Html =>
  html`<p class="shop">${logo === null ? undefined : html`<img src="../files/${logo}" alt="" />`}<bdi>${name}</bdi></p>`

/** Undefined if the merchant has no contact. `look`: the inline style of a link, in a mail. */
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

/** The shop's terms and privacy policy. Undefined if the merchant has neither. */
export const legalOf = ({ privacyUrl, termsUrl }: Shop, language: Language): Html | undefined => {
  const { privacy, terms } = helpWords[language]
  const links = [
    [termsUrl, terms],
    [privacyUrl, privacy]
  ] as const
  const shown = links.flatMap(([href, words]) =>
    href === null || !isHttpUrl(href) ? [] : [html`<a href="${href}" rel="noreferrer">${words}</a> `]
  )
  return shown.length === 0 ? undefined : html`${shown}`
}

/** `?` would begin headers of the mail. */
const mailAddress = (address: string): string => address.split("@").map(encodeURIComponent).join("@")
