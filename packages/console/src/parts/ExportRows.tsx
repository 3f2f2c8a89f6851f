/**
 * Exports rows of a list as CSV: by its filters or a saved view, for a range of days, with the chosen columns and time
 * zone.
 */
import type { SavedViewResource } from "@coffer/contract/SavedViews"
import { useContext, useRef, useState } from "react"
import type { Problem } from "../api/acts.ts"
import { useAtom } from "../api/registry.ts"
import { AccountContext } from "../api/session.ts"
import { ChoiceField, Dialog, Field, TextField } from "./act.tsx"
import { csvOf, exportedColumns } from "./exportedRows.ts"
import type { List } from "./ListPage.tsx"
import { Trouble, Waiting } from "./states.tsx"
import { stateOf, type ViewState, viewsAtom } from "./Views.tsx"
import { rowsOf, walkPages, withTimes } from "./walkPages.ts"
import { useWords } from "./words.ts"

/** Rows of one file. A longer range is a report, which the service makes. */
const rowsMax = 50_000

const texts = {
  en: {
    button: "Export",
    title: "Export",
    view: "Rows and columns",
    shown: "As shown in the list",
    filters: "Filters",
    from: "From",
    to: "To (inclusive)",
    columns: "Columns",
    currency: "Currency",
    zone: "Time zone",
    zoneHint: "Used for day boundaries and for times.",
    save: "Download file",
    rows: "rows read",
    cut: "There are more than 50,000 rows. The file contains the newest ones: choose a shorter period, or create a report.",
    says: "The file contains all rows that match the filters and dates, newest first."
  },
  zh: {
    button: "导出",
    title: "导出",
    view: "行与列",
    shown: "与列表显示一致",
    filters: "筛选",
    from: "从",
    to: "至（含当日）",
    columns: "列",
    currency: "货币",
    zone: "时区",
    zoneHint: "日期边界和时间均使用此时区。",
    save: "下载文件",
    rows: "行已读取",
    cut: "超过 50,000 行，文件仅包含最新的部分。请选择更短的时间段，或创建报表。",
    says: "文件包含符合筛选条件和日期范围的所有行，从新到旧。"
  }
}

interface Props<Row> {
  readonly list: List<Row>
  /** The filters and the columns that the list shows. */
  readonly now: ViewState
}

export const ExportButton = <Row,>(props: Props<Row>) => {
  const words = useWords(texts)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" className="button quiet small" onClick={() => setOpen(true)}>
        {words.button}
      </button>
      {isOpen && <ExportDialog {...props} onClose={() => setOpen(false)} />}
    </>
  )
}

const zones = () => {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  return Array.from(new Set([own, "UTC", "Asia/Shanghai", "Asia/Hong_Kong", "America/New_York", "Europe/London"]))
}

const ExportDialog = <Row,>({ list, now, onClose }: Props<Row> & { readonly onClose: () => void }) => {
  const words = useWords(texts)
  const account = useContext(AccountContext)
  const [view, setView] = useState(now)
  const [count, setCount] = useState<number>()
  const [wait, setWait] = useState<number>()
  const [problem, setProblem] = useState<Problem>()
  const [isCut, setCut] = useState(false)
  const stop = useRef<AbortController>(undefined)
  const offered = exportedColumns(list.columns, account?.may("exports:read"))

  const save = (event: React.FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const typed = new FormData(event.currentTarget)
    const zone = String(typed.get("zone"))
    const chosen = typed.getAll("columns")
    const { from: _from, to: _to, ...filters } = view.filters
    const range = ["from", "to"].flatMap((name) => (typed.get(name) ? [[name, String(typed.get(name))] as const] : []))
    stop.current = new AbortController()
    setCount(0)
    setProblem(undefined)
    const query = withTimes({ ...filters, ...Object.fromEntries(range) }, zone)
    const patience = { signal: stop.current.signal, onWait: setWait }
    void walkPages(list, query, rowsMax, setCount, patience).then((walked) => {
      setCount(undefined)
      if (!("rows" in walked)) return setProblem(walked)
      setCut(walked.isCut)
      const columns = offered.filter(({ id }) => chosen.includes(id))
      download(`${list.id}.csv`, csvOf(columns, walked.rows, zone, words.currency))
      if (!walked.isCut) onClose()
    })
  }
  const close = () => {
    stop.current?.abort()
    onClose()
  }
  const others = Object.entries(view.filters).filter(([name]) => name !== "from" && name !== "to")
  return (
    <Dialog title={words.title} onClose={close}>
      <form className="stack" onSubmit={save} key={JSON.stringify(view)}>
        <p className="soft">{words.says}</p>
        {account !== undefined && (
          <ViewChoice page={list.id} merchantId={account.merchantId} now={now} view={view} onChoose={setView} />
        )}
        {others.length > 0 && (
          <p className="small">
            {words.filters}:{" "}
            {others.map(([name, value]) => (
              <code key={name}>
                {name}={value}{" "}
              </code>
            ))}
          </p>
        )}
        <div className="row">
          <TextField label={words.from} name="from" type="date" initial={view.filters["from"] ?? ""} />
          <TextField label={words.to} name="to" type="date" initial={view.filters["to"] ?? ""} />
        </div>
        <ChoiceField
          label={words.zone}
          name="zone"
          choices={zones().map((zone) => [zone, zone] as const)}
          hint={words.zoneHint}
        />
        <fieldset className="ticks">
          <legend>{words.columns}</legend>
          {offered.map(({ id, name }) => (
            <label key={id} className="check">
              <input type="checkbox" name="columns" value={id} defaultChecked={view.columns.includes(id)} />
              {name}
            </label>
          ))}
        </fieldset>
        {count !== undefined && (
          <p role="status">
            {count.toLocaleString()} {words.rows} <Waiting seconds={wait} />
          </p>
        )}
        {isCut && <p role="alert">{words.cut}</p>}
        {problem !== undefined && <Trouble problem={problem} />}
        <button className="button" disabled={count !== undefined}>
          {words.save}
        </button>
      </form>
    </Dialog>
  )
}

/** The filters and columns of the file: as the list shows them, or those of a saved view. */
const ViewChoice = (props: {
  readonly page: string
  readonly merchantId: string
  readonly now: ViewState
  readonly view: ViewState
  readonly onChoose: (view: ViewState) => void
}) => {
  const { merchantId, now, onChoose, page, view } = props
  const words = useWords(texts)
  const result = useAtom(viewsAtom(merchantId))
  const views = rowsOf<SavedViewResource>(result).filter((each) => each.page === page)
  if (views.length === 0) return null
  const stateOfView = ({ query }: SavedViewResource) => {
    const { columns, filters } = stateOf(query)
    return { filters, columns: columns.length === 0 ? now.columns : columns }
  }
  const chosen = views.find((each) => JSON.stringify(stateOfView(each)) === JSON.stringify(view))
  return (
    <Field label={words.view}>
      {(id) => (
        <select
          id={id}
          value={view === now ? "" : (chosen?.view_id ?? "")}
          onChange={({ target }) => {
            const next = views.find(({ view_id }) => view_id === target.value)
            onChoose(next === undefined ? now : stateOfView(next))
          }}
        >
          <option value="">{words.shown}</option>
          {views.map(({ name, view_id }) => (
            <option key={view_id} value={view_id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

export const download = (name: string, text: string, type = "text/csv;charset=utf-8") =>
  downloadBlob(name, new Blob([text], { type }))

export const downloadBlob = (name: string, blob: Blob) => {
  const url = URL.createObjectURL(blob)
  const link = Object.assign(document.createElement("a"), { href: url, download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
