/** What the person gets emails about, for one merchant: a switch for each occasion. */
import type { NotificationSettingsResource } from "@coffer/contract/Notifications"
import { type Occasion, occasionOf } from "@coffer/model/Occasion"
import { useId, useState } from "react"
import { act, type Problem, shown } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { useAtom } from "../api/registry.ts"
import { useAccount } from "../api/session.ts"
import { Loaded, Trouble } from "../parts/states.tsx"
import { useLanguage, useWords, wordsIn } from "../parts/words.ts"

const texts = {
  en: {
    title: "Notifications",
    says:
      "Emails about this merchant's live environment. The bell shows all notifications of the environment you are in. " +
      "These settings are yours; other team members have their own.",
    to: "Emails go to",
    language: "Language of the emails",
    occasion: "Event",
    mail: "Email",
    mailOf: (label: string) => `Email: ${label}`,
    digest: "After 20 emails on one day, the others come in one email on the next day."
  },
  zh: {
    title: "通知",
    says: "关于该商户正式环境的邮件。铃铛会显示当前环境的所有通知。这些设置仅对您有效，其他成员各有自己的设置。",
    to: "邮件发送至",
    language: "邮件语言",
    occasion: "事件",
    mail: "邮件",
    mailOf: (label: string) => `邮件：${label}`,
    digest: "一天内超过 20 封后，其余通知将在次日合并为一封邮件。"
  }
}

const NotificationsPage = () => {
  const { merchantId } = useAccount()
  const words = useWords(texts)
  const settings = useAtom(
    OwnApi.query("notifications", "getSettings", { params: { merchant_id: merchantId }, reactivityKeys: shown })
  )
  return (
    <section className="stack">
      <h1>{words.title}</h1>
      <p className="lead">{words.says}</p>
      <Loaded result={settings} lines={10}>
        {({ data }) => <Settings settings={data} />}
      </Loaded>
    </section>
  )
}

interface Change {
  readonly language?: "en" | "zh"
  readonly mails?: Partial<Record<Occasion, boolean>>
}

const Settings = ({ settings }: { readonly settings: NotificationSettingsResource }) => {
  const words = useWords(texts)
  const language = useLanguage()
  const caption = useId()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  const change = (payload: Change) => {
    setBusy(true)
    const params = { merchant_id: settings.merchant_id }
    void act(
      OwnApi,
      OwnApi.use((client) => client.notifications.updateSettings({ params, payload }))
    ).then((outcome) => {
      setBusy(false)
      setProblem("problem" in outcome ? outcome.problem : undefined)
    })
  }
  return (
    <div className="stack">
      <p>
        {words.to} <strong>{settings.email}</strong>
      </p>
      <label className="field">
        <span className="label">{words.language}</span>
        <select
          value={settings.language}
          disabled={isBusy}
          onChange={(event) => change({ language: event.target.value as "en" | "zh" })}
        >
          <option value="en">English</option>
          <option value="zh">中文</option>
        </select>
      </label>
      {problem !== undefined && <Trouble problem={problem} />}
      <p id={caption} className="soft small">
        {words.digest}
      </p>
      <div className="table" tabIndex={0} role="region" aria-labelledby={caption}>
        <table>
          <thead>
            <tr>
              <th scope="col">{words.occasion}</th>
              <th scope="col">{words.mail}</th>
            </tr>
          </thead>
          <tbody>
            {settings.occasions.map(({ is_mailed, occasion }) => {
              const label = wordsIn(occasionOf(occasion).label, language)
              return (
                <tr key={occasion}>
                  <th scope="row">{label}</th>
                  <td>
                    <label className="target">
                      <input
                        type="checkbox"
                        aria-label={words.mailOf(label)}
                        checked={is_mailed}
                        disabled={isBusy}
                        onChange={(event) => change({ mails: { [occasion]: event.target.checked } })}
                      />
                    </label>
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </div>
  )
}

export default NotificationsPage
