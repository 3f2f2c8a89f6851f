/** The person's active sessions: one per browser, to end one or all. */
import type { SessionResource } from "@coffer/contract/People"
import { act, shown } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { forgetDrafts } from "../api/drafts.ts"
import { lastOf, useAtom } from "../api/registry.ts"
import { sessionAtom } from "../api/session.ts"
import { Act } from "./act.tsx"
import { Rows } from "./ListPage.tsx"
import { Loaded } from "./states.tsx"
import { Time } from "./values.tsx"
import { useWords } from "./words.ts"

const texts = {
  en: {
    title: "Active sessions",
    says: "End any session that you don't recognize, then check your passkeys.",
    passkeys: "Passkeys and sign-in",
    browser: "Browser",
    here: "this browser",
    way: "Method",
    ways: { link: "Email link", passkey: "Passkey", openid: "OpenID" },
    ip: "IP address",
    opened: "Signed in",
    seen: "Last used",
    acts: "Actions",
    end: "End",
    endSays: "Signs that browser out immediately.",
    all: "Sign out everywhere",
    allSays: "All sessions end immediately, including this one."
  },
  zh: {
    title: "登录设备",
    says: "如发现不认识的会话，请结束该会话并检查您的通行密钥。",
    passkeys: "通行密钥与登录",
    browser: "浏览器",
    here: "当前浏览器",
    way: "登录方式",
    ways: { link: "邮件链接", passkey: "通行密钥", openid: "OpenID" },
    ip: "IP 地址",
    opened: "登录时间",
    seen: "最近使用",
    acts: "操作",
    end: "结束",
    endSays: "该浏览器将立即退出登录。",
    all: "退出所有设备",
    allSays: "所有会话将立即结束，包括当前会话。"
  }
}

type Session = SessionResource

/** "Chrome, Linux" from a User-Agent. */
export const browserText = (agent: string): string => {
  const browser = /(Edg|OPR|Firefox|Chrome|Safari)\//.exec(agent.replace(/HeadlessChrome/, "Chrome"))?.[1]
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(agent)?.[1]
  const names: Readonly<Record<string, string>> = { Edg: "Edge", OPR: "Opera", "Mac OS X": "macOS" }
  const parts = [browser, system].flatMap((part) => (part === undefined ? [] : [names[part] ?? part]))
  return parts.length === 0 ? agent.slice(0, 60) : parts.join(", ")
}

const Sessions = () => {
  const words = useWords(texts)
  const email = lastOf(useAtom(sessionAtom))?.data.person.email ?? ""
  const sessions = useAtom(OwnApi.query("session", "list", { reactivityKeys: shown }))
  const columns = [
    {
      id: "browser",
      name: words.browser,
      text: ({ user_agent }: Session) => user_agent,
      cell: ({ is_current, user_agent }: Session) => (
        <span title={user_agent}>
          {browserText(user_agent)} {is_current && <span className="state good">{words.here}</span>}
        </span>
      )
    },
    {
      id: "way",
      name: words.way,
      isWide: true,
      text: ({ way }: Session) => way,
      cell: ({ way }: Session) => words.ways[way]
    },
    { id: "ip", name: words.ip, text: ({ ip }: Session) => ip, cell: ({ ip }: Session) => ip },
    {
      id: "opened",
      name: words.opened,
      isWide: true,
      text: ({ created_at }: Session) => created_at,
      cell: ({ created_at }: Session) => <Time at={created_at} />
    },
    {
      id: "seen",
      name: words.seen,
      text: ({ last_seen_at }: Session) => last_seen_at,
      cell: ({ last_seen_at }: Session) => <Time at={last_seen_at} />
    },
    {
      id: "acts",
      name: words.acts,
      cell: ({ is_current, session_id }: Session) =>
        is_current ? (
          ""
        ) : (
          <span className="acts">
            <Act
              name={words.end}
              says={words.endSays}
              run={() =>
                act(
                  OwnApi,
                  OwnApi.use((client) => client.session.endOther({ params: { session_id } }))
                )
              }
            />
          </span>
        )
    }
  ]
  return (
    <section className="list">
      <header className="head">
        <h1>{words.title}</h1>
        <div className="acts">
          <a href="/console/sign-in?manage" className="button quiet">
            {words.passkeys}
          </a>
          <Act
            name={words.all}
            endangers={email}
            says={words.allSays}
            run={() =>
              act(
                OwnApi,
                OwnApi.use((client) => client.session.endAll())
              )
            }
            onDone={() => {
              forgetDrafts()
              location.assign("/console/sign-in")
            }}
          />
        </div>
      </header>
      <p className="soft">{words.says}</p>
      <Loaded result={sessions}>
        {({ data: { data: rows } }) => (
          <Rows
            list={{ title: words.title, keyOf: ({ session_id }: Session) => session_id }}
            columns={columns}
            rows={rows}
          />
        )}
      </Loaded>
    </section>
  )
}

export default Sessions
