/** The terms of a merchant, which operators set, and its usage of rate limits. */
import type { MerchantSettingsResource } from "@coffer/contract/ConsoleMerchant"
import { shown } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { useAtom } from "../api/registry.ts"
import { useAccount } from "../api/session.ts"
import { Loaded } from "../parts/states.tsx"
import { Time } from "../parts/values.tsx"
import { useLanguage, useWords } from "../parts/words.ts"
import { feeText } from "./moneyWords.ts"

const texts = {
  en: {
    terms: "Pricing and limits",
    termsSays: "Set by the operator of the service.",
    approved: "Live payments",
    yes: "Approved",
    no: "Not approved yet",
    currencies: "Live currencies",
    fee: "Payment fee",
    since: "Customer since",
    quotas: "Rate limits per minute",
    quotasSays: "Current usage. Requests over the limit get a 429 response that says how long to wait.",
    kinds: {
      writes: "Writes",
      reads: "Reads",
      csv: "CSV files",
      helpers: "Test helpers",
      waits: "Event long polling"
    },
    by: { keys: "API keys", console: "Console" },
    unknown: "unavailable",
    of: "of"
  },
  zh: {
    terms: "费率与限额",
    termsSays: "由平台运营方设定。",
    approved: "正式收款",
    yes: "已批准",
    no: "尚未批准",
    currencies: "正式环境货币",
    fee: "付款手续费",
    since: "注册时间",
    quotas: "每分钟请求限额",
    quotasSays: "当前用量。超出限额的请求会返回 429，并说明需要等待的时间。",
    kinds: { writes: "写入", reads: "读取", csv: "CSV 文件", helpers: "测试工具", waits: "事件长轮询" },
    by: { keys: "API 密钥", console: "控制台" },
    unknown: "暂时无法统计",
    of: "/"
  }
}

type Shown = MerchantSettingsResource

export const Terms = ({ settings }: { readonly settings: Shown }) => {
  const words = useWords(texts)
  const language = useLanguage()
  return (
    <section className="card">
      <h2>{words.terms}</h2>
      <p className="soft small">{words.termsSays}</p>
      <dl className="facts">
        <div>
          <dt>{words.approved}</dt>
          <dd>{settings.approved ? words.yes : words.no}</dd>
        </div>
        <div>
          <dt>{words.currencies}</dt>
          <dd>{settings.live_currencies.join(", ") || "–"}</dd>
        </div>
        <div>
          <dt>{words.fee}</dt>
          <dd>{feeText(settings.default_fee, language)}</dd>
        </div>
        <div>
          <dt>{words.since}</dt>
          <dd>
            <Time at={settings.created_at} />
          </dd>
        </div>
      </dl>
    </section>
  )
}

export const Quotas = () => {
  const { merchantId, mode } = useAccount()
  const words = useWords(texts)
  const quotas = useAtom(
    OwnApi.query("quotas", "get", {
      params: { merchant_id: merchantId },
      query: { mode },
      reactivityKeys: shown
    })
  )
  return (
    <section className="card">
      <h2>{words.quotas}</h2>
      <p className="soft small">{words.quotasSays}</p>
      <Loaded result={quotas} lines={3}>
        {({ data }) => (
          <ul className="stack">
            {data.quotas.map(({ by, kind, limit, used }) => {
              const label = `${words.kinds[kind]}, ${words.by[by]}`
              return (
                <li key={`${kind} ${by}`}>
                  <p className="head small">
                    <span>{label}</span>
                    <span className="soft">
                      {used === null ? words.unknown : `${used.toLocaleString()} ${words.of} ${limit.toLocaleString()}`}
                    </span>
                  </p>
                  {used !== null && <meter value={used} max={limit} high={limit * 0.8} aria-label={label} />}
                </li>
              )
            })}
          </ul>
        )}
      </Loaded>
    </section>
  )
}
