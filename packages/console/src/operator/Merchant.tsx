/** A merchant in one environment: its state, its objects as the merchant sees them, and its settings. */
import type { MerchantResource } from "@coffer/contract/Merchants"
import { useMemo } from "react"
import { Link, Redirect, useLocation } from "wouter"
import { shown } from "../api/acts.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { useAtom } from "../api/registry.ts"
import { aheadIn, AheadContext } from "../parts/accountClock.ts"
import { ReaderContext } from "../merchant/reader.ts"
import { page, Part } from "../parts/Part.tsx"
import { Loaded } from "../parts/states.tsx"
import { Num, State, Time } from "../parts/values.tsx"
import { useWords } from "../parts/words.ts"
import { TypedWord } from "../parts/typed.tsx"
import { WaitingFor } from "./approving.tsx"
import { ApproveForLive } from "./BeforeLive.tsx"
import { stateOfMerchant } from "./Merchants.tsx"
import { type Mode, modeIn, modes, OperatorAct, ofAccount, useModeWords } from "./operator.tsx"
import { useOperatorReader } from "./reader.tsx"
import { useMode } from "./shownMode.ts"

const MerchantOverview = page(() => import("./MerchantOverview.tsx"))
const MerchantKeys = page(() => import("./MerchantKeys.tsx"))
const MerchantSettings = page(() => import("./MerchantSettings.tsx"))
const MerchantChannel = page(() => import("./MerchantChannel.tsx"))

const texts = {
  en: {
    merchants: "Merchants",
    environment: "Environment",
    pages: "Merchant pages",
    suspend: "Suspend",
    suspendSays:
      "Its keys get 403 immediately on all runners, and its links stop creating orders. Existing payments are kept; refunds and disputes continue. Undo this with Resume.",
    resume: "Resume",
    resumeSays: "The same keys work again immediately.",
    suspended: "Suspended on",
    closed: "Closed on",
    note: "Note",
    tabs: {
      "": "Overview",
      orders: "Orders",
      refunds: "Refunds",
      disputes: "Disputes",
      links: "Links",
      ledger: "Ledger",
      payouts: "Payouts",
      events: "Events",
      deliveries: "Deliveries",
      endpoints: "Webhooks",
      logs: "API logs",
      keys: "Keys",
      channel: "Channel",
      settings: "Settings"
    }
  },
  zh: {
    merchants: "商户",
    environment: "环境",
    pages: "商户页面",
    suspend: "暂停",
    suspendSays:
      "其密钥将立即在所有节点上返回 403，支付链接停止创建订单。已有付款保留，退款和争议继续处理。可通过“恢复”撤销。",
    resume: "恢复",
    resumeSays: "原有密钥立即恢复可用。",
    suspended: "暂停时间：",
    closed: "关闭时间：",
    note: "备注",
    tabs: {
      "": "概览",
      orders: "订单",
      refunds: "退款",
      disputes: "争议",
      links: "链接",
      ledger: "账本",
      payouts: "提现",
      events: "事件",
      deliveries: "投递",
      endpoints: "Webhook",
      logs: "API 日志",
      keys: "密钥",
      channel: "渠道",
      settings: "设置"
    }
  }
}
type Texts = typeof texts.en
type Tab = keyof Texts["tabs"]

interface Props {
  readonly merchantId: string
  readonly mode?: string
  readonly tab?: string
}

/** An address without an environment leads to the one that is shown. */
const Merchant = (props: Props) => {
  const shown = useMode()
  const { merchantId, mode } = props
  return mode === undefined ? (
    <Redirect to={ofAccount(merchantId, shown)} replace />
  ) : (
    <InMode {...props} mode={modeIn(mode)} />
  )
}

const InMode = ({ merchantId, mode, tab = "" }: Props & { readonly mode: Mode }) => {
  const words = useWords(texts)
  const modeWords = useModeWords()
  const atom = OperatorsApi.query("merchants", "get", { params: { merchant_id: merchantId }, reactivityKeys: shown })
  const merchant = useAtom(atom)
  const ahead = useMemo(() => aheadIn(atom, mode), [atom, mode])
  const base = ofAccount(merchantId, mode)
  const reader = useOperatorReader(merchantId, mode)
  const [, go] = useLocation()
  return (
    <article className="object">
      <nav className="crumb">
        <Link href="/operator/merchants">← {words.merchants}</Link>
        <Num id={merchantId} />
      </nav>
      <Loaded result={merchant} lines={8}>
        {({ data }) => (
          <>
            <header className="head">
              <h1>
                {data.name} <State of={stateOfMerchant(data)} />
              </h1>
              <div className="acts">
                <div className="switch" role="group" aria-label={words.environment}>
                  {modes.map((each) => (
                    <Link
                      key={each}
                      href={`${ofAccount(merchantId, each)}${tab === "" ? "" : `/${tab}`}`}
                      aria-current={each === mode ? "true" : undefined}
                      className={each}
                    >
                      {modeWords[each]}
                    </Link>
                  ))}
                </div>
                <Standing merchant={data} words={words} />
              </div>
            </header>
            {data.suspended_at !== null && (
              <p className="trouble">
                {words.suspended} <Time at={data.suspended_at} />
              </p>
            )}
            {data.closed_at !== null && (
              <p className="trouble">
                {words.closed} <Time at={data.closed_at} />
              </p>
            )}
            {data.note !== null && (
              <p>
                <strong>{words.note}:</strong> {data.note}
              </p>
            )}
            <select
              className="phone"
              aria-label={words.pages}
              value={tab}
              onChange={({ target }) => go(target.value === "" ? base : `${base}/${target.value}`)}
            >
              {(Object.keys(words.tabs) as Array<Tab>).map((each) => (
                <option key={each} value={each}>
                  {words.tabs[each]}
                </option>
              ))}
            </select>
            <nav className="tabs" aria-label={words.pages}>
              {(Object.keys(words.tabs) as Array<Tab>).map((each) => (
                <Link
                  key={each}
                  href={each === "" ? base : `${base}/${each}`}
                  aria-current={each === tab ? "page" : undefined}
                >
                  {words.tabs[each]}
                </Link>
              ))}
            </nav>
            <AheadContext value={ahead}>
              <ReaderContext value={reader}>
                <Part at={tab}>
                  <Page key={`${mode} ${tab}`} merchant={data} mode={mode} tab={tab} />
                </Part>
              </ReaderContext>
            </AheadContext>
          </>
        )}
      </Loaded>
    </article>
  )
}

/** The merchant's own pages. */
const lists: Readonly<Record<string, React.ComponentType>> = {
  orders: page(() => import("../merchant/Orders.tsx")),
  refunds: page(() => import("../merchant/Refunds.tsx")),
  disputes: page(() => import("../merchant/Disputes.tsx")),
  links: page(() => import("../merchant/Links.tsx")),
  ledger: page(() => import("../merchant/Ledger.tsx")),
  payouts: page(() => import("../merchant/Payouts.tsx")),
  events: page(() => import("../merchant/Events.tsx")),
  deliveries: page(() => import("../merchant/Deliveries.tsx")),
  endpoints: page(() => import("../merchant/Webhooks.tsx")),
  logs: page(() => import("../merchant/Logs.tsx"))
}

const Page = ({
  merchant,
  mode,
  tab
}: {
  readonly merchant: MerchantResource
  readonly mode: Mode
  readonly tab: string
}) => {
  const { merchant_id } = merchant
  switch (tab) {
    case "":
      return (
        <div className="stack">
          <WaitingFor target={merchant_id} />
          <MerchantOverview merchant={merchant} mode={mode} />
        </div>
      )
    case "settings":
      return (
        <div className="stack">
          <WaitingFor target={merchant_id} />
          <MerchantSettings merchant={merchant} mode={mode} />
        </div>
      )
    case "channel":
      return (
        <div className="stack">
          <WaitingFor target={merchant_id} />
          <MerchantChannel merchantId={merchant_id} mode={mode} />
        </div>
      )
    case "keys":
      return <MerchantKeys merchantId={merchant_id} mode={mode} />
    default: {
      const List = lists[tab]
      return List === undefined ? <Redirect to={ofAccount(merchant_id, mode)} replace /> : <List />
    }
  }
}

/** Approve, suspend, resume, close: what its state allows. */
const Standing = ({ merchant, words }: { readonly merchant: MerchantResource; readonly words: Texts }) => {
  const { approved, closed_at, merchant_id, name, suspended_at } = merchant
  if (closed_at !== null) return null
  const params = { merchant_id }
  return (
    <>
      {!approved && <ApproveForLive merchant={merchant} />}
      {suspended_at === null ? (
        <OperatorAct
          act="merchants.suspend"
          name={words.suspend}
          endangers={name}
          says={words.suspendSays}
          fields={<TypedWord word={name} />}
          request={() => ({ params })}
        />
      ) : (
        <OperatorAct
          act="merchants.resume"
          name={words.resume}
          isPrimary
          says={words.resumeSays}
          request={() => ({ params })}
        />
      )}
    </>
  )
}

export default Merchant
