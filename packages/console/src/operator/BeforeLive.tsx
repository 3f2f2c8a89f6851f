/** What a merchant lacks before it can take live payments: on its page, and in the dialog that approves it. */
import type { OverviewResource } from "@coffer/contract/Lookup"
import type { MerchantResource } from "@coffer/contract/Merchants"
import { Link } from "wouter"
import { shown } from "../api/acts.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { lastOf, useAtom } from "../api/registry.ts"
import { Checklist } from "../parts/Checklist.tsx"
import { rowsOf } from "../parts/walkPages.ts"
import { useWords } from "../parts/words.ts"
import { ofAccount, OperatorAct } from "./operator.tsx"

const texts = {
  en: {
    title: "Before its first live payment",
    approved: "The business is approved",
    approvedHow: "Review it, then choose “Approve for live”.",
    channel: "A channel takes its live payments",
    channelHow: "Set the channel",
    currencies: "Live currencies are enabled",
    currenciesHow: "Choose its currencies",
    webhook: "A webhook endpoint receives live events",
    webhookHow: "The merchant adds it.",
    key: "Its server has a live API key",
    keyHow: "The merchant creates it.",
    approve: "Approve for live",
    approveSays: "Its live key works from now on, for the currencies in its settings.",
    missing: "It still can't take live payments. Missing:",
    noChannel: "a channel that takes its live payments",
    noCurrencies: "live currencies"
  },
  zh: {
    title: "首笔正式付款之前",
    approved: "商户资质已通过审核",
    approvedHow: "审核后请点击“批准正式环境”。",
    channel: "有渠道处理其正式付款",
    channelHow: "设置渠道",
    currencies: "已启用正式环境货币",
    currenciesHow: "选择货币",
    webhook: "有 Webhook 端点接收正式事件",
    webhookHow: "由商户添加。",
    key: "其服务器已有正式 API 密钥",
    keyHow: "由商户创建。",
    approve: "批准正式环境",
    approveSays: "其正式密钥立即可用，适用货币以设置为准。",
    missing: "批准后仍无法接收正式付款，尚缺：",
    noChannel: "处理正式付款的渠道",
    noCurrencies: "正式环境货币"
  }
}

/** Undefined until it is known. */
const useHasChannel = (merchant_id: string): boolean | undefined => {
  const params = { merchant_id, mode: "live" } as const
  const channel = lastOf(useAtom(OperatorsApi.query("channels", "get", { params, reactivityKeys: shown })))?.data
  return channel && channel.channel !== "none"
}

/** Nothing once the operators have done their part and the merchant has called its live API. */
export const BeforeLive = (props: { readonly merchant: MerchantResource; readonly overview: OverviewResource }) => {
  const { merchant, overview } = props
  const { approved, live, live_currencies, merchant_id } = merchant
  const words = useWords(texts)
  const hasChannel = useHasChannel(merchant_id)
  const keys = rowsOf(
    useAtom(
      OperatorsApi.query("api_keys", "list", {
        params: { merchant_id },
        query: { mode: "live", limit: "25" },
        reactivityKeys: shown
      })
    )
  )
  if (hasChannel === undefined) return null
  const base = ofAccount(merchant_id, "live")
  const steps = [
    { name: words.approved, isDone: approved, how: words.approvedHow },
    {
      name: words.channel,
      isDone: hasChannel,
      how: <Link href={`${base}/channel`}>{words.channelHow} →</Link>
    },
    {
      name: words.currencies,
      isDone: live_currencies.length > 0,
      how: <Link href={`${base}/settings`}>{words.currenciesHow} →</Link>
    },
    {
      name: words.webhook,
      isDone: overview.webhook_endpoints.length > 0 || live.default_notify_url !== null,
      how: words.webhookHow
    },
    {
      name: words.key,
      isDone: overview.api_logs.length > 0 || keys.some(({ status }) => status === "active"),
      how: words.keyHow
    }
  ]
  if (steps.every(({ isDone }) => isDone)) return null
  return (
    <section className="card">
      <h2>{words.title}</h2>
      <Checklist steps={steps} />
    </section>
  )
}

/** Approves a merchant, and says what it lacks all the same. */
export const ApproveForLive = ({ merchant }: { readonly merchant: MerchantResource }) => {
  const { live_currencies, merchant_id } = merchant
  const words = useWords(texts)
  const missing = [
    ...(useHasChannel(merchant_id) === false ? [words.noChannel] : []),
    ...(live_currencies.length === 0 ? [words.noCurrencies] : [])
  ]
  return (
    <OperatorAct
      act="merchants.update"
      mode="live"
      name={words.approve}
      isPrimary
      says={
        <>
          <p>{words.approveSays}</p>
          {missing.length > 0 && (
            <div className="note">
              <p>{words.missing}</p>
              <ul>
                {missing.map((each) => (
                  <li key={each}>{each}</li>
                ))}
              </ul>
            </div>
          )}
        </>
      }
      request={() => ({ params: { merchant_id }, payload: { approved: true } })}
    />
  )
}
