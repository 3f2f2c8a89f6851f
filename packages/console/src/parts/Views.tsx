/** Saved views of a list: named filters and columns, private or shared with the merchant's people. */
import type { SavedViewResource } from "@coffer/contract/SavedViews"
import { useContext, useState } from "react"
import { act, shown } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { useAtom } from "../api/registry.ts"
import { AccountContext, type InAccount } from "../api/session.ts"
import { Act, TextField } from "./act.tsx"
import { Loaded } from "./states.tsx"
import { rowsOf } from "./walkPages.ts"
import { useWords } from "./words.ts"

const texts = {
  en: {
    views: "Views",
    all: "All",
    none: "No saved views yet. Set filters and columns, then save them as a view.",
    shared: "Shared",
    save: "Save view",
    saveSays: "Saves the current filters and columns.",
    name: "Name",
    share: "Share with all team members",
    remove: "Remove",
    removeSays: "The view is removed for everyone who can see it."
  },
  zh: {
    views: "视图",
    all: "全部",
    none: "还没有保存的视图。设置筛选和列后，可将其保存为视图。",
    shared: "共享",
    save: "保存此视图",
    saveSays: "保存当前的筛选条件和显示的列。",
    name: "名称",
    share: "与所有团队成员共享",
    remove: "移除",
    removeSays: "所有能看到该视图的成员都将无法再使用它。"
  }
}

export interface ViewState {
  readonly filters: Readonly<Record<string, string>>
  /** The columns that are shown, by their ids. */
  readonly columns: ReadonlyArray<string>
}

const queryOf = ({ columns, filters }: ViewState): string =>
  String(new URLSearchParams({ ...filters, columns: columns.join(",") }))

export const stateOf = (query: string): ViewState => {
  const { columns, ...filters } = Object.fromEntries(new URLSearchParams(query))
  return { filters, columns: columns === undefined ? [] : columns.split(",") }
}

interface Props {
  /** The list's id. */
  readonly page: string
  readonly now: ViewState
  readonly onChoose: (view: ViewState) => void
}

/** Pages of operators have no views. */
export const Views = (props: Props) => {
  const account = useContext(AccountContext)
  return account === undefined ? null : <ViewsMenu {...props} account={account} />
}

const ViewsMenu = (props: Props & { readonly account: InAccount }) => {
  const words = useWords(texts)
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="menu" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="button quiet small">{words.views}</summary>
      <div className="popup views">{isOpen && <ViewsList {...props} onClose={() => setOpen(false)} />}</div>
    </details>
  )
}

/** The saved views of a list as tabs above it, the chosen one marked. */
export const ViewTabs = (props: Props) => {
  const account = useContext(AccountContext)
  return account === undefined ? null : <Tabs {...props} merchantId={account.merchantId} />
}

const sameView = (one: ViewState, other: ViewState) =>
  textOf(one.filters) === textOf(other.filters) &&
  (one.columns.length === 0 || one.columns.join() === other.columns.join())
const textOf = (filters: ViewState["filters"]) => JSON.stringify(Object.entries(filters).toSorted())

const Tabs = ({ merchantId, now, onChoose, page }: Props & { readonly merchantId: string }) => {
  const words = useWords(texts)
  const views = rowsOf(useAtom(viewsAtom(merchantId))).filter((view) => view.page === page)
  if (views.length === 0) return null
  const isAll = Object.keys(now.filters).length === 0
  return (
    <div className="tabs" role="group" aria-label={words.views}>
      <button type="button" aria-pressed={isAll} onClick={() => onChoose({ filters: {}, columns: [] })}>
        {words.all}
      </button>
      {views.map(({ name, query, view_id }) => (
        <button
          key={view_id}
          type="button"
          aria-pressed={!isAll && sameView(stateOf(query), now)}
          onClick={() => onChoose(stateOf(query))}
        >
          {name}
        </button>
      ))}
    </div>
  )
}

/** All views of the merchant's lists that this person sees. */
export const viewsAtom = (merchantId: string) =>
  OwnApi.query("saved_views", "list", { params: { merchant_id: merchantId }, reactivityKeys: shown })

/** Loaded when the menu is opened. */
const ViewsList = (props: Props & { readonly account: InAccount; readonly onClose: () => void }) => {
  const { account, now, onChoose, onClose, page } = props
  const words = useWords(texts)
  const { merchantId, role } = account
  const params = { merchant_id: merchantId }
  const result = useAtom(viewsAtom(merchantId))
  const mayRemove = (view: SavedViewResource) => view.is_own || (view.is_shared && role === "owner")
  return (
    <>
      <Loaded result={result} lines={2}>
        {({ data: { data } }) => {
          const views = data.filter((view) => view.page === page)
          if (views.length === 0) return <p className="soft small">{words.none}</p>
          return views.map((view) => (
            <div key={view.view_id} className="view">
              <button
                type="button"
                onClick={() => {
                  onClose()
                  onChoose(stateOf(view.query))
                }}
              >
                {view.name} {view.is_shared && <span className="soft small">{words.shared}</span>}
              </button>
              {mayRemove(view) && (
                <Act
                  name={words.remove}
                  endangers={view.name}
                  says={words.removeSays}
                  run={() =>
                    act(
                      OwnApi,
                      OwnApi.use((client) =>
                        client.saved_views.remove({ params: { ...params, view_id: view.view_id } })
                      )
                    )
                  }
                />
              )}
            </div>
          ))
        }}
      </Loaded>
      <Act
        name={words.save}
        isPrimary
        says={words.saveSays}
        fields={
          <>
            <TextField label={words.name} name="name" isRequired maxLength={100} />
            {role !== "viewer" && (
              <label className="check">
                <input type="checkbox" name="is_shared" />
                {words.share}
              </label>
            )}
          </>
        }
        run={(typed) =>
          act(
            OwnApi,
            OwnApi.use((client) =>
              client.saved_views.create({
                params,
                payload: {
                  page,
                  name: String(typed.get("name") ?? "").trim(),
                  query: queryOf(now),
                  is_shared: typed.get("is_shared") !== null
                }
              })
            ),
            1
          )
        }
      />
    </>
  )
}
