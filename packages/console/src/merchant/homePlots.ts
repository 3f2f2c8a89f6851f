/** What the plots of the home page show: payments by day or by hour, beside those of an earlier period. */
import type { OverviewResource } from "@coffer/contract/ConsoleMerchant"
import { useNow } from "../parts/accountClock.ts"
import type { Bar } from "../parts/Plot.tsx"
import { amountText } from "../parts/values.tsx"
import { type Language, tags } from "../parts/words.ts"

type Figures = OverviewResource["currencies"][number]
interface Counted {
  readonly orders_paid: number
  readonly volume: number
}
interface Point {
  readonly name: string
  readonly day: string
  readonly now: Counted
  readonly earlier: (Counted & { readonly name: string }) | undefined
}

const none: Counted = { orders_paid: 0, volume: 0 }
const hourName = (hour: number) => `${String(hour).padStart(2, "0")}:00`

/** The hour in the merchant's zone, by the account's clock. */
export const useHourIn = (zone: string): number | undefined => {
  const now = useNow()
  if (now === undefined) return undefined
  return Number(new Intl.DateTimeFormat("en", { hour: "2-digit", hourCycle: "h23", timeZone: zone }).format(now))
}

/** A day without its year, in the reader's language: Nov 24. */
const dayName = (day: string, language: Language) =>
  new Intl.DateTimeFormat(tags[language], { month: "short", day: "numeric", timeZone: "UTC" }).format(new Date(day))

const hoursOf = ({ days, earlier, earlier_hours, hours }: Figures, weekAgo: string): ReadonlyArray<Point> => {
  const at = (all: Figures["hours"], hour: number) => all.find((each) => each.hour === hour) ?? none
  return Array.from({ length: 24 }, (_, hour) => ({
    name: hourName(hour),
    day: days.at(-1)?.day ?? "",
    now: at(hours, hour),
    earlier: earlier.length === 0 ? undefined : { ...at(earlier_hours, hour), name: weekAgo }
  }))
}

const daysOf = ({ days, earlier }: Figures, language: Language): ReadonlyArray<Point> =>
  days.map((each, index) => {
    // Days that are not counted yet are missing at the beginning.
    const before = earlier[earlier.length - days.length + index]
    return {
      name: dayName(each.day, language),
      day: each.day,
      now: each,
      earlier: before && { ...before, name: dayName(before.day, language) }
    }
  })

interface Words {
  readonly volume: string
  readonly paidOrders: string
  readonly payment: string
  readonly payments: string
  readonly weekBefore: string
  readonly until: string
}

export const plotsOf = (
  figures: Figures,
  period: string,
  at: { readonly language: Language; readonly words: Words; readonly to: (day: string) => string }
) => {
  const { language, to, words } = at
  const { currency } = figures
  const points = period === "1" ? hoursOf(figures, words.weekBefore) : daysOf(figures, language)
  const bars = (of: (counted: Counted) => number, text: (value: number) => string): ReadonlyArray<Bar> =>
    points.map(({ day, earlier, name, now }) => ({
      name,
      value: of(now),
      text: text(of(now)),
      earlier: earlier && { name: earlier.name, value: of(earlier), text: text(of(earlier)) },
      to: to(day)
    }))
  const short = new Intl.NumberFormat(tags[language], { style: "currency", currency, notation: "compact" })
  const count = new Intl.NumberFormat(tags[language], { notation: "compact" })
  return [
    {
      title: `${words.volume} (${currency})`,
      bars: bars(
        ({ volume }) => volume,
        (minor) => amountText(minor, currency, language)
      ),
      markOf: (minor: number) => short.format(minor / 100)
    },
    {
      title: words.paidOrders,
      bars: bars(
        ({ orders_paid }) => orders_paid,
        (paid) => `${paid.toLocaleString(tags[language])} ${paid === 1 ? words.payment : words.payments}`
      ),
      markOf: (paid: number) => count.format(paid)
    }
  ]
}

/** Today up to the last full hour against the same hours a week before: "+12 % by 14:00, a week ago $80.00". */
export const sinceWeek = (
  { earlier_hours, hours }: Figures,
  hour: number,
  money: (minor: number) => string,
  words: Words
): string => {
  const until = (all: Figures["hours"]) => all.reduce((sum, each) => sum + (each.hour < hour ? each.volume : 0), 0)
  const [now, before] = [until(hours), until(earlier_hours)]
  const change = before === 0 ? "" : `${now >= before ? "+" : "−"}${Math.round(Math.abs(100 * (now / before - 1)))} %, `
  return `${words.until} ${hourName(hour)}: ${money(now)}, ${change}${words.weekBefore} ${money(before)}`
}
