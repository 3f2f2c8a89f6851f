/** A statement by days for people: days without movements are left out, and the period has a total. Pure. */
import type { StatementLine } from "@coffer/contract/ReportLines"

export interface WalletDays {
  readonly currency: string
  /** Of the whole period: the first balance, the sum of each type, the last balance. Empty for a single day. */
  readonly total: ReadonlyArray<StatementLine>
  /** Of days on which something moved. */
  readonly lines: ReadonlyArray<StatementLine>
  /** Days that are left out. */
  readonly quiet: number
}

export const walletDaysOf = (all: ReadonlyArray<StatementLine>): ReadonlyArray<WalletDays> =>
  [...Map.groupBy(all, ({ currency }) => currency)].map(([currency, lines]) => {
    const days = [...Map.groupBy(lines, ({ from }) => from).values()]
    const busy = days.filter((day) => day.some(isMovement))
    const isOneDay = days.length === 1
    return {
      currency,
      total: isOneDay ? [] : totalOf(lines),
      lines: isOneDay ? lines : busy.flat(),
      quiet: isOneDay ? 0 : days.length - busy.length
    }
  })

const isMovement = ({ line }: StatementLine) => line !== "opening" && line !== "closing"

const totalOf = (lines: ReadonlyArray<StatementLine>): ReadonlyArray<StatementLine> => {
  const [first, last] = [lines[0]!, lines.at(-1)!]
  const days = { from: first.from, to: last.to }
  const types = Map.groupBy(lines.filter(isMovement), ({ line }) => line)
  const sum = (of: ReadonlyArray<StatementLine>, field: "count" | "amount" | "available" | "frozen") =>
    of.reduce((all, line) => all + line[field], 0)
  return [
    { ...first, ...days },
    ...[...types.values()].map((of) => ({
      ...of[0]!,
      ...days,
      count: sum(of, "count"),
      amount: sum(of, "amount"),
      available: sum(of, "available"),
      frozen: sum(of, "frozen")
    })),
    { ...last, ...days }
  ]
}
