/** Reports: short ones are shown here at once; long ones are created as files, with progress. */
import type { ReportResource } from "@coffer/contract/Reports"
import { reportFileName } from "@coffer/rules/reports/fileName"
import { useRef, useState } from "react"
import { useApi } from "../api/accountApi.ts"
import { type Outcome, shown } from "../api/acts.ts"
import { OwnApi, readBytes } from "../api/clients.ts"
import type { AccountApi } from "../api/accountApi.ts"
import { asQuery, type PlainQuery, withoutFile } from "../api/lists.ts"
import { patiently } from "../api/patience.ts"
import { lastOf, useAtom } from "../api/registry.ts"
import { sent } from "../api/sent.ts"
import { type InAccount, useAccount } from "../api/session.ts"
import { ChoiceField, TextField } from "../parts/act.tsx"
import { AsCode } from "../parts/AsCode.tsx"
import { columnsFor } from "../parts/columns.tsx"
import { downloadBlob } from "../parts/ExportRows.tsx"
import { type Column, ListPage } from "../parts/ListPage.tsx"
import { Requester } from "../parts/Requester.tsx"
import { Empty, Loaded, Waiting } from "../parts/states.tsx"
import { State, Time, timeText } from "../parts/values.tsx"
import { type Language, tags, useLanguage, useWords } from "../parts/words.ts"
import { currencies } from "./moneyWords.ts"
import { daysOf, periodText, type Preset, presets } from "./reportDays.ts"
import { ReportTable } from "./ReportTable.tsx"
import { callOf, MerchantAct } from "./MerchantAct.tsx"

const texts = {
  en: {
    title: "Reports",
    make: "Create report",
    makeSays: "The file is created in the background, with no row limit, and is kept for seven days.",
    report: "Report",
    reports: {
      statement: "Statement: balances by day",
      transactions: "Transactions: every balance transaction",
      fees: "Fees by payment method",
      payout: "Payout reconciliation",
      frozen: "Funds on hold and open disputes"
    },
    format: "Format",
    from: "From",
    to: "To",
    presets: "Period",
    lastMonth: "Last month",
    thisMonth: "This month",
    lastQuarter: "Last quarter",
    currency: "Currency",
    all: "All",
    allCurrencies: "all currencies",
    zone: "Time zone",
    zoneHint: "Such as Europe/Berlin. Defaults to your time zone.",
    payoutNo: "Payout ID",
    payoutHint: "Only for payout reconciliation.",
    read: "View now",
    readSays: "Statements of up to 31 days, fees, and funds on hold. For longer periods, create a file.",
    show: "Show",
    status: "Status",
    progress: "Progress",
    file: "File",
    save: "Download",
    stop: "Stop",
    goOn: "Resume",
    rows: "rows",
    created: "Created",
    by: "Requested by",
    number: "Report ID",
    emptyTitle: "No files yet",
    empty: "Create a report for your accounting. Each file is kept for seven days.",
    gone: "The file could not be read. Try again."
  },
  zh: {
    title: "报表",
    make: "创建报表",
    makeSays: "文件将在后台生成，行数不限，保留七天。",
    report: "报表",
    reports: {
      statement: "对账单：每日余额",
      transactions: "流水：每笔余额变动",
      fees: "按支付方式统计手续费",
      payout: "提现明细",
      frozen: "冻结资金与未决争议"
    },
    format: "格式",
    from: "从",
    to: "至",
    presets: "时间段",
    lastMonth: "上月",
    thisMonth: "本月",
    lastQuarter: "上季度",
    currency: "货币",
    all: "全部",
    allCurrencies: "所有货币",
    zone: "时区",
    zoneHint: "例如 Asia/Shanghai，默认为商户时区。",
    payoutNo: "提现 ID",
    payoutHint: "仅用于提现明细。",
    read: "立即查看",
    readSays: "31 天以内的对账单、手续费或冻结资金。更长的时间段请生成文件。",
    show: "查看",
    status: "状态",
    progress: "进度",
    file: "文件",
    save: "下载",
    stop: "停止",
    goOn: "继续",
    rows: "行",
    created: "生成时间",
    by: "申请人",
    number: "报表 ID",
    emptyTitle: "还没有文件",
    empty: "创建报表用于记账，每个文件保留七天。",
    gone: "无法读取文件，请重试。"
  }
}
type Texts = typeof texts.en

const Reports = () => {
  const { may } = useAccount()
  const api = useApi()
  const words = useWords(texts)
  return (
    <ListPage
      list={{
        id: "reports",
        title: words.title,
        columns: columnsOf(words, useLanguage()),
        page: (query) => api.query("reports", "list", { query: asQuery<PlainQuery>(query), reactivityKeys: shown }),
        keyOf: ({ report_no }) => report_no,
        liveEvery: 2_000,
        acts: may("reports:write") ? <MakeReport words={words} /> : undefined,
        above: <ReadNow words={words} />,
        empty: (
          <Empty title={words.emptyTitle}>
            <p>{words.empty}</p>
          </Empty>
        )
      }}
    />
  )
}

const { code, plain, time } = columnsFor<ReportResource>()

/** Of what days, currency and zone a report is. */
const aboutText = (report: ReportResource, words: Texts, language: Language) =>
  [
    report.report === "frozen"
      ? timeText(report.as_of, language, "full")
      : periodText(report.from, report.to, tags[language]),
    report.currency ?? words.allCurrencies,
    report.time_zone
  ].join(" · ")

const columnsOf = (words: Texts, language: Language): ReadonlyArray<Column<ReportResource>> => [
  {
    id: "report",
    name: words.report,
    text: ({ report }) => report,
    cell: (report) => (
      <>
        {words.reports[report.report]}
        <span className="soft small block">{aboutText(report, words, language)}</span>
      </>
    )
  },
  {
    id: "status",
    name: words.status,
    text: ({ status }) => status,
    cell: ({ failure_reason, status }) =>
      failure_reason === null ? <State of={status} /> : <span title={failure_reason}>{failure_reason}</span>
  },
  {
    id: "progress",
    name: words.progress,
    isWide: true,
    text: ({ rows_done }) => String(rows_done),
    cell: ({ rows_done, rows_total, status }) => (
      <>
        {status === "pending" && (
          <progress value={rows_done} max={rows_total ?? undefined} aria-label={words.progress} />
        )}
        {rows_done.toLocaleString()} {words.rows}
      </>
    )
  },
  plain("format", words.format, { isWide: true }),
  {
    id: "file",
    name: words.file,
    text: ({ bytes }) => String(bytes),
    cell: (report) => (report.status === "succeeded" ? <Save report={report} words={words} /> : "–")
  },
  code("report_no", words.number, { isHidden: true }),
  plain("requested_by", words.by, { isWide: true, cell: ({ requested_by }) => <Requester of={requested_by} /> }),
  time("created_at", words.created, { isWide: true, cell: ({ created_at }) => <Time at={created_at} isReal /> })
]

const sizeText = (bytes: number) =>
  bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1_000))} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`

/** Bytes of one request, which is all that a lost connection loses. */
const partSize = 4 * 1024 * 1024

const readPart = async (account: InAccount, path: string, range: string): Promise<Outcome<Blob>> => {
  const answer = await readBytes(account, path, range)
  if (answer === undefined || answer.status === 503) return { problem: { kind: "away" } }
  if (answer.status === 429) return { problem: { kind: "refused", code: "rate_limited", message: "", requestId: "" } }
  const part = answer.status === 206 ? await answer.blob().catch(() => undefined) : undefined
  return part === undefined || part.size === 0
    ? { problem: { kind: "unexpected", message: String(answer.status) } }
    : { done: part }
}

/** Downloads the file in parts, and resumes after a stop or a lost connection. */
const Save = ({ report, words }: { readonly report: ReportResource; readonly words: Texts }) => {
  const account = useAccount()
  const parts = useRef<Array<Blob>>([])
  const [done, setDone] = useState<number>()
  const [isRunning, setRunning] = useState(false)
  const [hasFailed, setFailed] = useState(false)
  const [wait, setWait] = useState<number>()
  const stop = useRef<AbortController>(undefined)
  const { bytes, report_no } = report
  const read = async () => {
    const control = new AbortController()
    stop.current = control
    setRunning(true)
    setFailed(false)
    let at = parts.current.reduce((sum, { size }) => sum + size, 0)
    while (at < bytes && !control.signal.aborted) {
      setDone(at)
      const range = `bytes=${at}-${Math.min(bytes, at + partSize) - 1}`
      const part = await patiently(() => readPart(account, `reports/${report_no}/file`, range), {
        signal: control.signal,
        onWait: setWait
      })
      if (control.signal.aborted && "problem" in part) break
      if ("problem" in part) {
        setRunning(false)
        return setFailed(true)
      }
      parts.current.push(part.done)
      at += part.done.size
    }
    setRunning(false)
    if (at < bytes) return setDone(at)
    downloadBlob(reportFileName(report), new Blob(parts.current))
    parts.current = []
    setDone(undefined)
  }
  const label = done === undefined ? `${words.save} ${sizeText(bytes)}` : words.goOn
  return (
    <span className="row">
      {isRunning ? (
        <button type="button" className="button quiet small" onClick={() => stop.current?.abort()}>
          {words.stop} {Math.round((100 * (done ?? 0)) / bytes)} %
        </button>
      ) : (
        <button
          type="button"
          className="button quiet small"
          aria-label={`${label} ${report_no}`}
          onClick={() => void read()}
        >
          {label}
        </button>
      )}
      {isRunning && <Waiting seconds={wait} />}
      {hasFailed && <span role="alert">{words.gone}</span>}
    </span>
  )
}

// Made as a file ---------------------------------------------------------------------

const kinds = ["statement", "transactions", "fees", "payout", "frozen"] as const

/** The last days of the account's books: by its clock, in its zone. Undefined until they are read. */
const useDays = (days: "7" | "30") => {
  const { merchantId, mode } = useAccount()
  const params = { merchant_id: merchantId }
  const overview = useAtom(OwnApi.query("overview", "get", { params, query: { mode, days }, reactivityKeys: shown }))
  return lastOf(overview)?.data
}

/** Sets both days of the form around it, in the merchant's zone. */
const Presets = ({ words }: { readonly words: Texts }) => {
  const days = useDays("7")
  const set = (button: HTMLButtonElement, preset: Preset) => {
    for (const [name, day] of Object.entries(daysOf(preset, days!.to))) {
      const field = button.form?.elements.namedItem(name)
      if (field instanceof HTMLInputElement) field.value = day
    }
    button.form?.dispatchEvent(new Event("input", { bubbles: true }))
  }
  return (
    <div className="row presets" role="group" aria-label={words.presets}>
      {presets.map((preset) => (
        <button
          key={preset}
          type="button"
          className="button quiet small"
          disabled={days === undefined}
          onClick={(event) => set(event.currentTarget, preset)}
        >
          {words[preset]}
        </button>
      ))}
    </div>
  )
}

const MakeReport = ({ words }: { readonly words: Texts }) => {
  const days = useDays("30")
  const bodyOf = (typed: FormData) => {
    const report = String(typed.get("report") ?? "statement")
    const hasDays = report !== "payout" && report !== "frozen"
    const names = hasDays
      ? ["from", "to", "currency", "time_zone"]
      : report === "payout"
        ? ["payout_no", "time_zone"]
        : ["currency", "time_zone"]
    const filled = names.flatMap((name) => {
      const text = String(typed.get(name) ?? "").trim()
      return text === "" ? [] : [[name, text] as const]
    })
    return { report, format: String(typed.get("format") ?? "csv"), ...Object.fromEntries(filled) }
  }
  return (
    <MerchantAct
      operation="reports.create"
      name={words.make}
      says={words.makeSays}
      isPrimary
      fields={
        <>
          <ChoiceField label={words.report} name="report" choices={kinds.map((kind) => [kind, words.reports[kind]])} />
          <Presets words={words} />
          <TextField label={words.from} name="from" type="date" initial={days?.from ?? ""} />
          <TextField label={words.to} name="to" type="date" initial={days?.to ?? ""} />
          <ChoiceField
            label={words.currency}
            name="currency"
            choices={[["", words.all], ...currencies.map((each) => [each, each] as const)]}
          />
          <ChoiceField
            label={words.format}
            name="format"
            choices={[
              ["csv", "CSV"],
              ["jsonl", "JSON Lines"],
              ["hledger", "hledger"],
              ["beancount", "Beancount"]
            ]}
          />
          <TextField label={words.zone} name="time_zone" hint={words.zoneHint} maxLength={64} />
          <TextField label={words.payoutNo} name="payout_no" hint={words.payoutHint} maxLength={64} />
        </>
      }
      request={(typed) => ({ payload: sent(bodyOf(typed)) })}
      cli={(typed) => `reports create ${bodyOf(typed).report}`}
    />
  )
}

// Read at once -----------------------------------------------------------------------

type Short = "statement" | "fees" | "frozen"
const shortKinds = ["statement", "fees", "frozen"] as const satisfies ReadonlyArray<Short>

interface Request {
  readonly kind: Short
  /** Left out: all of them. */
  readonly currency: { readonly currency?: (typeof currencies)[number] }
  readonly days: { readonly from: string; readonly to: string }
}

/** A report of currently frozen money has no days. */
const queryOf = ({ currency, days, kind }: Request) => (kind === "frozen" ? currency : { ...days, ...currency })

const reportOf = (api: AccountApi, { currency, days, kind }: Request) => {
  const ofDays = { query: { ...days, ...currency }, reactivityKeys: shown }
  if (kind === "statement") return withoutFile(api.query("reports", "statement", ofDays))
  if (kind === "fees") return withoutFile(api.query("reports", "fees", ofDays))
  return withoutFile(api.query("reports", "frozen", { query: currency, reactivityKeys: shown }))
}

const ReadNow = ({ words }: { readonly words: Texts }) => {
  const [request, setRequest] = useState<Request>()
  const read = (event: React.FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const typed = new FormData(event.currentTarget)
    const text = (name: string) => String(typed.get(name) ?? "")
    const currency = currencies.find((each) => each === text("currency"))
    setRequest({
      kind: text("kind") as Short,
      currency: currency === undefined ? {} : { currency },
      days: { from: text("from"), to: text("to") }
    })
  }
  const week = useDays("7")
  return (
    <section className="card">
      <h2>{words.read}</h2>
      <p className="small soft">{words.readSays}</p>
      <form className="row" key={week?.to} onSubmit={read}>
        <ChoiceField label={words.report} name="kind" choices={shortKinds.map((kind) => [kind, words.reports[kind]])} />
        <Presets words={words} />
        <TextField label={words.from} name="from" type="date" initial={week?.from ?? ""} />
        <TextField label={words.to} name="to" type="date" initial={week?.to ?? ""} />
        <ChoiceField
          label={words.currency}
          name="currency"
          choices={[["", words.all], ...currencies.map((each) => [each, each] as const)]}
        />
        <button className="button quiet" disabled={week === undefined}>
          {words.show}
        </button>
      </form>
      {request !== undefined && <Answer request={request} words={words} />}
    </section>
  )
}

const Answer = ({ request, words }: { readonly request: Request; readonly words: Texts }) => {
  const api = useApi()
  const { kind } = request
  const report = useAtom(reportOf(api, request))
  return (
    <>
      <Loaded result={report}>{({ data }) => <ReportTable report={data} title={words.reports[kind]} />}</Loaded>
      <AsCode call={callOf(`reports.${kind}`, { query: queryOf(request) })} />
    </>
  )
}

export default Reports
