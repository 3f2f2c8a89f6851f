/** The audit log: who did what, and its chain of hashes, which this browser verifies by itself. */
import type { AuditEntryResource, AuditLogQuery } from "@coffer/contract/Operators"
import type { PeopleQuery } from "@coffer/contract/People"
import { useEffect, useRef, useState } from "react"
import { type Problem, shown } from "../api/acts.ts"
import { useAtom } from "../api/registry.ts"
import { type PlainQuery, type TextQuery, asQuery } from "../api/lists.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import type { Patience } from "../api/patience.ts"
import { Dialog } from "../parts/act.tsx"
import { columnsFor } from "../parts/columns.tsx"
import { type Column, type ListBy, ListPage } from "../parts/ListPage.tsx"
import { Empty, Trouble, Waiting } from "../parts/states.tsx"
import { readPage, rowsOf } from "../parts/walkPages.ts"
import { type Language, useLanguage, useWords } from "../parts/words.ts"
import { actText } from "../merchant/auditWords.ts"
import { ActText, Outcome, useOutcome } from "../merchant/Outcome.tsx"
import { type Break, firstBreak } from "./auditChain.ts"
import { ShowJson } from "./operator.tsx"

const texts = {
  en: {
    title: "Audit log",
    who: "Actor",
    act: "Action",
    phase: "Outcome",
    target: "Target",
    status: "Response",
    at: "Time",
    ip: "IP address",
    role: "Role",
    request: "Request",
    sequence: "No.",
    details: "Details",
    none: "No entries yet",
    noneSays: "Every action of an operator or a merchant's team is recorded here.",
    verify: "Verify the hash chain",
    verifySays:
      "Your browser reads all entries from the newest to the first and recomputes every hash, so changed, removed or added entries are found. To detect a chain that was rewritten as a whole, compare the newest hash with one you kept, or with ANCHOR_FILE.",
    begin: "Verify",
    stop: "Stop",
    checked: "entries verified",
    of: "of",
    holds: "The whole chain is valid.",
    newest: "Hash of the newest entry",
    stopped: "Stopped. All entries read so far are valid.",
    broken: "The chain is broken at entry",
    hash: "The entry's content does not match its hash: it was changed. Treat this as a break-in, and keep a copy of the database.",
    link: "The entry does not contain the hash of the one before it: an entry was changed, removed or inserted. Treat this as a break-in, and keep a copy of the database.",
    insecure: "This browser can compute hashes only over HTTPS or on localhost. Open the console there."
  },
  zh: {
    title: "审计日志",
    who: "操作者",
    act: "操作",
    phase: "结果",
    target: "对象",
    status: "响应",
    at: "时间",
    ip: "IP 地址",
    role: "角色",
    request: "请求",
    sequence: "序号",
    details: "详情",
    none: "还没有记录",
    noneSays: "运营人员和商户成员的每次操作都会记录在此。",
    verify: "验证哈希链",
    verifySays:
      "您的浏览器会从最新到最早读取全部记录并重新计算每个哈希，可发现被更改、删除或插入的记录。如需发现整条链被重写的情况，请将最新哈希与您保存的值或 ANCHOR_FILE 比对。",
    begin: "验证",
    stop: "停止",
    checked: "条已验证",
    of: "/",
    holds: "整条链验证通过。",
    newest: "最新记录的哈希",
    stopped: "已停止。已读取的记录均验证通过。",
    broken: "哈希链在此处断裂，记录：",
    hash: "内容与其哈希不符：该记录被更改过。请视为入侵，并保留数据库副本。",
    link: "未包含前一条记录的哈希：有记录被更改、删除或插入。请视为入侵，并保留数据库副本。",
    insecure: "此浏览器仅在 HTTPS 或 localhost 下才能计算哈希，请在此类地址打开控制台。"
  }
}
type Texts = typeof texts.en

const auditPage = (query: TextQuery<AuditLogQuery>) =>
  OperatorsApi.query("audit_log", "list", { query: asQuery<AuditLogQuery>(query), reactivityKeys: shown })

const { code, plain, time } = columnsFor<AuditEntryResource>()

const columnsOf = (
  words: Texts,
  language: Language,
  outcomeText: (entry: AuditEntryResource) => string
): ReadonlyArray<Column<AuditEntryResource>> => [
  { id: "act", name: words.act, text: ({ act }) => act, cell: (entry) => <ActText {...entry} /> },
  { id: "phase", name: words.phase, text: outcomeText, cell: (entry) => <Outcome {...entry} /> },
  { id: "who", name: words.who, text: ({ actor }) => actor, cell: ({ actor, actor_id }) => actor || actor_id || "–" },
  {
    id: "target",
    name: words.target,
    isWide: true,
    text: ({ target }) => target,
    cell: ({ target }) => <code title={target}>{target}</code>
  },
  {
    id: "status",
    name: words.status,
    isHidden: true,
    isNumber: true,
    text: ({ status }) => String(status ?? ""),
    cell: ({ status }) => status ?? "–"
  },
  time("created_at", words.at),
  plain("ip", words.ip, { isHidden: true }),
  plain("role", words.role, { isHidden: true }),
  code("request_id", words.request, { isHidden: true }),
  {
    id: "sequence",
    name: words.sequence,
    isHidden: true,
    isNumber: true,
    text: ({ sequence }) => String(sequence),
    cell: ({ sequence }) => sequence.toLocaleString()
  },
  {
    id: "details",
    name: words.details,
    text: ({ details }) => JSON.stringify(details),
    cell: (entry) => <ShowJson title={`${actText(entry.act, language)} · ${entry.sequence}`} value={entry} />
  }
]

interface Progress {
  readonly checked: number
  readonly total: number
  readonly newest: string
}
type End = { readonly kind: "holds" } | { readonly kind: "stopped" } | { readonly kind: "broken"; readonly at: Break }

const pageSize = "100"

/** Reads from the newest entry to the oldest, and stops at the first invalid one. */
const verify = async (onProgress: (progress: Progress) => void, patience: Patience): Promise<End | Problem> => {
  let newer: AuditEntryResource | undefined
  let progress: Progress | undefined
  while (!patience.signal.aborted) {
    const atom = auditPage({ limit: pageSize, ...(newer === undefined ? {} : { starting_after: newer.id }) })
    const outcome = await readPage(atom, patience)
    if (patience.signal.aborted) break
    if ("problem" in outcome) return outcome.problem
    const { data: entries, has_more } = outcome.done.data
    const at = await firstBreak(entries, newer)
    if (at !== undefined) return { kind: "broken", at }
    const [first] = entries
    if (first !== undefined) {
      progress = {
        checked: (progress?.checked ?? 0) + entries.length,
        total: progress?.total ?? first.sequence,
        newest: progress?.newest ?? first.hash
      }
      onProgress(progress)
    }
    newer = entries.at(-1) ?? newer
    if (!has_more || entries.length === 0) {
      // The first entry of all has the number 1. A log that was cut off at its beginning has another.
      return newer !== undefined && newer.sequence !== 1
        ? { kind: "broken", at: { entry: newer, kind: "link" } }
        : { kind: "holds" }
    }
  }
  return { kind: "stopped" }
}

const VerifyDialog = ({ onClose, words }: { readonly onClose: () => void; readonly words: Texts }) => {
  const [progress, setProgress] = useState<Progress>()
  const [end, setEnd] = useState<End | Problem>()
  const [wait, setWait] = useState<number>()
  const [control, setControl] = useState<AbortController>()
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const begin = () => {
    const made = new AbortController()
    running.current = made
    setControl(made)
    setEnd(undefined)
    void verify(setProgress, { signal: made.signal, onWait: setWait }).then((found) => {
      setEnd(found)
      setControl(undefined)
    })
  }
  return (
    <Dialog title={words.verify} onClose={onClose} isWide>
      <div className="stack chain">
        <p className="soft">{words.verifySays}</p>
        {crypto.subtle === undefined ? (
          <p className="trouble">{words.insecure}</p>
        ) : control === undefined ? (
          <div className="buttons">
            <button type="button" className="button" onClick={begin}>
              {words.begin}
            </button>
          </div>
        ) : (
          <div className="buttons">
            <button type="button" className="button quiet" onClick={() => control.abort()}>
              {words.stop}
            </button>
          </div>
        )}
        {progress !== undefined && (
          <>
            <progress value={progress.checked} max={progress.total} aria-label={words.verify} />
            <p role="status">
              {progress.checked.toLocaleString()} {words.of} {progress.total.toLocaleString()} {words.checked}.{" "}
              {end?.kind === "holds" && <strong>✓ {words.holds}</strong>}
              {end?.kind === "stopped" && words.stopped}
              <Waiting seconds={wait} />
            </p>
            <p className="small soft">
              {words.newest}: <code>{progress.newest}</code>
            </p>
          </>
        )}
        {end?.kind === "broken" && (
          <div className="trouble" role="alert">
            <p>
              <strong>
                {words.broken} {end.at.entry.sequence} (<code>{end.at.entry.id}</code>)
              </strong>
            </p>
            <p>{words[end.at.kind]}</p>
          </div>
        )}
        {end !== undefined && end.kind !== "holds" && end.kind !== "stopped" && end.kind !== "broken" && (
          <Trouble problem={end} />
        )}
      </div>
    </Dialog>
  )
}

/** Who may have done it, as the entries show them: people and tokens of the installation. */
const useActors = (): ReadonlyArray<readonly [id: string, name: string]> => {
  const query = { limit: "100" }
  const people = rowsOf(
    useAtom(OperatorsApi.query("people", "list", { query: asQuery<PeopleQuery>(query), reactivityKeys: shown }))
  )
  const tokens = rowsOf(
    useAtom(OperatorsApi.query("operators", "list", { query: asQuery<PlainQuery>(query), reactivityKeys: shown }))
  )
  return [
    ...people.map(({ email, name, person_id }) => [person_id, `${name} · ${email}`] as const),
    ...tokens.map(({ name, operator_id }) => [operator_id, name] as const)
  ]
}

const AuditLog = () => {
  const words = useWords(texts)
  const language = useLanguage()
  const outcomeText = useOutcome()
  const [isOpen, setOpen] = useState(false)
  const actors = useActors()
  return (
    <>
      <ListPage
        list={
          {
            id: "operator.audit",
            title: words.title,
            columns: columnsOf(words, language, outcomeText),
            filters: [
              { name: "act", label: words.act },
              { name: "target", label: words.target },
              { name: "actor_id", label: words.who, ...(actors.length === 0 ? {} : { choices: actors }) }
            ],
            page: (query) => auditPage({ ...query, per: "act" }),
            keyOf: ({ id }) => id,
            acts: (
              <button type="button" className="button" onClick={() => setOpen(true)}>
                {words.verify}
              </button>
            ),
            empty: (
              <Empty title={words.none}>
                <p>{words.noneSays}</p>
              </Empty>
            )
          } satisfies ListBy<AuditEntryResource, AuditLogQuery>
        }
      />
      {isOpen && <VerifyDialog words={words} onClose={() => setOpen(false)} />}
    </>
  )
}

export default AuditLog
