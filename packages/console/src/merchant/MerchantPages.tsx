/** The pages of a merchant in one environment. */
import type { PersonRole } from "@coffer/model/PersonRole"
import { useMemo } from "react"
import { Redirect, Route, Switch, useLocation } from "wouter"
import { AccountContext, inAccount, settingsAtom } from "../api/session.ts"
import { aheadIn, AheadContext } from "../parts/accountClock.ts"
import { useNumber } from "../parts/address.ts"
import { page, Part } from "../parts/Part.tsx"
import { type NavGroup, Shell, type SignedIn } from "../parts/Shell.tsx"
import { Trouble } from "../parts/states.tsx"
import { useLanguage, useWords } from "../parts/words.ts"
import { Bell } from "./Bell.tsx"
import { Place } from "./Place.tsx"
import { findPlace, matchOptions } from "./matches.tsx"
import { ReaderContext, accountReader } from "./reader.ts"

const Home = page(() => import("./Home.tsx"))
const Orders = page(() => import("./Orders.tsx"))
const Order = page(() => import("./Order.tsx"))
const Webhooks = page(() => import("./Webhooks.tsx"))
const Webhook = page(() => import("./Webhook.tsx"))
const Deliveries = page(() => import("./Deliveries.tsx"))
const Delivery = page(() => import("./Delivery.tsx"))
const Events = page(() => import("./Events.tsx"))
const Event = page(() => import("./Event.tsx"))
const Logs = page(() => import("./Logs.tsx"))
const Log = page(() => import("./Log.tsx"))
const Keys = page(() => import("./Keys.tsx"))
const Sandbox = page(() => import("./Sandbox.tsx"))
const People = page(() => import("./People.tsx"))
const Buyers = page(() => import("./Buyers.tsx"))
const Settings = page(() => import("./Settings.tsx"))
const Audit = page(() => import("./Audit.tsx"))
const Sessions = page(() => import("../parts/Sessions.tsx"))
const Refunds = page(() => import("./Refunds.tsx"))
const Refund = page(() => import("./Refund.tsx"))
const Disputes = page(() => import("./Disputes.tsx"))
const Dispute = page(() => import("./Dispute.tsx"))
const Ledger = page(() => import("./Ledger.tsx"))
const LedgerRow = page(() => import("./LedgerRow.tsx"))
const Links = page(() => import("./Links.tsx"))
const PaymentLink = page(() => import("./PaymentLink.tsx"))
const Receipts = page(() => import("./Receipts.tsx"))
const Payouts = page(() => import("./Payouts.tsx"))
const Payout = page(() => import("./Payout.tsx"))
const Search = page(() => import("./Search.tsx"))
const Notifications = page(() => import("./Notifications.tsx"))
const Reports = page(() => import("./Reports.tsx"))

const texts = {
  en: {
    home: "Home",
    orders: "Orders",
    refunds: "Refunds",
    disputes: "Disputes",
    links: "Payment links",
    ledger: "Ledger",
    payouts: "Payouts",
    reports: "Reports",
    money: "Money",
    developers: "Developers",
    events: "Events",
    deliveries: "Deliveries",
    endpoints: "Webhooks",
    logs: "API logs",
    keys: "API keys",
    sandbox: "Sandbox",
    merchant: "Merchant",
    people: "Team",
    buyers: "Buyer data",
    settings: "Settings",
    audit: "Audit log",
    notifications: "Notifications",
    receipts: "Receipts",
    payments: "Payments",
    search: "Search orders, amounts, emails, numbers"
  },
  zh: {
    home: "首页",
    orders: "订单",
    refunds: "退款",
    disputes: "争议",
    links: "支付链接",
    ledger: "账本",
    payouts: "提现",
    reports: "报表",
    money: "资金",
    developers: "开发者",
    events: "事件",
    deliveries: "投递",
    endpoints: "Webhook",
    logs: "API 日志",
    keys: "API 密钥",
    sandbox: "沙盒",
    merchant: "商户",
    people: "成员",
    buyers: "买家数据",
    settings: "设置",
    audit: "审计日志",
    notifications: "通知",
    receipts: "收据",
    payments: "支付",
    search: "搜索订单、金额、邮箱、编号"
  }
}

interface Props {
  readonly signedIn: SignedIn
  readonly merchantId: string
  readonly mode: "sandbox" | "live"
}

const MerchantPages = ({ merchantId, mode, signedIn }: Props) => {
  const words = useWords(texts)
  const language = useLanguage()
  const [path, go] = useLocation()
  const role = signedIn.person.roles.find(({ merchant_id }) => merchant_id === merchantId)?.role as
    | PersonRole
    | undefined
  const account = useMemo(
    () => (role === undefined ? undefined : inAccount({ merchantId, mode }, role)),
    [merchantId, mode, role]
  )
  const ahead = useMemo(() => aheadIn(settingsAtom(merchantId), mode), [merchantId, mode])
  const reader = useMemo(() => (account === undefined ? undefined : accountReader(account)), [account])
  if (account === undefined) {
    return <Trouble problem={{ kind: "refused", code: "merchant_not_found", message: "", requestId: "" }} />
  }
  const { base } = account
  return (
    <AccountContext value={account}>
      <AheadContext value={ahead}>
        <Shell
          signedIn={signedIn}
          mode={mode}
          base={base}
          nav={navOf(words, mode)}
          place={<Place signedIn={signedIn} />}
          bell={<Bell />}
          search={{
            label: words.search,
            look: (text) => matchOptions(account, text, language),
            onFind: (text) => void findPlace(account, text).then((at) => go(`${base}${at}`))
          }}
        >
          <ReaderContext value={reader}>
            <Part at={path}>
              <Switch>
                <Route path={base} component={Home} />
                <Route path={`${base}/orders`} component={Orders} />
                <Route path={`${base}/orders/:ref`}>
                  <Numbered page={Order} />
                </Route>
                <Route path={`${base}/webhooks`} component={Webhooks} />
                <Route path={`${base}/webhooks/:id`}>
                  <Numbered page={Webhook} />
                </Route>
                <Route path={`${base}/deliveries`} component={Deliveries} />
                <Route path={`${base}/deliveries/:id`}>
                  <Numbered page={Delivery} />
                </Route>
                <Route path={`${base}/events`} component={Events} />
                <Route path={`${base}/events/:id`}>
                  <Numbered page={Event} />
                </Route>
                <Route path={`${base}/logs`} component={Logs} />
                <Route path={`${base}/logs/:id`}>
                  <Numbered page={Log} />
                </Route>
                <Route path={`${base}/keys`} component={Keys} />
                {mode === "sandbox" && <Route path={`${base}/sandbox`} component={Sandbox} />}
                <Route path={`${base}/people`} component={People} />
                <Route path={`${base}/buyers`} component={Buyers} />
                <Route path={`${base}/settings`} component={Settings} />
                <Route path={`${base}/notifications`} component={Notifications} />
                <Route path={`${base}/audit`} component={Audit} />
                <Route path={`${base}/sessions`} component={Sessions} />
                <Route path={`${base}/refunds`} component={Refunds} />
                <Route path={`${base}/refunds/:ref`}>
                  <Numbered page={Refund} />
                </Route>
                <Route path={`${base}/disputes`} component={Disputes} />
                <Route path={`${base}/disputes/:ref`}>
                  <Numbered page={Dispute} />
                </Route>
                <Route path={`${base}/ledger`} component={Ledger} />
                <Route path={`${base}/ledger/:id`}>
                  <Numbered page={LedgerRow} />
                </Route>
                <Route path={`${base}/links`} component={Links} />
                <Route path={`${base}/links/:id`}>
                  <Numbered page={PaymentLink} />
                </Route>
                <Route path={`${base}/receipts`} component={Receipts} />
                <Route path={`${base}/payouts`} component={Payouts} />
                <Route path={`${base}/payouts/:no`}>
                  <Numbered page={Payout} />
                </Route>
                <Route path={`${base}/search`} component={Search} />
                <Route path={`${base}/reports`} component={Reports} />
                <Route>
                  <Redirect to={base} />
                </Route>
              </Switch>
            </Part>
          </ReaderContext>
        </Shell>
      </AheadContext>
    </AccountContext>
  )
}

/** The menu. */
const navOf = (words: (typeof texts)["en"], mode: "sandbox" | "live"): ReadonlyArray<NavGroup> => [
  { links: [["", words.home]] },
  {
    title: words.payments,
    links: [
      ["/orders", words.orders],
      ["/refunds", words.refunds],
      ["/disputes", words.disputes],
      ["/links", words.links],
      ["/receipts", words.receipts]
    ]
  },
  {
    title: words.money,
    links: [
      ["/ledger", words.ledger],
      ["/payouts", words.payouts],
      ["/reports", words.reports]
    ]
  },
  {
    title: words.developers,
    links: [
      ["/webhooks", words.endpoints],
      ["/deliveries", words.deliveries],
      ["/events", words.events],
      ["/logs", words.logs],
      ["/keys", words.keys],
      ...(mode === "sandbox" ? [["/sandbox", words.sandbox] as const] : [])
    ]
  },
  {
    title: words.merchant,
    links: [
      ["/people", words.people],
      ["/buyers", words.buyers],
      ["/settings", words.settings],
      ["/notifications", words.notifications],
      ["/audit", words.audit]
    ]
  }
]

/** The page of an object, by the number in the address. */
const Numbered = ({ page: Page }: { readonly page: React.ComponentType<{ readonly number: string }> }) => {
  const number = useNumber()
  return <Page key={number} number={number} />
}

export default MerchantPages
