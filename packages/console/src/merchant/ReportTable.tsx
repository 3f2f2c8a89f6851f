/** The table of a report that is answered immediately: a statement, fees, or frozen money. */
import type { FeeLine, FrozenLine, ReportLine, StatementLine } from "@coffer/contract/ReportLines"
import type { AnsweredReport } from "@coffer/contract/Reports"
import { Fragment } from "react"
import { Link } from "wouter"
import { useAccount } from "../api/session.ts"
import { Amount, Method, Time } from "../parts/values.tsx"
import { type Language, tags, useLanguage, useWords } from "../parts/words.ts"
import { pageOf } from "./find.ts"
import { movementText } from "./moneyWords.ts"
import { periodText } from "./reportDays.ts"
import { walletDaysOf } from "./statementDays.ts"

const texts = {
  en: {
    none: "No data for this period.",
    total: "Whole period",
    quiet: "Days without movements are not shown:",
    days: "Days",
    line: "Line",
    opening: "Opening balance",
    closing: "Closing balance",
    count: "Count",
    amount: "Amount",
    available: "Available",
    frozen: "On hold",
    source: "For",
    sources: { payment: "Payments", dispute: "Lost disputes", payout: "Payouts" },
    method: "Method",
    volume: "Volume",
    fee: "Fees",
    holder: "Reason",
    kinds: { dispute: "Dispute", payout: "Payout", refund: "Refund", total: "Total" },
    number: "Number",
    since: "Since",
    open: "The last day is not over yet, so its figures may still change."
  },
  zh: {
    none: "此时间段内没有数据。",
    total: "整个时间段",
    quiet: "无变动而未显示的天数：",
    days: "日期",
    line: "项目",
    opening: "期初余额",
    closing: "期末余额",
    count: "笔数",
    amount: "金额",
    available: "可用",
    frozen: "冻结",
    source: "来源",
    sources: { payment: "收款", dispute: "败诉争议", payout: "提现" },
    method: "支付方式",
    volume: "交易额",
    fee: "手续费",
    holder: "冻结原因",
    kinds: { dispute: "争议", payout: "提现", refund: "退款", total: "合计" },
    number: "编号",
    since: "起始时间",
    open: "最后一天尚未结束，数据可能仍会变化。"
  }
}
type Texts = typeof texts.en

interface Column<Line> {
  readonly name: string
  readonly isNumber?: boolean
  readonly isWide?: boolean
  readonly cell: (line: Line) => React.ReactNode
}

const money = <Field extends string>(
  name: string,
  field: Field
): Column<{ readonly currency: string } & Readonly<Record<Field, number>>> => ({
  name,
  isNumber: true,
  cell: (line) => <Amount minor={line[field]} currency={line.currency} />
})

/** In a statement an unchanged balance is left empty, so that the others stand out. */
const change = (name: string, field: "available" | "frozen"): Column<StatementLine> => ({
  name,
  isNumber: true,
  cell: (line: StatementLine) =>
    line.sequence === null && line[field] === 0 ? "" : <Amount minor={line[field]} currency={line.currency} />
})

/** A table of lines of one kind. */
const tableOf = <Line extends ReportLine>(
  object: Line["object"],
  columns: ReadonlyArray<Column<Line>>
): ReadonlyArray<Column<ReportLine>> =>
  columns.map(({ cell, ...column }) => ({
    ...column,
    cell: (line) => (line.object === object ? cell(line as Line) : null)
  }))

interface Parts {
  readonly object: string
  readonly words: Texts
  readonly language: Language
  readonly base: string
  readonly names: LineNames
  /** All lines are of the same days, which are said once. */
  readonly isOfOnePeriod: boolean
}

const columnsOf = ({
  base,
  isOfOnePeriod,
  language,
  names,
  object,
  words
}: Parts): ReadonlyArray<Column<ReportLine>> => {
  if (object === "fees_report") {
    return tableOf<FeeLine>("fee_line", [
      { name: words.source, cell: ({ source }) => words.sources[source] },
      { name: words.method, cell: ({ payment_method }) => <Method of={payment_method} /> },
      { name: words.count, isNumber: true, cell: ({ count }) => count.toLocaleString() },
      money(words.volume, "volume"),
      money(words.fee, "fee")
    ])
  }
  if (object === "frozen_report") {
    return tableOf<FrozenLine>("frozen_line", [
      { name: words.holder, cell: ({ kind }) => words.kinds[kind] },
      { name: words.number, cell: ({ number }) => numbered(number, base) },
      money(words.amount, "amount"),
      { name: words.since, cell: ({ since }) => <Time at={since} /> }
    ])
  }
  const named = ({ line }: StatementLine) =>
    names[line] ?? (line === "opening" || line === "closing" ? words[line] : movementText(line, language))
  return tableOf<StatementLine>("statement_line", [
    ...(isOfOnePeriod
      ? []
      : [
          {
            name: words.days,
            cell: ({ from, sequence, to }: StatementLine) =>
              sequence === null ? "" : periodText(from, to, tags[language])
          }
        ]),
    { name: words.line, cell: named },
    {
      name: words.count,
      isNumber: true,
      isWide: isOfOnePeriod,
      cell: ({ count, sequence }) => (sequence === null ? count : "")
    },
    change(words.available, "available"),
    change(words.frozen, "frozen")
  ])
}

const numbered = (number: string | null, base: string) => {
  const page = number === null ? undefined : pageOf(number)
  if (page === undefined) return "–"
  return (
    <Link href={`${base}${page}`}>
      <code>{number}</code>
    </Link>
  )
}

/** Names of a statement's lines, where the page knows more of them. */
type LineNames = Readonly<Partial<Record<StatementLine["line"], string>>>

interface Props {
  readonly report: AnsweredReport
  readonly title: string
  readonly names?: LineNames
}

export const ReportTable = ({ names = {}, report, title }: Props) => {
  const { complete, lines, object } = report
  const { base } = useAccount()
  const words = useWords(texts)
  const language = useLanguage()
  if (lines.length === 0) return <p className="soft">{words.none}</p>
  const [first] = lines
  const days = first !== undefined && "line" in first && lines.every((line) => isSamePeriod(line, first)) && first
  const columns = columnsOf({ object, words, language, base, names, isOfOnePeriod: days !== false })
  return (
    <>
      {days !== false && <p>{periodText(days.from, days.to, tags[language])}</p>}
      <div className="table report" tabIndex={0} role="region" aria-label={title}>
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.name} scope="col" className={classOf(column)}>
                  {column.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {object === "statement" ? (
              walletDaysOf(lines as ReadonlyArray<StatementLine>).map((days) => (
                <Fragment key={days.currency}>
                  {days.total.length > 0 && <Note text={words.total} columns={columns.length} />}
                  <Lines lines={days.total} columns={columns} />
                  {days.quiet > 0 && <Note text={`${words.quiet} ${days.quiet}`} columns={columns.length} />}
                  <Lines lines={days.lines} columns={columns} />
                </Fragment>
              ))
            ) : (
              <Lines lines={lines} columns={columns} />
            )}
          </tbody>
        </table>
      </div>
      {!complete && <p className="small soft">{words.open}</p>}
    </>
  )
}

const Lines = (props: {
  readonly lines: ReadonlyArray<ReportLine>
  readonly columns: ReadonlyArray<Column<ReportLine>>
}) =>
  props.lines.map((line, index) => (
    <tr key={index} className={isBalance(line) ? "balance" : ""}>
      {props.columns.map((column) => (
        <td key={column.name} className={classOf(column)}>
          {column.cell(line)}
        </td>
      ))}
    </tr>
  ))

const classOf = ({ isNumber = false, isWide = false }: Column<ReportLine>) =>
  `${isNumber ? "number" : ""} ${isWide ? "wide" : ""}`.trim()

const isSamePeriod = (line: ReportLine, { from, to }: StatementLine) =>
  "line" in line && line.from === from && line.to === to

const Note = ({ columns, text }: { readonly columns: number; readonly text: string }) => (
  <tr>
    <td colSpan={columns} className="soft small">
      {text}
    </td>
  </tr>
)

const isBalance = (line: object) =>
  ("line" in line && (line.line === "opening" || line.line === "closing")) || ("kind" in line && line.kind === "total")
