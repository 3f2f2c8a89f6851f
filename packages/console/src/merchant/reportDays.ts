/** The days of a report's usual periods. Pure. */

export const presets = ["lastMonth", "thisMonth", "lastQuarter"] as const
export type Preset = (typeof presets)[number]

/** A day of the calendar; day 0 is the last one of the month before. */
const day = (year: number, month: number, date: number): string =>
  new Date(Date.UTC(year, month, date)).toISOString().slice(0, 10)

/** `today` as `2026-11-29`, by the account's clock in the merchant's zone. */
export const daysOf = (preset: Preset, today: string): { readonly from: string; readonly to: string } => {
  const [year, month] = today.split("-").map(Number) as [number, number, number]
  const quarter = Math.floor((month - 1) / 3) * 3
  switch (preset) {
    case "lastMonth":
      return { from: day(year, month - 2, 1), to: day(year, month - 1, 0) }
    case "thisMonth":
      return { from: day(year, month - 1, 1), to: today }
    case "lastQuarter":
      return { from: day(year, quarter - 3, 1), to: day(year, quarter, 0) }
  }
}

/** The days of a report in words: a whole month by its name. `tag`: of the reader's language. */
export const periodText = (from: string, to: string, tag: string): string => {
  const [start, end] = [Date.parse(from), Date.parse(to)]
  const isMonth = from.endsWith("-01") && from.slice(0, 7) === to.slice(0, 7) && isLastDay(to)
  const format = new Intl.DateTimeFormat(
    tag,
    isMonth
      ? { timeZone: "UTC", year: "numeric", month: "long" }
      : { timeZone: "UTC", year: "numeric", month: "short", day: "numeric" }
  )
  return isMonth ? format.format(start) : format.formatRange(start, end)
}

const isLastDay = (date: string): boolean => new Date(Date.parse(date) + 86_400_000).getUTCDate() === 1
