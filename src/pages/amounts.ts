/** Amounts and times as people read them, in the page's language. */
import { twoDecimals } from "@coffer/model/Money"
import { DateTime } from "effect"
import { memoize } from "../platform/runtime/memoize.ts"
import { type Language, languages } from "./language.ts"

/** The regions in which `$` alone stands for none of our currencies: US$1.00, HK$1.00, CN¥1.00 and ¥1.00. */
const regions = { en: "en-GB", zh: "zh-CN", "zh-Hant": "zh-TW" } as const satisfies Record<Language, string>

const formatterOf = memoize(
  100,
  ({ currency, language }: { readonly currency: string; readonly language: Language }) => `${language} ${currency}`,
  ({ currency, language }) => new Intl.NumberFormat(regions[language], { style: "currency", currency })
)

/** `US$1,234.50`. Exact: the decimals are written out before they are grouped. */
export const money = (minor: number, currency: string, language: Language): string =>
  formatterOf({ currency, language }).format(twoDecimals(minor) as `${number}`)

const timesOf = memoize(
  languages.length,
  (language: Language) => language,
  (language) =>
    new Intl.DateTimeFormat(regions[language], {
      dateStyle: "medium",
      timeStyle: "short",
      hourCycle: "h23",
      timeZone: "UTC"
    })
)

/** `21 Nov 2026, 09:30 UTC`. A script may show it in the buyer's own time zone. */
export const time = (at: DateTime.Utc, language: Language): string =>
  `${timesOf(language).format(DateTime.toDateUtc(at))} UTC`
