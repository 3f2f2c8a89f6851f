/** The list of API calls, and its failed ones grouped by error. */
import type { LogQuery, LogResource } from "@coffer/contract/Logs"
import { apiLogs } from "@coffer/resources/calls"
import { useEffect, useState } from "react"
import { Link } from "wouter"
import type { Problem } from "../api/acts.ts"
import { AsCode } from "../parts/AsCode.tsx"
import { columnsOf, filtersOf } from "../parts/declared.tsx"
import { type Column, type ListBy, Rows } from "../parts/ListPage.tsx"
import { Empty, Skeleton, Trouble } from "../parts/states.tsx"
import { stateText } from "../parts/stateWords.ts"
import { Time } from "../parts/values.tsx"
import { walkPages } from "../parts/walkPages.ts"
import { type Language, useLanguage, useWords, wordsIn } from "../parts/words.ts"
import { callOf } from "./MerchantAct.tsx"
import { ObjectList } from "./ObjectList.tsx"
import { type Reader, useReader } from "./reader.ts"

type Log = LogResource

const texts = {
  en: {
    call: "Endpoint",
    mainKey: "Main key",
    classes: { "2xx": "Succeeded (2xx)", "4xx": "Client error (4xx)", "5xx": "Server error (5xx)" },
    groups: "Failed calls by error",
    groupsSays: "Of the newest 1,000 failed calls.",
    none: "No failed calls.",
    count: "Calls",
    last: "Last",
    emptyTitle: "No calls yet",
    empty: "API calls are kept here for 30 days, with their request and response. Make one:"
  },
  zh: {
    call: "接口",
    mainKey: "主密钥",
    classes: { "2xx": "成功 (2xx)", "4xx": "客户端错误 (4xx)", "5xx": "服务器错误 (5xx)" },
    groups: "按错误分组的失败调用",
    groupsSays: "统计最近 1,000 次失败的调用。",
    none: "没有失败的调用。",
    count: "次数",
    last: "最近一次",
    emptyTitle: "还没有调用",
    empty: "API 调用会在此保留 30 天，包括请求和响应内容。发起一次调用："
  }
}
type Texts = typeof texts.en

export const Status = ({ of }: { readonly of: number }) => (
  <span className={`state ${of < 400 ? "good" : "bad"}`}>{of}</span>
)

const columns = (words: Texts, language: Language): ReadonlyArray<Column<Log>> => [
  {
    id: "call",
    name: words.call,
    text: ({ method, path }) => `${method} ${path}`,
    cell: ({ method, path }) => (
      <code className="wraps">
        {method} {path}
      </code>
    )
  },
  ...columnsOf<Log>(apiLogs, language, {
    status: { cell: ({ status }) => <Status of={status} /> },
    source: { cell: ({ source }) => stateText(source, language) },
    duration_ms: { isNumber: true, cell: ({ duration_ms }) => `${duration_ms} ms` },
    key_id: {
      cell: ({ key_id, source }) =>
        source === "console" ? "–" : key_id === null ? words.mainKey : <code>{key_id}</code>
    }
  })
]

const listOf = ({ lists }: Reader, words: Texts, language: Language): ListBy<Log, LogQuery> => ({
  id: "logs",
  title: wordsIn(apiLogs.listing.label, language),
  columns: columns(words, language),
  filters: filtersOf(apiLogs, language, { status: { choices: Object.entries(words.classes) } }),
  ...lists.logs,
  keyOf: ({ request_id }) => request_id,
  above: <Groups />,
  empty: (
    <Empty title={words.emptyTitle}>
      <p>{words.empty}</p>
      <AsCode call={callOf("balance.get")} />
    </Empty>
  )
})

/** The list, also for parts of other pages. */
export const useLogs = () => listOf(useReader(), useWords(texts), useLanguage())

const Logs = () => <ObjectList list={useLogs()} />

// Grouped by error -------------------------------------------------------------------

interface Group {
  readonly code: string
  readonly call: string
  readonly count: number
  readonly last: Log
}

/** The maximum of calls of one class. */
const groupedMax = 500

/** A path with its ids removed. */
const routeOf = (path: string) =>
  path
    .split("/")
    .map((part, index) => (index > 2 && (/\d/.test(part) || part.length > 24) ? ":number" : part))
    .join("/")

const groupsOf = (logs: ReadonlyArray<Log>): ReadonlyArray<Group> => {
  const groups = new Map<string, Group>()
  for (const log of logs) {
    const code = log.error_code ?? String(log.status)
    const call = `${log.method} ${routeOf(log.path)}`
    const key = `${code} ${call}`
    const group = groups.get(key)
    const last = group === undefined || log.created_at > group.last.created_at ? log : group.last
    groups.set(key, { code, call, last, count: (group?.count ?? 0) + 1 })
  }
  return [...groups.values()].toSorted((one, other) => other.count - one.count)
}

/** Reads only once it is opened. */
const Groups = () => {
  const words = useWords(texts)
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="groups card" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.groups}</summary>
      {isOpen && <GroupsTable />}
    </details>
  )
}

const GroupsTable = () => {
  const reader = useReader()
  const words = useWords(texts)
  const language = useLanguage()
  const [found, setFound] = useState<ReadonlyArray<Group> | Problem>()
  useEffect(() => {
    const control = new AbortController()
    const list = listOf(reader, words, language)
    const patience = { signal: control.signal, onWait: () => undefined }
    const read = (status: string) => walkPages(list, { status }, groupedMax, () => undefined, patience)
    void Promise.all([read("4xx"), read("5xx")]).then((walks) => {
      const problem = walks.find((walk) => "kind" in walk)
      if (!control.signal.aborted)
        setFound(problem ?? groupsOf(walks.flatMap((walk) => ("rows" in walk ? walk.rows : []))))
    })
    return () => control.abort()
    // Counted once, when it is opened.
  }, [])
  if (found === undefined) return <Skeleton lines={3} />
  if ("kind" in found) return <Trouble problem={found} />
  if (found.length === 0) return <p className="soft">{words.none}</p>
  return (
    <>
      <p className="soft small">{words.groupsSays}</p>
      <Rows
        list={{ title: words.groups, keyOf: ({ call, code }: Group) => `${code} ${call}` }}
        columns={[
          {
            id: "code",
            name: wordsIn(apiLogs.fields.error_code.label, language),
            text: ({ code }) => code,
            cell: ({ code }) => <Link href={`${reader.base}/logs?${new URLSearchParams(filterOf(code))}`}>{code}</Link>
          },
          {
            id: "call",
            name: words.call,
            text: ({ call }) => call,
            cell: ({ call }) => <code className="wraps">{call}</code>
          },
          {
            id: "count",
            name: words.count,
            isNumber: true,
            text: ({ count }) => String(count),
            cell: ({ count }) => count.toLocaleString()
          },
          {
            id: "last",
            name: words.last,
            text: ({ last }) => last.created_at,
            cell: ({ last }) => (
              <Link href={reader.pageOf(last.request_id) ?? `${reader.base}/logs`}>
                <Time at={last.created_at} />
              </Link>
            )
          }
        ]}
        rows={found}
      />
    </>
  )
}

const filterOf = (code: string): Record<string, string> =>
  /^\d+$/.test(code) ? { status: code } : { error_code: code }

export default Logs
