/** What is missing before the merchant can take live payments: a list on its live home page until the first one. */
import { Link } from "wouter"
import { lastOf, useAtom } from "../api/registry.ts"
import { settingsAtom, useAccount } from "../api/session.ts"
import { Checklist } from "../parts/Checklist.tsx"
import { rowsOf } from "../parts/walkPages.ts"
import { useWords } from "../parts/words.ts"
import { useReader } from "./reader.ts"

const texts = {
  en: {
    title: "Before your first live payment",
    approved: "Your business is approved",
    approvedHow: "The operators of this service review it. Contact them if this takes long.",
    channel: "A payment channel is connected",
    channelHow: "The operators connect your account at the payment channel.",
    currencies: "Live currencies are enabled",
    currenciesHow: "The operators enable the currencies in which you sell.",
    webhook: "A webhook endpoint receives live events",
    webhookHow: "Add an endpoint",
    key: "Your server has a live API key",
    keyHow: "Create a key that starts with svc_live_"
  },
  zh: {
    title: "首笔正式付款之前",
    approved: "商户资质已通过审核",
    approvedHow: "由平台运营方审核。如等待过久，请联系运营方。",
    channel: "支付渠道已接通",
    channelHow: "由平台运营方接通您在支付渠道的账户。",
    currencies: "已启用正式环境货币",
    currenciesHow: "由平台运营方启用您的收款货币。",
    webhook: "有 Webhook 端点接收正式事件",
    webhookHow: "添加端点",
    key: "您的服务器已有正式 API 密钥",
    keyHow: "创建以 svc_live_ 开头的密钥"
  }
}

/** `hasChannel`: whether a channel takes its live payments. */
const GoLive = ({ hasChannel }: { readonly hasChannel: boolean }) => {
  const { merchantId } = useAccount()
  const { base, lists } = useReader()
  const words = useWords(texts)
  const settings = useAtom(settingsAtom(merchantId))
  const endpoints = rowsOf(useAtom(lists.webhooks.page({ limit: "1" })))
  const keys = rowsOf(useAtom(lists.keys.page({ limit: "25" })))
  const calls = rowsOf(useAtom(lists.logs.page({ limit: "1" })))
  const merchant = lastOf(settings)?.data
  if (merchant === undefined) return null
  const to = (page: string, text: string) => <Link href={`${base}/${page}`}>{text} →</Link>
  const steps: ReadonlyArray<readonly [name: string, isDone: boolean, how: React.ReactNode]> = [
    [words.approved, merchant.approved, words.approvedHow],
    [words.channel, hasChannel, words.channelHow],
    [words.currencies, merchant.live_currencies.length > 0, words.currenciesHow],
    [
      words.webhook,
      endpoints.length > 0 || merchant.live.default_notify_url !== null,
      to("webhooks", words.webhookHow)
    ],
    [words.key, calls.length > 0 || keys.some(({ status }) => status === "active"), to("keys", words.keyHow)]
  ]
  return (
    <section className="card">
      <h2>{words.title}</h2>
      <Checklist steps={steps.map(([name, isDone, how]) => ({ name, isDone, how }))} />
    </section>
  )
}

export default GoLive
