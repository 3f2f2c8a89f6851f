/** The sandbox: simulate the buyer, the bank and the channel, and advance the test clock. */
import * as Effect from "effect/Effect"
import { useLocation } from "wouter"
import { useApi } from "../api/accountApi.ts"
import { act } from "../api/acts.ts"
import { sent } from "../api/sent.ts"
import { useAccount } from "../api/session.ts"
import { Act } from "../parts/act.tsx"
import { useWords } from "../parts/words.ts"
import { Dispute, Pay, Resolve, Settle } from "./SandboxActs.tsx"
import { SandboxClock } from "./SandboxClock.tsx"
import { callOf, MerchantAct } from "./MerchantAct.tsx"

const texts = {
  en: {
    title: "Sandbox",
    says: "Simulate what buyers and banks do. Your server receives the same events as for real payments.",
    buyer: "The buyer",
    buyerSays: "Pay an order, decline a payment, or dispute one.",
    bank: "The bank",
    bankSays: "Settle refunds and resolve disputes.",
    channel: "The channel",
    channelSays: "While the channel is down, every call that needs it returns 502. Test how your server copes.",
    new: "Create a paid order",
    newSays: "Creates an order and pays it with a card: the quickest way to get an event.",
    down: "Take down",
    up: "Bring up",
    downSays: "Payments, refunds and disputes return 502 from now on, only in your sandbox.",
    upSays: "The channel responds again.",
    noRight: "Your role has read-only access."
  },
  zh: {
    title: "沙盒",
    says: "在此模拟买家和银行的操作，您的服务器会收到与真实付款相同的事件。",
    buyer: "买家",
    buyerSays: "支付订单、拒绝付款，或对付款发起争议。",
    bank: "银行",
    bankSays: "结算退款，裁决争议。",
    channel: "渠道",
    channelSays: "渠道中断期间，所有依赖渠道的调用都返回 502，可用于测试您的服务器如何应对。",
    new: "创建已付订单",
    newSays: "创建订单并使用银行卡付款，这是产生事件的最快方式。",
    down: "中断渠道",
    up: "恢复渠道",
    downSays: "付款、退款和争议将返回 502，仅影响您的沙盒。",
    upSays: "渠道恢复响应。",
    noRight: "您的角色仅可查看。"
  }
}

const Sandbox = () => {
  const { may } = useAccount()
  const words = useWords(texts)
  return (
    <section className="stack">
      <header className="head">
        <h1>{words.title}</h1>
        {may("test_helpers:write") && may("orders:write") && <NewPaidOrder />}
      </header>
      <p className="soft">{may("test_helpers:write") ? words.says : words.noRight}</p>
      {may("test_helpers:write") && (
        <div className="cards">
          <section className="card">
            <h2>{words.buyer}</h2>
            <p className="soft">{words.buyerSays}</p>
            <div className="acts">
              <Pay />
              <Dispute />
            </div>
          </section>
          <section className="card">
            <h2>{words.bank}</h2>
            <p className="soft">{words.bankSays}</p>
            <div className="acts">
              <Settle />
              <Resolve />
            </div>
          </section>
          <section className="card">
            <h2>{words.channel}</h2>
            <p className="soft">{words.channelSays}</p>
            <div className="acts">
              <Channel reachable={false} />
              <Channel reachable />
            </div>
          </section>
        </div>
      )}
      <SandboxClock />
    </section>
  )
}

const NewPaidOrder = () => {
  const { base } = useAccount()
  const api = useApi()
  const words = useWords(texts)
  const [, go] = useLocation()
  const run = () =>
    act(
      api,
      api.use((client) =>
        Effect.flatMap(
          client.orders.create({ payload: sent({ amount: 1999, currency: "USD" }) }),
          ({ data: { trade_no } }) => client.test_helpers.pay({ params: { ref: trade_no }, payload: {} })
        )
      )
    ).then((outcome) => {
      if ("done" in outcome) go(`${base}/orders/${outcome.done.data.trade_no}`)
      return outcome
    })
  return (
    <Act
      name={words.new}
      isPrimary
      says={words.newSays}
      run={run}
      code={() => callOf("orders.create", { payload: { amount: 1999, currency: "USD" } }, "trigger payment.succeeded")}
    />
  )
}

const Channel = ({ reachable }: { readonly reachable: boolean }) => {
  const words = useWords(texts)
  return (
    <MerchantAct
      operation="test_helpers.channel"
      name={reachable ? words.up : words.down}
      says={reachable ? words.upSays : words.downSays}
      endangers={reachable ? undefined : words.channel}
      request={() => ({ payload: { reachable } })}
    />
  )
}

export default Sandbox
