/** The bell in the frame: what happened in this account, and what of it the person has not read. */
import type { NotificationResource } from "@coffer/contract/Notifications"
import { occasionOf, pageOfOccasion } from "@coffer/model/Occasion"
import { useState } from "react"
import { Link } from "wouter"
import { act, shown } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { lastOf, objectEvery, useLive } from "../api/registry.ts"
import { type InAccount, useAccount } from "../api/session.ts"
import { Loaded } from "../parts/states.tsx"
import { Amount, Time } from "../parts/values.tsx"
import { useLanguage, useWords, wordsIn } from "../parts/words.ts"

const texts = {
  en: {
    title: "Notifications",
    unread: (count: number) => (count === 1 ? "1 unread" : `${count} unread`),
    isUnread: "Unread",
    none: "No notifications yet.",
    all: "Mark all as read",
    settings: "Email settings",
    until: "Deadline: ",
    named: (title: string, unread: string) => `${title}: ${unread}`,
    main: "Main key"
  },
  zh: {
    title: "通知",
    unread: (count: number) => `${count} 条未读`,
    isUnread: "未读",
    none: "暂无通知。",
    all: "全部标为已读",
    settings: "邮件设置",
    until: "截止时间：",
    named: (title: string, unread: string) => `${title}：${unread}`,
    main: "主密钥"
  }
}

const atoms = new Map<string, ReturnType<typeof makeAtom>>()
const makeAtom = ({ merchantId, mode }: Pick<InAccount, "merchantId" | "mode">) =>
  OwnApi.query("notifications", "list", { params: { merchant_id: merchantId }, query: { mode }, reactivityKeys: shown })

/** One query for each account, however often the frame is drawn. */
const notificationsAtom = (account: InAccount) => {
  const atom = atoms.get(account.base) ?? makeAtom(account)
  atoms.set(account.base, atom)
  return atom
}

export const Bell = () => {
  const account = useAccount()
  const words = useWords(texts)
  const [isOpen, setOpen] = useState(false)
  const result = useLive(notificationsAtom(account), objectEvery)
  const unread = (lastOf(result)?.data.data ?? []).filter(({ is_read }) => !is_read)
  const markRead = (some: ReadonlyArray<NotificationResource>) => {
    const ids = some.flatMap(({ is_read, notification_id }) => (is_read ? [] : [notification_id]))
    if (ids.length === 0) return
    const params = { merchant_id: account.merchantId }
    void act(
      OwnApi,
      OwnApi.use((client) => client.notifications.markRead({ params, payload: { notification_ids: ids } }))
    )
  }
  const name = unread.length === 0 ? words.title : words.named(words.title, words.unread(unread.length))
  return (
    <details className="menu bell" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="icon" aria-label={name}>
        <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" fill="none" stroke="currentColor">
          <path strokeWidth="1.75" d="M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15zM10 20.5h4" />
        </svg>
        {unread.length > 0 && (
          <span className="count" aria-hidden="true">
            {unread.length}
          </span>
        )}
      </summary>
      <div className="popup" role="group" aria-label={words.title}>
        {isOpen && (
          <>
            <div className="acts">
              <strong>{words.title}</strong>
              {unread.length > 0 && (
                <button type="button" className="button quiet small" onClick={() => markRead(unread)}>
                  {words.all}
                </button>
              )}
            </div>
            <Loaded result={result} lines={3}>
              {({ data: { data } }) =>
                data.length === 0 ? (
                  <p className="soft small">{words.none}</p>
                ) : (
                  <ul>
                    {data.map((one) => (
                      <li key={one.notification_id}>
                        <Notification
                          notification={one}
                          onOpen={() => {
                            setOpen(false)
                            markRead([one])
                          }}
                        />
                      </li>
                    ))}
                  </ul>
                )
              }
            </Loaded>
            <Link href={`${account.base}/notifications`} onClick={() => setOpen(false)}>
              {words.settings}
            </Link>
          </>
        )}
      </div>
    </details>
  )
}

/** Leads to its object. */
const Notification = (props: { readonly notification: NotificationResource; readonly onOpen: () => void }) => {
  const { about, amount, created_at, currency, deadline, is_read, object_id, occasion } = props.notification
  const { base } = useAccount()
  const words = useWords(texts)
  const language = useLanguage()
  return (
    <Link href={base + pageOfOccasion(occasion, object_id)} onClick={props.onOpen} className={is_read ? "" : "unread"}>
      <span className="what">
        {!is_read && <i role="img" aria-label={words.isUnread} />}
        {wordsIn(occasionOf(occasion).title, language)}
      </span>
      <span className="small">
        <bdi>{about ?? (object_id === "main" ? words.main : object_id)}</bdi>
        {amount !== null && currency !== null && (
          <>
            {" · "}
            <Amount minor={amount} currency={currency} />
          </>
        )}
      </span>
      {deadline !== null && (
        <span className="small">
          {words.until}
          <Time at={deadline} />
        </span>
      )}
      <span className="small soft">
        <Time at={created_at} />
      </span>
    </Link>
  )
}
