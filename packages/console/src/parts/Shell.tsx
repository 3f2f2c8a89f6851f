/** The frame of all pages: place, menu, search, account, and connection status. */
import type { SignedInResource } from "@coffer/contract/Console"
import { useEffect, useRef } from "react"
import { Link, useLocation } from "wouter"
import { awaySince } from "../api/connection.ts"
import { act } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { forgetDrafts } from "../api/drafts.ts"
import { useAtom } from "../api/registry.ts"
import { type NamedPage, SearchBox } from "./SearchBox.tsx"
import {
  chooseLanguage,
  chooseTheme,
  type Language,
  languageNames,
  languages,
  tags,
  type Theme,
  themeAtom,
  useLanguage,
  useWords
} from "./words.ts"
import { timeText } from "./values.tsx"

export type SignedIn = typeof SignedInResource.Type

export interface NavGroup {
  readonly title?: string
  readonly links: ReadonlyArray<readonly [path: string, text: string]>
}

const texts = {
  en: {
    menu: "Menu",
    close: "Close",
    sandbox: "Sandbox: no real money moves",
    live: "Live: real money",
    away: "The service is not responding. You see what was loaded before; actions are disabled. Since",
    skip: "Skip to content",
    signOut: "Sign out",
    sessions: "Active sessions",
    passkeys: "Passkeys and sign-in",
    theme: "Appearance",
    light: "Light",
    dark: "Dark",
    auto: "System",
    language: "Language",
    account: "Account",
    pages: "Pages",
    environment: "Environment"
  },
  zh: {
    menu: "菜单",
    close: "关闭",
    sandbox: "沙盒环境：不会产生真实资金流动",
    live: "正式环境：真实资金",
    away: "服务没有响应。页面显示之前加载的内容，暂时无法操作。自",
    skip: "跳到内容",
    signOut: "退出登录",
    sessions: "登录设备",
    passkeys: "通行密钥与登录",
    theme: "外观",
    light: "浅色",
    dark: "深色",
    auto: "跟随系统",
    language: "语言",
    account: "账户",
    pages: "页面",
    environment: "环境"
  }
}

export const Shell = (props: {
  readonly signedIn: SignedIn
  /** Undefined for the pages of operators. */
  readonly mode?: "sandbox" | "live"
  /** Above the links: which merchant and environment, and the other ones. */
  readonly place: React.ReactNode
  readonly nav: ReadonlyArray<NavGroup>
  readonly base: string
  /** The person's notifications; operators have none. */
  readonly bell?: React.ReactNode
  /** The search box, which offers the pages of the menu as well. */
  readonly search: Omit<React.ComponentProps<typeof SearchBox>, "pages">
  readonly children: React.ReactNode
}) => {
  const { base, bell, children, mode, nav, place, search, signedIn } = props
  const words = useWords(texts)
  const language = useLanguage()
  const away = useAtom(awaySince)
  const [path] = useLocation()
  const drawer = useRef<HTMLDialogElement>(null)
  useEffect(() => drawer.current?.close(), [path])
  const links = (
    <nav className="links" aria-label={words.pages}>
      {nav.map(({ links, title }, index) => (
        <div key={title ?? index}>
          {title !== undefined && <p className="group">{title}</p>}
          {links.map(([to, text]) => {
            const href = `${base}${to}`
            const isHere = to === "" ? path === base : path === href || path.startsWith(`${href}/`)
            return (
              <Link key={to} href={href} aria-current={isHere ? "page" : undefined}>
                {text}
              </Link>
            )
          })}
        </div>
      ))}
    </nav>
  )
  return (
    <div className={`shell ${mode ?? "operator"}`}>
      <a className="skip" href="#content">
        {words.skip}
      </a>
      {mode === "sandbox" && (
        <aside className="strip" aria-label={words.environment}>
          {words.sandbox}
        </aside>
      )}
      <header className="bar">
        <button
          type="button"
          className="icon phone"
          aria-label={words.menu}
          onClick={() => drawer.current?.showModal()}
        >
          ☰
        </button>
        <Link href={base} className="brand">
          Coffer
        </Link>
        <div className="search">
          <SearchBox {...search} pages={namedPages(nav, base)} />
        </div>
        {bell}
        <PersonMenu signedIn={signedIn} base={base} />
      </header>
      <aside className="side" aria-label={words.menu}>
        {place}
        {links}
      </aside>
      <dialog ref={drawer} className="drawer" aria-label={words.menu}>
        <button type="button" className="icon" aria-label={words.close} onClick={() => drawer.current?.close()}>
          ✕
        </button>
        {place}
        {links}
      </dialog>
      {away !== undefined && (
        <p className="away" role="alert">
          {words.away} {timeText(away.toISOString(), language)}
        </p>
      )}
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

const PersonMenu = (props: { readonly signedIn: SignedIn; readonly base: string }) => {
  const { person } = props.signedIn
  const words = useWords(texts)
  const language = useLanguage()
  const theme = useAtom(themeAtom)
  const signOut = () =>
    void act(
      OwnApi,
      OwnApi.use((client) => client.session.end())
    ).then((outcome) => {
      if ("done" in outcome) forgetDrafts()
      location.assign("/console/sign-in")
    })
  return (
    <details className="menu person">
      <summary className="icon" aria-label={`${words.account}: ${person.email}`}>
        {person.name.slice(0, 1).toUpperCase()}
      </summary>
      <div className="popup">
        <p className="small">
          <strong>{person.name}</strong>
          <br />
          {person.email}
        </p>
        <label>
          {words.language}{" "}
          <select value={language} onChange={(event) => void chooseLanguage(event.target.value as Language)}>
            {languages.map((each) => (
              <option key={each} value={each} lang={tags[each]}>
                {languageNames[each]}
              </option>
            ))}
          </select>
        </label>
        <label>
          {words.theme}{" "}
          <select value={theme} onChange={(event) => chooseTheme(event.target.value as Theme)}>
            <option value="auto">{words.auto}</option>
            <option value="light">{words.light}</option>
            <option value="dark">{words.dark}</option>
          </select>
        </label>
        {/* The pages of operators have their own. */}
        {props.base !== "/operator" && <Link href={`${props.base}/sessions`}>{words.sessions}</Link>}
        <a href="/console/sign-in?manage">{words.passkeys}</a>
        <button type="button" onClick={signOut}>
          {words.signOut}
        </button>
      </div>
    </details>
  )
}

/** The menu's pages for the search box. */
const namedPages = (nav: ReadonlyArray<NavGroup>, base: string): ReadonlyArray<NamedPage> =>
  nav.flatMap(({ links, title }) => links.map(([to, name]) => ({ href: `${base}${to}`, name, group: title })))
