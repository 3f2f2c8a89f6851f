/** The pages of operators: the whole installation, whatever merchant and environment. */
import type { Role } from "@coffer/model/Role"
import { useCallback, useMemo } from "react"
import { type AroundNavHandler, Link, Redirect, Route, Router, Switch, useLocation } from "wouter"
import { decoded } from "../parts/address.ts"
import { page, Part } from "../parts/Part.tsx"
import type { SignedIn } from "../parts/Shell.tsx"
import { Shell } from "../parts/Shell.tsx"
import { attention } from "../parts/stateWords.ts"
import { useLanguage, useWords } from "../parts/words.ts"
import { lookFor, placeOf } from "./find.ts"
import { ofMerchant, OperatorContext, operatorOf } from "./operator.tsx"
import { ShownMode, useMode, useShownMode } from "./shownMode.ts"

const Overview = page(() => import("./Overview.tsx"))
const HeldUp = page(() => import("./HeldUp.tsx"))
const Payouts = page(() => import("./Payouts.tsx"))
const Payout = page(() => import("./Payout.tsx"))
const Approvals = page(() => import("./Approvals.tsx"))
const Reconciliation = page(() => import("./Reconciliation.tsx"))
const Merchants = page(() => import("./Merchants.tsx"))
const Merchant = page(() => import("./Merchant.tsx"))
const MerchantOrder = page(() => import("./MerchantOrder.tsx"))
const Delivery = page(() => import("./Delivery.tsx"))
const Buyers = page(() => import("./Buyers.tsx"))
const Cluster = page(() => import("./Cluster.tsx"))
const People = page(() => import("./People.tsx"))
const Tokens = page(() => import("./Tokens.tsx"))
const AuditLog = page(() => import("./AuditLog.tsx"))
const Search = page(() => import("./Search.tsx"))

const texts = {
  en: {
    home: "Overview",
    money: "Money",
    payouts: "Payouts",
    approvals: "Approvals",
    reconciliation: "Reconciliation",
    merchants: "Merchants",
    buyers: "Buyer data",
    installation: "System",
    cluster: "Cluster",
    people: "People",
    tokens: "Tokens",
    audit: "Audit log",
    search: "Search by ID, name or email",
    merchantPages: "Merchant console",
    operators: "Operators"
  },
  zh: {
    home: "概览",
    money: "资金",
    payouts: "提现",
    approvals: "待批准",
    reconciliation: "对账",
    merchants: "商户",
    buyers: "买家数据",
    installation: "系统",
    cluster: "集群",
    people: "人员",
    tokens: "令牌",
    audit: "审计日志",
    search: "按编号、名称或邮箱搜索",
    merchantPages: "商户控制台",
    operators: "运营方"
  }
}

const base = "/operator"

/** Links and searches carry the environment that is shown. */
const OperatorPages = (props: { readonly signedIn: SignedIn }) => {
  const { carry, mode } = useShownMode()
  const around: AroundNavHandler = useCallback((go, to, options) => go(carry(to), options), [carry])
  return (
    <Router hrefs={carry} aroundNav={around}>
      <ShownMode value={mode}>
        <Pages {...props} />
      </ShownMode>
    </Router>
  )
}

const Pages = ({ signedIn }: { readonly signedIn: SignedIn }) => {
  const words = useWords(texts)
  const language = useLanguage()
  const [path, go] = useLocation()
  const mode = useMode()
  const { person } = signedIn
  const role = person.roles.find(({ merchant_id }) => merchant_id === null)?.role as Role
  const own = person.roles.find(({ merchant_id }) => merchant_id !== null)?.merchant_id ?? undefined
  const operator = useMemo(() => operatorOf(role, person.person_id, own), [role, person.person_id, own])
  const { may } = operator
  const nav = [
    { links: [["", words.home]] },
    {
      title: words.money,
      links: [
        ["/held-up", useWords(attention).title],
        ["/payouts", words.payouts],
        ["/approvals", words.approvals],
        ["/reconciliation", words.reconciliation]
      ]
    },
    {
      title: words.merchants,
      links: [
        ["/merchants", words.merchants],
        ["/buyers", words.buyers]
      ]
    },
    {
      title: words.installation,
      links: [
        ["/cluster", words.cluster],
        ...(may("people.list") ? [["/people", words.people] as const] : []),
        ...(may("operators.list") ? [["/tokens", words.tokens] as const] : []),
        ...(may("audit_log.list") ? [["/audit", words.audit] as const] : [])
      ]
    }
  ] as const
  const place = (
    <div className="place">
      <strong>{words.operators}</strong>
      {own !== undefined && <Link href={`/${own}/${mode}`}>{words.merchantPages} →</Link>}
    </div>
  )
  return (
    <OperatorContext value={operator}>
      <Shell
        signedIn={signedIn}
        base={base}
        nav={nav}
        place={place}
        search={{
          label: words.search,
          look: (text) => lookFor(operator, text, language),
          onFind: (text) => go(placeOf(text))
        }}
      >
        <Part at={path}>
          <Switch>
            <Route path={base} component={Overview} />
            <Route path={`${base}/held-up`} component={HeldUp} />
            <Route path={`${base}/payouts`} component={Payouts} />
            <Route path={`${base}/payouts/:number`}>{({ number }) => <Payout number={number} />}</Route>
            <Route path={`${base}/approvals`} component={Approvals} />
            <Route path={`${base}/reconciliation`} component={Reconciliation} />
            <Route path={`${base}/merchants`} component={Merchants} />
            <Route path={`${base}/merchants/:id`}>
              {({ id }) => <Redirect to={`${ofMerchant(id)}/${mode}`} replace />}
            </Route>
            <Route path={`${base}/merchants/:id/:mode/orders/:ref`}>
              {({ id, mode, ref }) => (
                <MerchantOrder merchantId={id} mode={mode === "live" ? "live" : "sandbox"} number={decoded(ref)} />
              )}
            </Route>
            <Route path={`${base}/merchants/:id/:mode/:tab?`}>
              {({ id, mode, tab }) => (
                <Merchant merchantId={id} mode={mode === "live" ? "live" : "sandbox"} tab={tab ?? ""} />
              )}
            </Route>
            <Route path={`${base}/deliveries/:number`}>{({ number }) => <Delivery number={number} />}</Route>
            <Route path={`${base}/buyers`} component={Buyers} />
            <Route path={`${base}/cluster`} component={Cluster} />
            <Route path={`${base}/people`} component={People} />
            <Route path={`${base}/tokens`} component={Tokens} />
            <Route path={`${base}/audit`} component={AuditLog} />
            <Route path={`${base}/search`} component={Search} />
            <Route>
              <Redirect to={base} />
            </Route>
          </Switch>
        </Part>
      </Shell>
    </OperatorContext>
  )
}

export default OperatorPages
