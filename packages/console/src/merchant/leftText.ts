/** The time until a deadline, in words. */
import { type Language, tags } from "../parts/words.ts"

/** The time that is left in the largest fitting unit: "in 6 days", "in 40 minutes". */
export const leftText = (due: string, now: number, language: Language): string | undefined => {
  const seconds = (Date.parse(due) - now) / 1_000
  if (seconds <= 0) return undefined
  const format = new Intl.RelativeTimeFormat(tags[language], { numeric: "always" })
  if (seconds >= 86_400) return format.format(Math.floor(seconds / 86_400), "day")
  if (seconds >= 3_600) return format.format(Math.floor(seconds / 3_600), "hour")
  return format.format(Math.max(1, Math.floor(seconds / 60)), "minute")
}
