/** A shop's own host for checkout: the host, the records that prove it, and its state. */
import type { MerchantSettingsResource } from "@coffer/contract/ConsoleMerchant"
import { forbiddenField } from "@coffer/rules/people/mayDo"
import { useState } from "react"
import { type Problem, act } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { sent } from "../api/sent.ts"
import { useAccount } from "../api/session.ts"
import { Act, TextField } from "../parts/act.tsx"
import { Trouble } from "../parts/states.tsx"
import { Copy, State, Time } from "../parts/values.tsx"
import { useWords } from "../parts/words.ts"

type Domain = NonNullable<MerchantSettingsResource["checkout_domain"]>

const texts = {
  en: {
    title: "Custom checkout domain",
    says: "Checkout links use this domain, in the sandbox too. Links you have already sent keep working.",
    none: "Checkout links use this service's own domain.",
    off: "Custom domains are no longer available on this service. Checkout links use its own domain.",
    add: "Add domain",
    change: "Change domain",
    remove: "Remove domain",
    removeSays:
      "New links use this service's own domain right away. Links with this domain work as long as it points here.",
    changeSays:
      "The current domain is removed right away. Links use this service's own domain until the new one is verified.",
    host: "Domain",
    hostHint: "A subdomain of yours, such as pay.shop.example.",
    records: "DNS records",
    recordsSay: "Add these records at your DNS provider, and keep them: they are checked regularly.",
    name: "name",
    value: "value",
    oneIsEnough: "One of the records that point here is enough: CNAME, or A and AAAA.",
    check: "Check now",
    checking: "Checking…",
    checked: "Last checked",
    verified: "Verified since",
    pendingSays: "We check automatically for 30 days: every minute at first, then less often.",
    goesBack: "In use until",
    problems: {
      no_record: "TXT record not found yet. New records can take up to an hour to propagate.",
      other_record: "A TXT record with this name has a different value. Copy the value below.",
      not_pointing: "The TXT record is there, but the domain does not point here yet.",
      no_answer: "Your domain's name servers did not respond.",
      taken:
        "Another account on this service uses this domain, and its TXT record still exists. Remove that record to claim the domain.",
      no_room: "This service has reached its limit of custom domains. Contact the operator."
    }
  },
  zh: {
    title: "自有收银台域名",
    says: "收银台链接（包括沙盒）将使用该域名，已发出的链接仍然有效。",
    none: "收银台链接使用本服务的域名。",
    off: "本服务已不再提供自有域名，收银台链接使用本服务的域名。",
    add: "添加域名",
    change: "更换域名",
    remove: "移除域名",
    removeSays: "新链接将立即改用本服务的域名。该域名仍指向本服务时，使用该域名的链接继续有效。",
    changeSays: "当前域名将立即移除。新域名验证通过之前，链接使用本服务的域名。",
    host: "域名",
    hostHint: "您的子域名，例如 pay.shop.example。",
    records: "DNS 记录",
    recordsSay: "请在您的 DNS 服务商处添加并保留这些记录，系统会定期检查。",
    name: "名称",
    value: "值",
    oneIsEnough: "指向本服务的记录添加其中一种即可：CNAME，或 A 和 AAAA。",
    check: "立即检查",
    checking: "检查中…",
    checked: "上次检查",
    verified: "验证时间",
    pendingSays: "系统会在 30 天内自动检查：起初每分钟一次，之后逐渐减少。",
    goesBack: "该域名可使用至",
    problems: {
      no_record: "尚未找到 TXT 记录。新记录最长可能需要一小时生效。",
      other_record: "存在同名 TXT 记录，但值不一致。请复制下方的值。",
      not_pointing: "已找到 TXT 记录，但该域名尚未指向本服务。",
      no_answer: "您的域名服务器没有响应。",
      taken: "本服务的另一账户正在使用该域名，且其 TXT 记录仍然存在。删除该记录后即可使用此域名。",
      no_room: "本服务的自有域名数量已达上限，请联系运营方。"
    }
  }
}

export const CheckoutDomain = ({ settings }: { readonly settings: MerchantSettingsResource }) => {
  const { merchantId, role } = useAccount()
  const words = useWords(texts)
  const { checkout_domain: domain, checkout_domain_points_to: pointTo } = settings
  const isOn = pointTo.length > 0
  if (!isOn && domain === null) return null
  const isAllowed = forbiddenField("settings.update", role, { checkout_domain: null }) === undefined
  const set = (checkout_domain: string | null) =>
    act(
      OwnApi,
      OwnApi.use((client) =>
        client.settings.update({ params: { merchant_id: merchantId }, payload: sent({ checkout_domain }) })
      )
    )
  return (
    <section className="card">
      <header className="head">
        <h2>{words.title}</h2>
        {isAllowed && (
          <div className="acts">
            {isOn && (
              <Act
                name={domain === null ? words.add : words.change}
                says={domain === null ? words.says : words.changeSays}
                fields={
                  <TextField
                    label={words.host}
                    name="host"
                    isRequired
                    maxLength={245}
                    initial={domain?.host ?? ""}
                    hint={words.hostHint}
                  />
                }
                run={(typed) => set(String(typed.get("host")).trim().toLowerCase())}
              />
            )}
            {domain !== null && (
              <Act name={words.remove} endangers={domain.host} says={words.removeSays} run={() => set(null)} />
            )}
          </div>
        )}
      </header>
      <p className="soft small">{isOn ? words.says : words.off}</p>
      {domain === null ? <p className="soft">{words.none}</p> : <Standing domain={domain} pointTo={pointTo} />}
    </section>
  )
}

const Standing = ({ domain, pointTo }: { readonly domain: Domain; readonly pointTo: ReadonlyArray<string> }) => {
  const words = useWords(texts)
  return (
    <>
      <p className="address">
        <code>{domain.host}</code> <State of={domain.status} />
      </p>
      {domain.problem !== null && <p role="status">{words.problems[domain.problem]}</p>}
      <dl className="facts">
        {domain.verified_at !== null && (
          <div>
            <dt>{words.verified}</dt>
            <dd>
              <Time at={domain.verified_at} />
            </dd>
          </div>
        )}
        {domain.goes_back_at !== null && (
          <div>
            <dt>{words.goesBack}</dt>
            <dd>
              <Time at={domain.goes_back_at} />
            </dd>
          </div>
        )}
        <div>
          <dt>{words.checked}</dt>
          <dd>
            <Time at={domain.checked_at} /> <CheckNow />
          </dd>
        </div>
      </dl>
      <h3>{words.records}</h3>
      <p className="soft small">
        {words.recordsSay} {domain.status === "pending" && words.pendingSays}
      </p>
      <Records domain={domain} pointTo={pointTo} />
    </>
  )
}

const CheckNow = () => {
  const { merchantId, role } = useAccount()
  const words = useWords(texts)
  const [isChecking, setChecking] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  if (role !== "owner" && role !== "developer") return null
  const check = async () => {
    setChecking(true)
    setProblem(undefined)
    const outcome = await act(
      OwnApi,
      OwnApi.use((client) => client.settings.checkDomain({ params: { merchant_id: merchantId } }))
    )
    setChecking(false)
    if ("problem" in outcome) setProblem(outcome.problem)
  }
  return (
    <>
      <button type="button" className="button quiet" disabled={isChecking} onClick={() => void check()}>
        {isChecking ? words.checking : words.check}
      </button>
      {problem !== undefined && <Trouble problem={problem} />}
    </>
  )
}

/** The type of the DNS record for this target. */
const typeOf = (place: string): string => {
  if (place.includes(":")) return "AAAA"
  return /^[\d.]+$/.test(place) ? "A" : "CNAME"
}

const Records = ({ domain, pointTo }: { readonly domain: Domain; readonly pointTo: ReadonlyArray<string> }) => {
  const words = useWords(texts)
  const rows = [
    { type: "TXT", name: domain.record_name, value: domain.record_value },
    ...pointTo.map((value) => ({ type: typeOf(value), name: domain.host, value }))
  ]
  // Name above value, so that both fit on a phone.
  return (
    <>
      {rows.map(({ name, type, value }) => (
        <dl className="facts" key={value}>
          <div>
            <dt>
              {type}: {words.name}
            </dt>
            <dd>
              <code>{name}</code> <Copy text={name} />
            </dd>
          </div>
          <div>
            <dt>
              {type}: {words.value}
            </dt>
            <dd>
              <code>{value}</code> <Copy text={value} />
            </dd>
          </div>
        </dl>
      ))}
      {pointTo.length > 1 && <p className="soft small">{words.oneIsEnough}</p>}
    </>
  )
}
