/** What is left of a payment: the gross amount, less the fee, refunds and lost disputes. */
import type { DisputeResource } from "@coffer/contract/Disputes"
import type { OrderResource } from "@coffer/contract/Orders"
import { Amount } from "../parts/values.tsx"
import { useWords } from "../parts/words.ts"
import { leftOf, paidAmountOf } from "./leftOf.ts"

const texts = {
  en: {
    title: "Payment breakdown",
    gross: "Gross amount",
    fee: "Fee",
    refunded: "Refunded",
    lost: "Lost disputes",
    lostFee: "Dispute fees",
    net: "Net amount",
    left: "Net after refunds and disputes"
  },
  zh: {
    title: "款项明细",
    gross: "总额",
    fee: "手续费",
    refunded: "已退款",
    lost: "败诉争议",
    lostFee: "争议费",
    net: "净额",
    left: "退款和争议后净额"
  }
}

type Credited = Pick<OrderResource, "amount" | "captured_amount" | "currency" | "fee" | "refunded_amount">

export const Breakdown = (props: { readonly order: Credited; readonly disputes: ReadonlyArray<DisputeResource> }) => {
  const { disputes, order } = props
  const words = useWords(texts)
  const { fee, left, lost, lostFee, refunded } = leftOf(order, disputes)
  const isReduced = refunded + lost + lostFee > 0
  const lines: ReadonlyArray<readonly [name: string, minor: number]> = [
    [words.gross, paidAmountOf(order)],
    [words.fee, -fee],
    ...(refunded > 0 ? [[words.refunded, -refunded] as const] : []),
    ...(lost > 0 ? [[words.lost, -lost] as const] : []),
    ...(lostFee > 0 ? [[words.lostFee, -lostFee] as const] : []),
    [isReduced ? words.left : words.net, left]
  ]
  return (
    <section className="card breakdown">
      <h2>{words.title}</h2>
      <dl className="facts">
        {lines.map(([name, minor]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Amount minor={minor === 0 ? 0 : minor} currency={order.currency} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
