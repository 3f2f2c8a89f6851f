/** Amounts and times as people read them, in the page's language. */
import { twoDecimals } from "@coffer/model/Money"
import { DateTime } from "effect"
import { memoize } from "@coffer/model/memoize"
import type { Language } from "./language.ts"

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
  100,
  ({ language, zone }: { readonly language: Language; readonly zone: string }) => `${language} ${zone}`,
  ({ language, zone: timeZone }) => ({
    clock: new Intl.DateTimeFormat(regions[language], {
      dateStyle: "medium",
      timeStyle: "short",
      hourCycle: "h23",
      timeZone
    }),
    zone: new Intl.DateTimeFormat(regions[language], { timeZoneName: "short", timeZone })
  })
)

/** `21 Nov 2026, 17:30 GMT+8`, in the shop's time zone. A script may show it in the buyer's own. */
export const time = (at: DateTime.Utc, language: Language, zone = "UTC"): string => {
  const date = DateTime.toDateUtc(at)
  const formats = timesOf({ language, zone })
  const name = formats.zone.formatToParts(date).find(({ type }) => type === "timeZoneName")
  return `${formats.clock.format(date)} ${name?.value ?? zone}`
}
