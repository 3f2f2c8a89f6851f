/** Saves what a list's filter names as a CSV file: the columns that were chosen, times in the zone that was chosen. */
import { useRef, useState } from "react"
import type { Problem } from "../api/acts.ts"
import { ChoiceField, Dialog } from "./act.tsx"
import type { Column, List, Query } from "./ListPage.tsx"
import { Trouble } from "./states.tsx"
import { walkPages } from "./walkPages.ts"
import { useWords } from "./words.ts"

/** Rows of one file. A longer range is a report, which the service makes. */
const rowsMax = 50_000

const texts = {
  en: {
    button: "Export",
    title: "Export",
    zone: "Time zone of times",
    save: "Save the file",
    rows: "rows read",
    cut: "There are more rows than 50,000. The file has the newest of them: choose a shorter range, or make a report.",
    says: "The file has the columns that are shown, of all rows that the filter names.",
    stop: "Stop"
  },
  zh: {
    button: "导出",
    title: "导出",
    zone: "时间所用时区",
    save: "保存文件",
    rows: "行已读取",
    cut: "超过 50,000 行。文件仅含最新的部分：请选择更短的范围，或生成报表。",
    says: "文件包含所显示的列，以及符合筛选条件的所有行。",
    stop: "停止"
  }
}

interface Props<Row> {
  readonly list: List<Row>
  readonly columns: ReadonlyArray<Column<Row>>
  readonly query: Query
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

const ExportDialog = <Row,>({ columns, list, onClose, query }: Props<Row> & { readonly onClose: () => void }) => {
  const words = useWords(texts)
  const [count, setCount] = useState<number>()
  const [problem, setProblem] = useState<Problem>()
  const [isCut, setCut] = useState(false)
  const stop = useRef<AbortController>(undefined)
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const zones = Array.from(
    new Set([own, "UTC", "Asia/Shanghai", "Asia/Hong_Kong", "America/New_York", "Europe/London"])
  )

  const save = (event: React.FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const zone = String(new FormData(event.currentTarget).get("zone"))
    stop.current = new AbortController()
    setCount(0)
    setProblem(undefined)
    void walkPages(list, query, rowsMax, setCount, stop.current.signal).then((walked) => {
      setCount(undefined)
      if (!("rows" in walked)) return setProblem(walked)
      setCut(walked.isCut)
      download(`${list.id}.csv`, csvOf(columns, walked.rows, zone))
      if (!walked.isCut) onClose()
    })
  }
  const close = () => {
    stop.current?.abort()
    onClose()
  }
  return (
    <Dialog title={words.title} onClose={close}>
      <form className="stack" onSubmit={save}>
        <p className="soft">{words.says}</p>
        <ChoiceField label={words.zone} name="zone" choices={zones.map((zone) => [zone, zone] as const)} />
        {count !== undefined && (
          <p role="status">
            {count.toLocaleString()} {words.rows}
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

const instant = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** RFC 4180. A text that a table program would run as a formula begins with an apostrophe. */
export const csvOf = <Row,>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>, zone: string): string => {
  const times = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium", timeZone: zone })
  const field = (text: string) => {
    const shown = instant.test(text)
      ? times.format(new Date(text))
      : /^[=+@\t\r]|^-(?!\d)/.test(text)
        ? `'${text}`
        : text
    return /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown
  }
  const lines = [columns.map(({ name }) => name), ...rows.map((row) => columns.map(({ text }) => text(row)))]
  return `\uFEFF${lines.map((line) => line.map(field).join(",")).join("\r\n")}\r\n`
}

export const download = (name: string, text: string, type = "text/csv;charset=utf-8") =>
  downloadBlob(name, new Blob([text], { type }))

export const downloadBlob = (name: string, blob: Blob) => {
  const url = URL.createObjectURL(blob)
  const link = Object.assign(document.createElement("a"), { href: url, download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
