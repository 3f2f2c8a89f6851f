/** The name of a report's file: its kind, days, currency and time zone, so that two months look different. Pure. */

export interface NamedReport {
  readonly report: string
  readonly format: string
  readonly from: string
  readonly to: string
  /** Null: all of them. */
  readonly currency: string | null
  readonly time_zone: string
}

/** `statement_2026-11-01_2026-11-30_USD_Europe-Berlin.csv`. */
export const reportFileName = ({ currency, format, from, report, time_zone, to }: NamedReport): string => {
  const parts = [report, from, ...(to === from ? [] : [to]), currency ?? "all", time_zone.replaceAll("/", "-")]
  return `${parts.join("_").replace(/[^\w.+-]/g, "-")}.${format}`
}
