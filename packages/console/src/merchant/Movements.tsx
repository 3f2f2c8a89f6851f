/** The ledger's rows about one object, oldest first as money moved, each with its place in the order's story. */
import type { BalanceTransactionResource } from "@coffer/contract/Balance"
import { Link } from "wouter"
import { shown } from "../api/acts.ts"
import { useAtom } from "../api/registry.ts"
import { useAccount } from "../api/session.ts"
import { Loaded } from "../parts/states.tsx"
import { Amount, Time } from "../parts/values.tsx"
import { useLanguage, useWords } from "../parts/words.ts"
import { stepOf } from "./find.ts"
import { movementText } from "./moneyWords.ts"

const texts = {
  en: {
    title: "Balance transactions",
    none: "No balance transactions yet.",
    movement: "Type",
    amount: "Amount",
    after: "Balance after",
    at: "Booked",
    story: "Timeline"
  },
  zh: {
    title: "余额流水",
    none: "还没有余额流水。",
    movement: "类型",
    amount: "金额",
    after: "变动后余额",
    at: "入账时间",
    story: "时间线"
  }
}

/** `tradeNo`: the order whose story the rows are steps of; undefined for a payout, which has none. */
export const Movements = ({ about, tradeNo }: { readonly about: string; readonly tradeNo?: string }) => {
  const { api, base } = useAccount()
  const words = useWords(texts)
  const language = useLanguage()
  const rows = useAtom(
    api.query("balance", "transactions", {
      query: { reference_id: about, limit: "100" } as never,
      reactivityKeys: shown
    })
  )
  return (
    <section className="card">
      <h2>{words.title}</h2>
      <Loaded result={rows} lines={2}>
        {(answer) => {
          const { data } = (answer as { readonly data: { readonly data: ReadonlyArray<BalanceTransactionResource> } })
            .data
          if (data.length === 0) return <p className="soft">{words.none}</p>
          return (
            <div className="table" tabIndex={0} role="region" aria-label={words.title}>
              <table>
                <thead>
                  <tr>
                    <th scope="col">{words.movement}</th>
                    <th scope="col" className="number">
                      {words.amount}
                    </th>
                    <th scope="col" className="number">
                      {words.after}
                    </th>
                    <th scope="col" className="wide">
                      {words.at}
                    </th>
                    {tradeNo !== undefined && <th scope="col">{words.story}</th>}
                  </tr>
                </thead>
                <tbody>
                  {data.toReversed().map(({ amount, balance_after, created_at, currency, id, type }) => (
                    <tr key={id}>
                      <td>
                        <Link href={`${base}/ledger/${id}`}>{movementText(type, language)}</Link>
                      </td>
                      <td className="number">
                        <Amount minor={amount} currency={currency} signed />
                      </td>
                      <td className="number">
                        <Amount minor={balance_after} currency={currency} />
                      </td>
                      <td className="wide">
                        <Time at={created_at} />
                      </td>
                      {tradeNo !== undefined && (
                        <td>
                          <Link href={`${base}${stepOf(tradeNo, "ledger", id)}`} aria-label={`${words.story} ${id}`}>
                            →
                          </Link>
                        </td>
                      )}
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }}
      </Loaded>
    </section>
  )
}
