/** A buyer's data at this merchant: preview and run an erasure, and export everything that is kept. */
import type { ErasureResource } from "@coffer/contract/Erasures"
import { personMayDo } from "@coffer/rules/people/mayDo"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { useLocation } from "wouter"
import { useApi } from "../api/accountApi.ts"
import { act, ask, shown } from "../api/acts.ts"
import { asQuery, type PlainQuery } from "../api/lists.ts"
import { useLive } from "../api/registry.ts"
import { sent } from "../api/sent.ts"
import { useAccount } from "../api/session.ts"
import { Act, TextField } from "../parts/act.tsx"
import { ErasureList } from "../parts/ErasureList.tsx"
import { CountsOf, Erasing, foundBy, saved } from "../parts/erasing.tsx"
import { useSearchQuery } from "../parts/address.ts"
import { Loaded } from "../parts/states.tsx"
import { TypedWord, typedIn } from "../parts/typed.tsx"
import { State, Time } from "../parts/values.tsx"
import { useWords } from "../parts/words.ts"
import { callOf } from "./MerchantAct.tsx"

const texts = {
  en: {
    title: "Buyer data",
    says: "Buyers can ask for a copy of their data, or ask you to erase it. Handle both requests here, for your orders in this environment.",
    email: "Buyer's email",
    would: "will be changed",
    do: "Erase permanently",
    doSays: "Everything that identifies the buyer is overwritten. This can't be undone.",
    mayNot: "Your role can export a buyer's data, but not erase it. An owner can.",
    export: "Export buyer data",
    exportSays: "A tar archive of everything kept about this buyer: orders, refunds, disputes, emails and API calls.",
    running: "Erasing…",
    erased: "Erased",
    asked: "Requested",
    done: "Completed",
    waiting: "orders will be erased once their dispute is closed or their email is sent."
  },
  zh: {
    title: "买家数据",
    says: "买家可以要求查询或删除其个人数据。您可以在此处理这两类请求，范围为当前环境中的订单。",
    email: "买家电子邮箱",
    would: "条将被修改",
    do: "永久删除",
    doSays: "所有可识别买家身份的内容都会被覆盖，此操作无法撤销。",
    mayNot: "您的角色可以导出买家数据，但不能删除。请联系所有者。",
    export: "导出买家数据",
    exportSays: "tar 归档文件，包含该买家的全部数据：订单、退款、争议、邮件和 API 调用记录。",
    running: "正在删除…",
    erased: "已删除",
    asked: "申请时间",
    done: "完成时间",
    waiting: "笔订单将在争议结束或邮件发送后删除。"
  }
}
type Texts = typeof texts.en

/** The progress of the erasure in the address. */
const Progress = ({ number, words }: { readonly number: string; readonly words: Texts }) => {
  const api = useApi()
  const query = api.query("erasures", "get", { params: { erasure_no: number }, reactivityKeys: shown })
  const result = useLive(query, 2_000)
  return (
    <section className="card" role="status">
      <Loaded result={result}>
        {(answer) => {
          const erasure = answer.data as ErasureResource
          return (
            <>
              <h2>
                {erasure.status === "done" ? words.erased : words.running} <State of={erasure.status} />
              </h2>
              <p>
                <code>{number}</code>
              </p>
              <p>
                <CountsOf counts={erasure.counts} />
              </p>
              {erasure.orders_waiting > 0 && (
                <p>
                  {erasure.orders_waiting} {words.waiting}
                </p>
              )}
              <dl className="facts">
                <div>
                  <dt>{words.asked}</dt>
                  <dd>
                    <Time at={erasure.requested_at} />
                  </dd>
                </div>
                <div>
                  <dt>{words.done}</dt>
                  <dd>
                    <Time at={erasure.done_at} />
                  </dd>
                </div>
              </dl>
            </>
          )
        }}
      </Loaded>
    </section>
  )
}

const Buyers = () => {
  const words = useWords(texts)
  const { base, may, role } = useAccount()
  const api = useApi()
  const [, go] = useLocation()
  const begun = useSearchQuery().get("erasure")
  return (
    <div className="stack">
      <header className="head">
        <h1>{words.title}</h1>
        {may("exports:read") && (
          <Act
            name={words.export}
            says={words.exportSays}
            fields={<TextField label={words.email} name="email" type="email" isRequired />}
            run={(typed) =>
              saved(
                "buyer.tar",
                act(
                  api,
                  api.use((client) =>
                    Effect.flatMap(
                      client.exports.buyer({ payload: sent({ email: typedIn(typed, "email") ?? "" }) }),
                      Stream.runCollect
                    )
                  ),
                  1
                )
              )
            }
            code={(typed) => callOf("exports.buyer", { payload: { email: typedIn(typed, "email") ?? "" } })}
          />
        )}
      </header>
      <p className="soft">{words.says}</p>
      {begun !== null && <Progress number={begun} words={words} />}
      {may("erasures:write") ? (
        <Erasing
          would={words.would}
          look={(terms) =>
            foundBy(
              ask(
                api,
                api.use((client) => client.erasures.create({ payload: sent({ ...terms, dry_run: true }) }))
              )
            )
          }
          act={(terms, word, onDone) => (
            <Act
              name={words.do}
              says={words.doSays}
              endangers={word}
              fields={<TypedWord word={word} />}
              run={async () => {
                const erase = api.use((client) => client.erasures.create({ payload: sent(terms) }))
                const outcome = await foundBy(act(api, erase))
                if ("done" in outcome) go(`${base}/buyers?erasure=${outcome.done.erasure_no}`)
                return outcome
              }}
              onDone={onDone}
              code={() => callOf("erasures.create", { payload: terms })}
            />
          )}
        />
      ) : (
        <p>{words.mayNot}</p>
      )}
      {may("erasures:read") && (
        <ErasureList
          id="erasures"
          page={(query) => api.query("erasures", "list", { query: asQuery<PlainQuery>(query), reactivityKeys: shown })}
          archives={personMayDo(role, "audit_log.list") ? `${base}/audit?act=console:exports.buyer` : undefined}
        />
      )}
    </div>
  )
}

export default Buyers
