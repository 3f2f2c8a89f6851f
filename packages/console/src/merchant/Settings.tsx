/** Settings of a merchant in one environment, its terms, and its usage of rate limits. */
import type { MerchantSettingsResource, UpdateMerchantSettings } from "@coffer/contract/ConsoleMerchant"
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import { forbiddenField } from "@coffer/rules/people/mayDo"
import { useState } from "react"
import { type Outcome, type Problem, act, readAgain, shown } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { useAtom } from "../api/registry.ts"
import { sent } from "../api/sent.ts"
import { useAccount } from "../api/session.ts"
import { Act, Field, TextField } from "../parts/act.tsx"
import { Facts } from "../parts/ObjectPage.tsx"
import { DetailFields, typedDetails, useDetailFacts } from "../parts/shopDetails.tsx"
import { Loaded, Trouble } from "../parts/states.tsx"
import { UploadField } from "../parts/UploadField.tsx"
import { methodText } from "../parts/values.tsx"
import { useLanguage, useWords } from "../parts/words.ts"
import { CheckoutPreview, logoAddress } from "./CheckoutPreview.tsx"
import { CheckoutDomain } from "./Domain.tsx"
import { Quotas, Terms } from "./Terms.tsx"
import { typedIn, typedText } from "../parts/typed.tsx"

const texts = {
  en: {
    title: "Settings",
    shop: "Public details",
    shopSays: "Shown to buyers on checkout pages, receipts and emails.",
    name: "Name",
    nameHint: "Only the operator of the service can change the name.",
    logo: "Logo",
    logoHint: "PNG or JPEG, up to 256 kB and 2,048 × 2,048 pixels.",
    addLogo: "Choose image",
    removeLogo: "Remove logo",
    change: "Edit",
    keys: "API key IP allowlist",
    keysSays:
      "IP addresses and ranges of your servers, separated by commas or spaces. Leave empty to allow any address.",
    keysWarning: "Calls from all other addresses are refused immediately. A wrong list locks out your own servers.",
    fresh: "You need to have signed in within the last 15 minutes. If this is refused, sign out and sign in again.",
    anywhere: "Any address",
    allowlist: "Addresses",
    notify: "Default event URL",
    notifySays: "Receives events that no webhook endpoint is subscribed to. Leave empty to send them nowhere.",
    nowhere: "None",
    methods: "Payment methods",
    methodsSays: "Shown to buyers on checkout pages.",
    mails: "Sandbox emails",
    mailsSays:
      "The sandbox sends emails only to these addresses, or to a whole domain such as @shop.example. All others are kept but not sent. " +
      "Each address must belong to a team member who has signed in.",
    recipients: "Addresses, one per line",
    noRecipients: "None"
  },
  zh: {
    title: "设置",
    shop: "公开信息",
    shopSays: "在收银台、收据和邮件中向买家显示。",
    name: "名称",
    nameHint: "仅平台运营方可以修改名称。",
    logo: "徽标",
    logoHint: "PNG 或 JPEG，不超过 256 kB 和 2,048 × 2,048 像素。",
    addLogo: "选择图片",
    removeLogo: "移除徽标",
    change: "编辑",
    keys: "API 密钥 IP 白名单",
    keysSays: "您服务器的 IP 地址和网段，以逗号或空格分隔。留空则不限制。",
    keysWarning: "来自其他地址的调用将立即被拒绝。填写错误会导致您自己的服务器无法调用。",
    fresh: "需要在 15 分钟内登录过。如被拒绝，请退出并重新登录。",
    anywhere: "不限制",
    allowlist: "地址",
    notify: "默认事件 URL",
    notifySays: "接收没有任何 Webhook 端点订阅的事件。留空则不发送。",
    nowhere: "无",
    methods: "支付方式",
    methodsSays: "在收银台向买家显示。",
    mails: "沙盒邮件",
    mailsSays:
      "沙盒仅向这些地址（或整个域名，如 @shop.example）发送邮件，其余邮件仅保存不发送。地址必须属于已登录过的团队成员。",
    recipients: "地址，每行一个",
    noRecipients: "无"
  }
}

type Shown = MerchantSettingsResource
type Patch = Partial<UpdateMerchantSettings>

const Settings = () => {
  const { merchantId } = useAccount()
  const words = useWords(texts)
  const settings = useAtom(
    OwnApi.query("settings", "get", { params: { merchant_id: merchantId }, reactivityKeys: shown })
  )
  return (
    <section className="stack">
      <h1>{words.title}</h1>
      <Loaded result={settings} lines={10}>
        {({ data }) => (
          <div className="sides">
            <div className="stack">
              <Shop settings={data} />
              <Logo settings={data} />
              <CheckoutDomain settings={data} />
              <Allowlist settings={data} />
              <DefaultAddress settings={data} />
              <Methods settings={data} />
              <Mails settings={data} />
            </div>
            <div className="stack">
              <Terms settings={data} />
              <Quotas />
            </div>
          </div>
        )}
      </Loaded>
    </section>
  )
}

/** A section of the settings: its purpose, its values, and a dialog to edit them, for roles that may. */
const Part = (props: {
  readonly title: string
  readonly says: string
  /** The version of the settings that are shown. */
  readonly version: string
  readonly warning?: React.ReactNode
  readonly children: React.ReactNode
  readonly fields: React.ReactNode
  /** The fields need more room. */
  readonly isWide?: boolean
  readonly patch: (typed: FormData) => Patch
}) => {
  const { merchantId, role } = useAccount()
  const words = useWords(texts)
  const isAllowed = forbiddenField("settings.update", role, props.patch(new FormData())) === undefined
  const run = (typed: FormData, replaces: string | undefined): Promise<Outcome<unknown>> =>
    act(
      OwnApi,
      OwnApi.use((client) =>
        client.settings.update({ params: { merchant_id: merchantId }, payload: sent(props.patch(typed)) })
      ),
      3,
      replaces
    )
  return (
    <section className="card">
      <header className="head">
        <h2>{props.title}</h2>
        {isAllowed && (
          <Act
            name={`${words.change}: ${props.title}`}
            label={words.change}
            says={props.warning ?? props.says}
            fields={props.fields}
            isWide={props.isWide === true}
            run={run}
            version={props.version}
            onChanged={() => void readAgain(OwnApi)}
          />
        )}
      </header>
      <p className="soft small">{props.says}</p>
      {props.children}
    </section>
  )
}

const Shop = ({ settings }: { readonly settings: Shown }) => {
  const words = useWords(texts)
  const details = useDetailFacts(settings)
  return (
    <Part
      version={settings.version}
      title={words.shop}
      says={words.shopSays}
      isWide
      fields={
        <div className="previewed">
          <div className="stack">
            <DetailFields details={settings} />
          </div>
          <CheckoutPreview name={settings.name} logo={settings.logo_url} />
        </div>
      }
      patch={(typed) => sent(typedDetails(typed))}
    >
      <Facts
        isBare
        facts={[
          [
            words.name,
            <>
              {settings.name} <span className="soft small block">{words.nameHint}</span>
            </>
          ],
          ...details
        ]}
      />
    </Part>
  )
}

/** Two calls: the picture is uploaded like any file, and then set in the settings. */
const Logo = ({ settings }: { readonly settings: Shown }) => {
  const { merchantId, role } = useAccount()
  const words = useWords(texts)
  const [problem, setProblem] = useState<Problem>()
  const isAllowed = forbiddenField("settings.update", role, { logo_url: null }) === undefined
  const name = async (logo_url: string | null) => {
    const outcome = await act(
      OwnApi,
      OwnApi.use((client) =>
        client.settings.update({ params: { merchant_id: merchantId }, payload: sent({ logo_url }) })
      )
    )
    if ("problem" in outcome) setProblem(outcome.problem)
  }
  return (
    <section className="card">
      <h2>{words.logo}</h2>
      {settings.logo_url !== null && (
        <p>
          <img className="logo" src={logoAddress(settings.logo_url)} alt={`${words.logo}: ${settings.name}`} />
        </p>
      )}
      {isAllowed && (
        <UploadField
          label={words.addLogo}
          hint={words.logoHint}
          accept="image/png,image/jpeg"
          onProblem={setProblem}
          onDone={name}
        />
      )}
      {isAllowed && settings.logo_url !== null && (
        <button type="button" className="button" onClick={() => void name(null)}>
          {words.removeLogo}
        </button>
      )}
      {problem !== undefined && <Trouble problem={problem} />}
    </section>
  )
}

const Allowlist = ({ settings }: { readonly settings: Shown }) => {
  const { mode } = useAccount()
  const words = useWords(texts)
  const { ip_allowlist } = settings[mode]
  return (
    <Part
      version={settings.version}
      title={words.keys}
      says={words.keysSays}
      warning={
        <>
          <p>{words.keysWarning}</p>
          {mode === "live" && <p>{words.fresh}</p>}
        </>
      }
      fields={
        <Field label={words.allowlist} hint={words.keysSays}>
          {(id, described) => (
            <textarea
              id={id}
              name="ip_allowlist"
              defaultValue={ip_allowlist}
              aria-describedby={described}
              maxLength={10_000}
            />
          )}
        </Field>
      }
      patch={(typed) => ({ [mode]: { ip_allowlist: typedText(typed, "ip_allowlist").replaceAll(/[\s,]+/g, ", ") } })}
    >
      {ip_allowlist === "" ? <p>{words.anywhere}</p> : <code>{ip_allowlist}</code>}
    </Part>
  )
}

const DefaultAddress = ({ settings }: { readonly settings: Shown }) => {
  const { mode } = useAccount()
  const words = useWords(texts)
  const { default_notify_url } = settings[mode]
  return (
    <Part
      version={settings.version}
      title={words.notify}
      says={words.notifySays}
      fields={
        <TextField
          label={words.notify}
          name="default_notify_url"
          type="url"
          maxLength={2048}
          initial={default_notify_url ?? ""}
        />
      }
      patch={(typed) => ({ [mode]: { default_notify_url: typedIn(typed, "default_notify_url") ?? null } })}
    >
      <p className="address">{default_notify_url ?? <span className="soft">{words.nowhere}</span>}</p>
    </Part>
  )
}

const Methods = ({ settings }: { readonly settings: Shown }) => {
  const { mode } = useAccount()
  const words = useWords(texts)
  const language = useLanguage()
  const offered: ReadonlyArray<string> = settings[mode].payment_methods
  return (
    <Part
      version={settings.version}
      title={words.methods}
      says={words.methodsSays}
      fields={
        <fieldset className="checks">
          <legend>{words.methods}</legend>
          {PaymentMethod.literals.map((method) => (
            <label key={method}>
              <input type="checkbox" name="methods" value={method} defaultChecked={offered.includes(method)} />
              {methodText(method, language)}
            </label>
          ))}
        </fieldset>
      }
      patch={(typed) => {
        const chosen = typed.getAll("methods")
        const methods = { payment_methods: PaymentMethod.literals.filter((method) => chosen.includes(method)) }
        return mode === "live" ? { live: methods } : { sandbox: methods }
      }}
    >
      <p>{offered.map((method) => methodText(method, language)).join(language !== "en" ? "、" : ", ")}</p>
    </Part>
  )
}

const Mails = ({ settings }: { readonly settings: Shown }) => {
  const { mode } = useAccount()
  const words = useWords(texts)
  if (mode === "live") return null
  const { mail_recipients } = settings.sandbox
  return (
    <Part
      version={settings.version}
      title={words.mails}
      says={words.mailsSays}
      fields={
        <Field label={words.recipients}>
          {(id) => (
            <textarea id={id} name="mail_recipients" defaultValue={mail_recipients.join("\n")} maxLength={6_000} />
          )}
        </Field>
      }
      patch={(typed) => ({
        sandbox: {
          mail_recipients: typedText(typed, "mail_recipients")
            .split(/[\s,]+/)
            .filter((each) => each !== "")
        }
      })}
    >
      <p className="address">
        {mail_recipients.length === 0 ? <span className="soft">{words.noRecipients}</span> : mail_recipients.join(", ")}
      </p>
    </Part>
  )
}

export default Settings
