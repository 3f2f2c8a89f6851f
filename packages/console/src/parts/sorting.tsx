/**
 * The order of a list: by time or by amount, both ways. By amount a list is a picture: the service sorts the newest
 * rows of the range, and the pages that follow are of the same rows (decision 0246).
 */
import { sorts, type Sort } from "@coffer/model/Sort"
import type { Page, Query } from "../api/lists.ts"
import { timeText } from "./values.tsx"
import { useLanguage, useWords } from "./words.ts"

export type { Sort }
export type Sorted = NonNullable<Page<unknown>["data"]["sorted"]>

const texts = {
  en: {
    sort: "Sort",
    orders: {
      "-created": "Newest first",
      created: "Oldest first",
      "-amount": "Highest amount",
      amount: "Lowest amount"
    },
    whole: (to: string) => `By amount, as of ${to}.`,
    cut: (from: string, to: string) =>
      `By amount, the newest 10,000: created from ${from} to ${to}. Filter by an earlier period for older ones.`,
    again: "Update"
  },
  zh: {
    sort: "排序",
    orders: { "-created": "从新到旧", created: "从旧到新", "-amount": "金额从高到低", amount: "金额从低到高" },
    whole: (to: string) => `按金额排序，截至 ${to}。`,
    cut: (from: string, to: string) =>
      `按金额排序，仅含最新的 10,000 条：创建于 ${from} 至 ${to}。更早的记录请按时间段筛选。`,
    again: "更新"
  }
}

export const newestFirst: Sort = "-created"

// The address ------------------------------------------------------------------------

/** What the address says of the order, and of the picture that its pages are of. */
export const sortNames = ["sort", "since", "as_of"]

export const sortOf = ({ sort }: Query): Sort => sorts.find((each) => each === sort) ?? newestFirst

export const pictureOf = (sorted: Sorted | undefined): Query =>
  sorted === undefined ? {} : { as_of: sorted.to, ...(sorted.is_whole ? {} : { since: sorted.from }) }

/** The picture's times as the bounds of the list. They are within those of its filters. */
export const withPicture = ({ as_of, since, ...query }: Query): Query => ({
  ...query,
  ...(since === undefined ? {} : { "created[gte]": since }),
  ...(as_of === undefined ? {} : { "created[lte]": as_of })
})

// The page ---------------------------------------------------------------------------

/** On a phone, whose cards have no names of columns. */
export const SortField = ({ onSort, sort }: { readonly sort: Sort; readonly onSort: (sort: Sort) => void }) => {
  const words = useWords(texts)
  return (
    <span className="sort">
      <select aria-label={words.sort} value={sort} onChange={({ target }) => onSort(sortOf({ sort: target.value }))}>
        {sorts.map((each) => (
          <option key={each} value={each}>
            {words.orders[each]}
          </option>
        ))}
      </select>
    </span>
  )
}

/** The columns by which a list is sorted. */
const sortBy: Readonly<Record<string, { readonly down: Sort; readonly up: Sort }>> = {
  amount: { down: "-amount", up: "amount" },
  created_at: { down: "-created", up: "created" }
}

/** The name of a column. A press sorts by it, downwards first. */
export const SortableHead = (props: {
  readonly id: string
  readonly className: string
  readonly sort: Sort | undefined
  readonly onSort: ((sort: Sort) => void) | undefined
  readonly children: string
}) => {
  const { children, className, id, onSort, sort } = props
  const by = sortBy[id]
  if (by === undefined || onSort === undefined) {
    return (
      <th scope="col" className={className}>
        {children}
      </th>
    )
  }
  const way = sort === by.down ? "descending" : sort === by.up ? "ascending" : "none"
  return (
    <th scope="col" className={className} aria-sort={way}>
      <button type="button" className="by" onClick={() => onSort(way === "descending" ? by.up : by.down)}>
        {children}
        <span aria-hidden="true">{{ descending: " ↓", ascending: " ↑", none: " ↕" }[way]}</span>
      </button>
    </th>
  )
}

/** Which rows were sorted, in words. */
export const Picture = ({ onAgain, sorted }: { readonly sorted: Sorted; readonly onAgain: () => void }) => {
  const words = useWords(texts)
  const language = useLanguage()
  const [from, to] = [timeText(sorted.from, language), timeText(sorted.to, language)]
  return (
    <p className="small soft picture">
      {sorted.is_whole ? words.whole(to) : words.cut(from, to)}{" "}
      <button type="button" className="button quiet small" onClick={onAgain}>
        {words.again}
      </button>
    </p>
  )
}
