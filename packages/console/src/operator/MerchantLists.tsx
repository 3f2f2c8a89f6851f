/** The lists of a merchant, as it reads them itself, each with its filters. One value of `List` a tab. */
import { shown } from "../api/acts.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { sent } from "../api/sent.ts"
import { randomId } from "../api/unsafePage.ts"
import { ChoiceField, TextField } from "../parts/act.tsx"
import { columnsFor } from "../parts/columns.tsx"
import { type Column, type Filter, type List, ListPage, type Query } from "../parts/ListPage.tsx"
import { Empty } from "../parts/states.tsx"
import { currencyChoices, minorOf, stateChoices } from "../parts/values.tsx"
import { type Language, useLanguage, useWords } from "../parts/words.ts"
import { typedIn } from "../parts/typed.tsx"
import { movementText } from "../merchant/moneyWords.ts"
import { CreateKey, KeyActs } from "./MerchantKeys.tsx"
import { type Mode, OperatorAct, ofOrder, ShowJson } from "./operator.tsx"

const texts = {
  en: {
    amount: "Amount",
    status: "Status",
    subject: "Subject",
    number: "Number",
    own: "Merchant reference",
    order: "Order",
    created: "Created",
    reason: "Reason",
    until: "Respond by",
    balance: "Balance after",
    type: "Type",
    of: "Source",
    currency: "Currency",
    event: "Event",
    object: "Object",
    address: "URL",
    next: "Next attempt",
    tries: "Attempts",
    takes: "Event types",
    call: "Endpoint",
    error: "Error",
    ms: "ms",
    ip: "IP address",
    used: "Orders created",
    scopes: "Permissions",
    name: "Name",
    last: "Last used",
    acts: "Actions",
    none: "No entries yet",
    noneSays: "Objects the merchant creates with the API or in its console are listed here.",
    payout: "Create payout",
    payoutSays: "The amount is on hold until the payout is completed. Approve the payout on its page.",
    reference: "Reference",
    referenceHint: "Sending the same reference and details again returns the same payout.",
    path: "Path",
    whole: "Raw data",
    tabs: {
      orders: "Orders",
      refunds: "Refunds",
      disputes: "Disputes",
      links: "Payment links",
      ledger: "Ledger",
      payouts: "Payouts",
      events: "Events",
      deliveries: "Deliveries",
      endpoints: "Webhooks",
      logs: "API logs",
      keys: "Restricted keys"
    }
  },
  zh: {
    amount: "金额",
    status: "状态",
    subject: "标题",
    number: "编号",
    own: "商户单号",
    order: "订单",
    created: "创建时间",
    reason: "原因",
    until: "回应截止时间",
    balance: "变动后余额",
    type: "类型",
    of: "来源",
    currency: "货币",
    event: "事件",
    object: "对象",
    address: "URL",
    next: "下次尝试",
    tries: "次数",
    takes: "事件类型",
    call: "接口",
    error: "错误",
    ms: "毫秒",
    ip: "IP 地址",
    used: "已创建订单",
    scopes: "权限",
    name: "名称",
    last: "最近使用",
    acts: "操作",
    none: "还没有记录",
    noneSays: "商户通过 API 或控制台创建的内容会显示在这里。",
    payout: "发起出款",
    payoutSays: "出款完成前金额将被冻结。请在出款页面批准。",
    reference: "您的参考号",
    referenceHint: "使用相同的参考号和内容重复提交，会返回同一笔出款。",
    path: "路径",
    whole: "原始数据",
    tabs: {
      orders: "订单",
      refunds: "退款",
      disputes: "争议",
      links: "支付链接",
      ledger: "账本",
      payouts: "出款",
      events: "事件",
      deliveries: "投递",
      endpoints: "Webhook",
      logs: "API 日志",
      keys: "受限密钥"
    }
  }
}
type Texts = typeof texts.en
type Tab = keyof Texts["tabs"]

/** The fields that the columns read, of whichever object. */
type Row = Readonly<Record<string, string | number | boolean | null | ReadonlyArray<unknown> | undefined>>

const text = (row: Row, field: string): string => {
  const value = row[field]
  return value === null || value === undefined ? "" : Array.isArray(value) ? value.join(" ") : String(value)
}
const { code, money, plain, state, time } = columnsFor<Row>()

/** All fields of the row, with its bodies. */
const whole = ({ words }: Of, key: string): Column<Row> =>
  plain("whole", words.whole, { text: () => "", cell: (row) => <ShowJson title={text(row, key)} value={row} /> })

interface Of {
  readonly merchantId: string
  readonly mode: Mode
  readonly words: Texts
  readonly language: Language
}

type Part = Pick<List<Row>, "columns" | "keyOf"> & Partial<List<Row>> & { readonly read: (query: Query) => unknown }

const status = ({ language, words }: Of, states: ReadonlyArray<string>): Filter => ({
  name: "status",
  label: words.status,
  choices: stateChoices(states, language)
})

const wide = { isWide: true }
const hidden = { isHidden: true }

/** The calls, columns and filters of each tab. */
const parts: Readonly<Record<Tab, (of: Of) => Part>> = {
  orders: (of) => ({
    read: request(of, "orders", "list"),
    columns: [
      money("amount", of.words.amount),
      state(of.words.status),
      plain("subject", of.words.subject, wide),
      code("out_trade_no", of.words.own),
      code("trade_no", of.words.number, hidden),
      time("created_at", of.words.created)
    ],
    filters: [
      status(of, ["pending", "paid", "partially_refunded", "refunded", "failed", "expired"]),
      { name: "out_trade_no", label: of.words.own }
    ],
    keyOf: (row) => text(row, "trade_no"),
    hrefOf: toOrder(of)
  }),
  refunds: (of) => ({
    read: request(of, "lookup", "refunds"),
    columns: [
      money("amount", of.words.amount),
      state(of.words.status),
      plain("reason", of.words.reason, wide),
      code("out_refund_no", of.words.own),
      code("refund_no", of.words.number, hidden),
      code("trade_no", of.words.order, wide),
      time("created_at", of.words.created)
    ],
    filters: [
      status(of, ["pending", "processing", "succeeded", "failed"]),
      { name: "trade_no", label: of.words.order },
      { name: "out_refund_no", label: of.words.own }
    ],
    keyOf: (row) => text(row, "refund_no"),
    hrefOf: toOrder(of)
  }),
  disputes: (of) => ({
    read: request(of, "lookup", "disputes"),
    columns: [
      money("amount", of.words.amount),
      state(of.words.status),
      time("evidence_due_by", of.words.until),
      plain("reason", of.words.reason, wide),
      code("dispute_no", of.words.number, hidden),
      code("trade_no", of.words.order, wide),
      time("created_at", of.words.created)
    ],
    filters: [
      status(of, ["needs_response", "under_review", "won", "lost", "accepted"]),
      { name: "trade_no", label: of.words.order }
    ],
    keyOf: (row) => text(row, "dispute_no"),
    hrefOf: toOrder(of)
  }),
  links: (of) => ({
    read: request(of, "lookup", "paymentLinks"),
    columns: [
      money("amount", of.words.amount),
      state(of.words.status),
      plain("subject", of.words.subject),
      plain("used_count", of.words.used, { isNumber: true }),
      code("link_id", of.words.number, wide),
      time("created_at", of.words.created)
    ],
    keyOf: (row) => text(row, "link_id")
  }),
  ledger: (of) => ({
    read: request(of, "lookup", "balanceTransactions"),
    columns: [
      money("amount", of.words.amount),
      plain("type", of.words.type, { cell: (row) => movementText(text(row, "type"), of.language) }),
      money("balance_after", of.words.balance),
      code("reference_id", of.words.of, wide),
      code("id", of.words.number, hidden),
      time("created_at", of.words.created)
    ],
    filters: [
      { name: "currency", label: of.words.currency, choices: currencyChoices },
      { name: "reference_id", label: of.words.of }
    ],
    keyOf: (row) => text(row, "id")
  }),
  payouts: (of) => ({
    read: request(of, "payouts", "list"),
    columns: [
      money("amount", of.words.amount),
      state(of.words.status),
      code("reference", of.words.reference, wide),
      code("payout_no", of.words.number, wide),
      time("created_at", of.words.created)
    ],
    keyOf: (row) => text(row, "payout_no"),
    hrefOf: (row) => `/operator/payouts/${text(row, "payout_no")}`,
    acts: <CreatePayout of={of} />
  }),
  events: (of) => ({
    read: request(of, "lookup", "events"),
    columns: [
      plain("type", of.words.type),
      code("id", of.words.number, wide),
      time("created_at", of.words.created),
      whole(of, "id")
    ],
    filters: [{ name: "object_id", label: of.words.object }],
    keyOf: (row) => text(row, "id")
  }),
  deliveries: (of) => ({
    read: request(of, "webhook_deliveries", "list"),
    columns: [
      plain("event_type", of.words.event),
      state(of.words.status),
      plain("url", of.words.address, wide),
      plain("attempts", of.words.tries, {
        isNumber: true,
        text: ({ attempts }) => String((attempts as ReadonlyArray<unknown>).length),
        cell: ({ attempts }) => (attempts as ReadonlyArray<unknown>).length
      }),
      time("next_attempt_at", of.words.next, wide),
      time("created_at", of.words.created)
    ],
    filters: [status(of, ["pending", "succeeded", "failed"]), { name: "event_id", label: of.words.event }],
    keyOf: (row) => text(row, "id"),
    hrefOf: (row) => `/operator/deliveries/${text(row, "id")}`
  }),
  endpoints: (of) => ({
    read: request(of, "lookup", "webhookEndpoints"),
    columns: [
      plain("url", of.words.address),
      state(of.words.status),
      plain("enabled_events", of.words.takes, wide),
      code("id", of.words.number, wide),
      time("created_at", of.words.created)
    ],
    keyOf: (row) => text(row, "id")
  }),
  logs: (of) => ({
    read: request(of, "lookup", "logs"),
    columns: [
      plain("path", of.words.call, {
        cell: (row) => (
          <code>
            {text(row, "method")} {text(row, "path")}
          </code>
        )
      }),
      plain("status", of.words.status, { isNumber: true }),
      code("error_code", of.words.error),
      plain("duration_ms", of.words.ms, { isNumber: true }),
      plain("ip", of.words.ip, wide),
      code("request_id", of.words.number, wide),
      time("created_at", of.words.created),
      whole(of, "request_id")
    ],
    filters: [
      { name: "status", label: of.words.status, choices: ["2xx", "4xx", "5xx"].map((each) => [each, each]) },
      { name: "error_code", label: of.words.error },
      { name: "path", label: of.words.path },
      { name: "request_id", label: of.words.number }
    ],
    keyOf: (row) => text(row, "request_id")
  }),
  keys: (of) => ({
    read: request(of, "api_keys", "list"),
    columns: [
      plain("name", of.words.name),
      state(of.words.status),
      plain("scopes", of.words.scopes, { ...wide, cell: (row) => <span className="wrap">{text(row, "scopes")}</span> }),
      time("last_used_at", of.words.last),
      time("created_at", of.words.created),
      plain("acts", of.words.acts, {
        text: () => "",
        cell: (row) => <KeyActs apiKey={row as never} merchantId={of.merchantId} />
      })
    ],
    keyOf: (row) => text(row, "key_id"),
    acts: <CreateKey merchantId={of.merchantId} mode={of.mode} />
  })
}

const toOrder =
  ({ merchantId, mode }: Of) =>
  (row: Row) =>
    ofOrder(merchantId, mode, text(row, "trade_no"))

/** All of these lists have the merchant in their path and the environment in their query. */
const request =
  ({ merchantId, mode }: Of, group: string, name: string) =>
  ({ type, ...query }: Query) =>
    OperatorsApi.query(group as "lookup", name as "refunds", {
      params: { merchant_id: merchantId },
      query: { ...query, mode, ...(type === undefined ? {} : { type: name === "events" ? [type] : type }) } as never,
      reactivityKeys: shown
    })

const CreatePayout = ({ of: { merchantId, mode, words } }: { readonly of: Of }) => {
  const bodyOf = (typed: FormData) => ({
    mode,
    currency: typedIn(typed, "currency") ?? "USD",
    amount: minorOf(typedIn(typed, "amount") ?? "") ?? 0,
    reference: typedIn(typed, "reference") ?? ""
  })
  return (
    <OperatorAct
      act="payouts.create"
      name={words.payout}
      isPrimary
      says={words.payoutSays}
      fields={
        <>
          <TextField label={words.amount} name="amount" isRequired inputMode="decimal" />
          <ChoiceField label={words.currency} name="currency" choices={currencyChoices} />
          <TextField
            label={words.reference}
            name="reference"
            isRequired
            initial={`payout-${randomId().slice(0, 8)}`}
            hint={words.referenceHint}
          />
        </>
      }
      call={(client, typed) =>
        client.payouts.create({ params: { merchant_id: merchantId }, payload: sent(bodyOf(typed)) })
      }
      code={(typed) => ({
        method: "POST",
        path: `/operator/v1/merchants/${merchantId}/payouts`,
        body: bodyOf(typed)
      })}
    />
  )
}

const MerchantList = (props: { readonly merchantId: string; readonly mode: Mode; readonly tab: string }) => {
  const { merchantId, mode, tab } = props
  const words = useWords(texts)
  const language = useLanguage()
  const name = (tab in parts ? tab : "orders") as Tab
  const { read, ...list } = parts[name]({ merchantId, mode, words, language })
  return (
    <ListPage
      list={{
        id: `operator.${name}`,
        title: words.tabs[name],
        level: 2,
        page: read as never,
        empty: (
          <Empty title={words.none}>
            <p>{words.noneSays}</p>
          </Empty>
        ),
        ...list
      }}
    />
  )
}

export default MerchantList
