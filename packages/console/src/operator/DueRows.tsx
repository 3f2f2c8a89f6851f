/** The rows that are due: for each worker, and for each merchant of one environment. */
import type { ClusterResource } from "@coffer/contract/Cluster"
import { useQuery } from "../parts/address.ts"
import { Time } from "../parts/values.tsx"
import { useLanguage, useWords } from "../parts/words.ts"
import { MerchantLink, useModeWords } from "./operator.tsx"
import { isLate } from "./Overview.tsx"
import { workerText } from "./workerWords.ts"

const texts = {
  en: {
    backlogs: "Due rows by worker",
    worker: "Worker",
    due: "Due rows",
    oldest: "Oldest due",
    byMerchant: "Due rows by merchant",
    merchant: "Merchant",
    noneOf: "No due rows of merchants."
  },
  zh: {
    backlogs: "各任务的到期行",
    worker: "任务",
    due: "到期任务数",
    oldest: "最早到期",
    byMerchant: "各商户的到期行",
    merchant: "商户",
    noneOf: "没有商户的到期行。"
  }
}

type Backlogs = ClusterResource["backlogs"]
interface Props {
  readonly backlogs: Backlogs
  readonly words: typeof texts.en
}

export const DueRows = ({ backlogs }: { readonly backlogs: Backlogs }) => {
  const words = useWords(texts)
  return (
    <>
      <Workers backlogs={backlogs} words={words} />
      <Merchants backlogs={backlogs} words={words} />
    </>
  )
}

/** Late work first, then the longest backlogs. */
const Workers = ({ backlogs, words }: Props) => {
  const language = useLanguage()
  return (
    <Table title={words.backlogs} heads={[[words.worker], [words.due, true], [words.oldest]]}>
      {backlogs
        .toSorted((left, right) => Number(isLate(right)) - Number(isLate(left)) || right.due - left.due)
        .map((backlog) => (
          <tr key={backlog.worker}>
            <td>{workerText(backlog.worker, language)}</td>
            <td className="number">{backlog.due.toLocaleString()}</td>
            <td>
              <Oldest of={backlog} />
            </td>
          </tr>
        ))}
    </Table>
  )
}

const Oldest = ({ of }: { readonly of: Parameters<typeof isLate>[0] }) =>
  isLate(of) ? (
    <span className="state bad">
      <Time at={of.oldest_due_at} />
    </span>
  ) : (
    <Time at={of.oldest_due_at} />
  )

/** The work that is due for each merchant of one environment: live first, the sandbox by a switch. */
const Merchants = ({ backlogs, words }: Props) => {
  const [query, setQuery] = useQuery()
  const mode = query["mode"] === "sandbox" ? "sandbox" : "live"
  const modeWords = useModeWords()
  const language = useLanguage()
  const rows = backlogs
    .flatMap(({ merchants, worker }) => merchants.map((own) => ({ ...own, worker })))
    .filter((own) => own.mode === mode)
    .toSorted((left, right) => Date.parse(left.oldest_due_at) - Date.parse(right.oldest_due_at))
  return (
    <section className="stack">
      <header className="head">
        <h2>{words.byMerchant}</h2>
        <div className="tabs" role="group" aria-label={words.byMerchant}>
          {(["live", "sandbox"] as const).map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === mode}
              onClick={() => setQuery({ ...query, mode: each })}
            >
              {modeWords[each]}
            </button>
          ))}
        </div>
      </header>
      {rows.length === 0 ? (
        <p className="soft">{words.noneOf}</p>
      ) : (
        <TableOf title={words.byMerchant} heads={[[words.merchant], [words.worker], [words.due, true], [words.oldest]]}>
          {rows.map((own) => (
            <tr key={`${own.merchant_id} ${own.worker}`}>
              <td>
                <MerchantLink id={own.merchant_id} mode={mode} />
              </td>
              <td>{workerText(own.worker, language)}</td>
              <td className="number">{own.due.toLocaleString()}</td>
              <td>
                <Oldest of={own} />
              </td>
            </tr>
          ))}
        </TableOf>
      )}
    </section>
  )
}

interface TableProps {
  readonly title: string
  readonly heads: ReadonlyArray<readonly [name: string, isNumber?: boolean]>
  readonly children: React.ReactNode
}

export const Table = (props: TableProps) => (
  <section className="stack">
    <h2>{props.title}</h2>
    <TableOf {...props} />
  </section>
)

const TableOf = (props: TableProps) => (
  <div className="table" tabIndex={0} role="region" aria-label={props.title}>
    <table>
      <thead>
        <tr>
          {props.heads.map(([name, isNumber]) => (
            <th key={name} scope="col" className={isNumber === true ? "number" : ""}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{props.children}</tbody>
    </table>
  </div>
)
