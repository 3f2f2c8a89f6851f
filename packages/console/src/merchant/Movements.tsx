/** The ledger's rows about one object, oldest first as money moved, each with its place in the order's story. */
import { ledger } from "@coffer/resources/wallets"
import { Link } from "wouter"
import { objectEvery, useLive } from "../api/registry.ts"
import { Loaded } from "../parts/states.tsx"
import { Amount, Time } from "../parts/values.tsx"
import { useLanguage, useWords, wordsIn } from "../parts/words.ts"
import { stepOf } from "./find.ts"
import { movementText } from "./moneyWords.ts"
import { useReader } from "./reader.ts"

const texts = {
  en: {
    title: "Balance transactions",
    none: "No balance transactions yet.",
    story: "Timeline"
  },
  zh: {
    title: "余额流水",
    none: "还没有余额流水。",
    story: "时间线"
  }
}

const { amount, balance_after, created_at, type } = ledger.fields

/** `tradeNo`: the order whose story the rows are steps of; undefined for a payout, which has none. */
export const Movements = ({ about, tradeNo }: { readonly about: string; readonly tradeNo?: string }) => {
  const { base, lists } = useReader()
  const words = useWords(texts)
  const language = useLanguage()
  const rows = useLive(lists.ledger.page({ reference_id: about, limit: "100" }), objectEvery)
  return (
    <section className="card">
      <h2>{words.title}</h2>
      <Loaded result={rows} lines={2}>
        {({ data: { data } }) => {
          if (data.length === 0) return <p className="soft">{words.none}</p>
          return (
            <div className="table" tabIndex={0} role="region" aria-label={words.title}>
              <table>
                <thead>
                  <tr>
                    <th scope="col">{wordsIn(type.label, language)}</th>
                    <th scope="col" className="number">
                      {wordsIn(amount.label, language)}
                    </th>
                    <th scope="col" className="number wide">
                      {wordsIn(balance_after.label, language)}
                    </th>
                    <th scope="col" className="wide">
                      {wordsIn(created_at.label, language)}
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
                      <td className="number wide">
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
