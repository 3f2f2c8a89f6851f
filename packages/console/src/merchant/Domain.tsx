/** A shop's own host for checkout: the host, the records that prove it, and how it stands. */
import type { MerchantSettingsResource } from "@coffer/contract/ConsoleMerchant"
import { forbiddenSetting } from "@coffer/rules/people/settingsRoles"
import { useState } from "react"
import { type Problem, act } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { useAccount } from "../api/session.ts"
import { Act, TextField } from "../parts/act.tsx"
import { Trouble } from "../parts/states.tsx"
import { Copy, State, Time } from "../parts/values.tsx"
import { useWords } from "../parts/words.ts"

type Domain = NonNullable<MerchantSettingsResource["checkout_domain"]>

const texts = {
  en: {
    title: "Your own host for checkout",
    says: "Links for buyers begin with it, in the sandbox too. Links that buyers have already keep working.",
    none: "Links begin with the address of this service.",
    off: "This service has no hosts of shops any more. Links begin with its own address.",
    add: "Add a host",
    change: "Change the host",
    remove: "Remove the host",
    removeSays:
      "New links begin with the address of this service at once. Links to this host work while it points here.",
    changeSays:
      "The current host is given up at once. Links begin with the address of this service until the new one is verified.",
    host: "Host",
    hostHint: "A host below your domain, such as pay.shop.example.",
    records: "Records for your domain",
    recordsSay: "Make them where your domain is managed, and keep them: they are looked at again and again.",
    name: "name",
    value: "value",
    oneIsEnough: "One of the records that point here is enough: CNAME, or A and AAAA.",
    check: "Check now",
    checking: "Checking…",
    checked: "Last checked",
    verified: "Verified since",
    pendingSays: "We look for them by ourselves: each minute at first, then less often, for 30 days.",
    goesBack: "It is used until",
    problems: {
      no_record: "The TXT record is not there yet. New records can take an hour to be seen everywhere.",
      other_record: "There is a TXT record of this name with another value. Copy the value from below.",
      not_pointing: "The TXT record is there, but the host does not point here yet.",
      no_answer: "The name servers of your domain did not answer.",
      taken:
        "Another account of this service has this host, and its TXT record is there, too. Remove that record to take over.",
      no_room: "This service has as many hosts of shops as it can. Ask its operator."
    }
  },
  zh: {
    title: "自有收银台域名",
    says: "买家收到的链接（包括沙盒）都会使用该域名，已发出的链接仍然有效。",
    none: "链接使用本服务的地址。",
    off: "本服务已不再提供自有域名，链接使用本服务的地址。",
    add: "添加域名",
    change: "更换域名",
    remove: "移除域名",
    removeSays: "新链接将立即改用本服务的地址。该域名仍指向本服务时，原链接继续有效。",
    changeSays: "当前域名会立即停用。新域名通过验证之前，链接使用本服务的地址。",
    host: "域名",
    hostHint: "您域名下的一个主机名，例如 pay.shop.example。",
    records: "域名解析记录",
    recordsSay: "请在域名管理处添加这些记录并保留：系统会持续检查。",
    name: "名称",
    value: "值",
    oneIsEnough: "指向本服务的记录任选其一即可：CNAME，或 A 与 AAAA。",
    check: "立即检查",
    checking: "检查中…",
    checked: "上次检查",
    verified: "验证时间",
    pendingSays: "系统会自动检查：起初每分钟一次，之后逐渐减少，持续 30 天。",
    goesBack: "该域名可使用至",
    problems: {
      no_record: "尚未找到 TXT 记录。新记录可能需要一小时才能在各地生效。",
      other_record: "存在同名 TXT 记录，但值不一致。请复制下方的值。",
      not_pointing: "已找到 TXT 记录，但该域名尚未指向本服务。",
      no_answer: "您域名的解析服务器没有响应。",
      taken: "该域名正由本服务的另一账户使用，且其 TXT 记录仍然存在。删除那条记录即可接管。",
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
  const isAllowed = forbiddenSetting(role, { checkout_domain: null }) === undefined
  const set = (checkout_domain: string | null) =>
    act(
      OwnApi,
      OwnApi.use((client) =>
        client.settings.update({ params: { merchant_id: merchantId }, payload: { checkout_domain } as never })
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
            {domain !== null && <Act name={words.remove} says={words.removeSays} isDangerous run={() => set(null)} />}
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

/** The type of the record that leads to this place. */
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
  // Name and value stand one above the other, so that a phone shows both.
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
