/** The terms of a merchant, which operators set, and how much of its quotas is used. */
import type { MerchantSettingsResource } from "@coffer/contract/ConsoleMerchant"
import { shown } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { useAtom } from "../api/registry.ts"
import { useAccount } from "../api/session.ts"
import { Loaded } from "../parts/states.tsx"
import { Time } from "../parts/values.tsx"
import { useWords } from "../parts/words.ts"

const texts = {
  en: {
    terms: "Terms",
    termsSays: "The operator of the service sets them.",
    approved: "Live payments",
    yes: "Approved",
    no: "Not approved yet",
    currencies: "Live currencies",
    fee: "Fee of a payment",
    since: "Customer since",
    quotas: "Requests a minute",
    quotasSays: "What is used now. More is answered 429, with the time to wait.",
    kinds: {
      writes: "Writing",
      reads: "Reading",
      csv: "CSV files",
      helpers: "Test helpers",
      waits: "Waiting for events"
    },
    by: { keys: "Programs", console: "People" },
    unknown: "cannot be counted now",
    of: "of"
  },
  zh: {
    terms: "条款",
    termsSays: "由服务运营方设定。",
    approved: "正式收款",
    yes: "已批准",
    no: "尚未批准",
    currencies: "正式货币",
    fee: "付款手续费",
    since: "注册时间",
    quotas: "每分钟请求数",
    quotasSays: "当前用量。超出部分返回 429，并告知等待时间。",
    kinds: { writes: "写入", reads: "读取", csv: "CSV 文件", helpers: "测试工具", waits: "等待事件" },
    by: { keys: "程序", console: "成员" },
    unknown: "暂时无法统计",
    of: "/"
  }
}

type Shown = MerchantSettingsResource

export const Terms = ({ settings }: { readonly settings: Shown }) => {
  const words = useWords(texts)
  const { basis_points, fixed } = settings.default_fee
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
          <dd>
            {(basis_points / 100).toFixed(2)} % + {(fixed / 100).toFixed(2)}
          </dd>
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
