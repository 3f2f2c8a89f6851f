/** The days of a report's usual periods, by the calendar of the merchant's zone. Pure. */

export const presets = ["lastMonth", "thisMonth", "lastQuarter"] as const
export type Preset = (typeof presets)[number]

/** As `2026-11-29`. */
export const dayIn = (time: Date, zone: string): string =>
  // Sweden writes dates as ISO 8601 does.
  new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" }).format(time)

/** A day of the calendar; day 0 is the last one of the month before. */
const day = (year: number, month: number, date: number): string =>
  new Date(Date.UTC(year, month, date)).toISOString().slice(0, 10)

export const daysOf = (preset: Preset, now: Date, zone: string): { readonly from: string; readonly to: string } => {
  const today = dayIn(now, zone)
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
