/** The page of a payment link: its URL, its orders, activation and deactivation. */
import type { PaymentLinkResource } from "@coffer/contract/PaymentLinks"
import { linkKey } from "@coffer/model/Metadata"
import { paymentLinks } from "@coffer/resources/links"
import { Link } from "wouter"
import { useApi } from "../api/accountApi.ts"
import { act, shown } from "../api/acts.ts"
import { objectEvery, useLive } from "../api/registry.ts"
import { sent } from "../api/sent.ts"
import { useAccount } from "../api/session.ts"
import { TextField, thisPage } from "../parts/act.tsx"
import { factsOf } from "../parts/declared.tsx"
import { Address } from "../parts/Made.tsx"
import { ObjectPage } from "../parts/ObjectPage.tsx"
import { Rows } from "../parts/ListPage.tsx"
import { Loaded } from "../parts/states.tsx"
import { Amount, State, Time } from "../parts/values.tsx"
import { useLanguage, useWords, wordsIn } from "../parts/words.ts"
import { MerchantAct, send } from "./MerchantAct.tsx"
import { EditMetadata } from "./metadata.tsx"
import { useReader } from "./reader.ts"
import { typedFields } from "../parts/typed.tsx"

const texts = {
  en: {
    address: "URL",
    subject: "Subject",
    uses: "Maximum number of orders",
    any: "No limit",
    never: "Never",
    created: "Created",
    orders: "Latest orders from this link",
    all: "All orders from this link",
    none: "No orders yet: the link has not been opened.",
    deactivate: "Deactivate",
    deactivateSays: "The link stops creating orders. Existing orders can still be paid.",
    activate: "Activate",
    activateSays: "The link creates orders again.",
    edit: "Edit",
    editSays: "The amount and currency can't be changed. For a different price, create a new link.",
    usesHint: "Leave empty for no limit.",
    amount: "Amount",
    status: "Status",
    number: "Order"
  },
  zh: {
    address: "URL",
    subject: "商品标题",
    uses: "订单数上限",
    any: "不限",
    never: "永不",
    created: "创建时间",
    orders: "此链接的最近订单",
    all: "此链接的全部订单",
    none: "还没有订单：链接尚未被打开。",
    deactivate: "停用",
    deactivateSays: "该链接将不再创建订单，已有订单仍可付款。",
    activate: "启用",
    activateSays: "该链接将重新创建订单。",
    edit: "编辑",
    editSays: "金额和货币不可更改。如需其他价格，请创建新链接。",
    usesHint: "留空则不限。",
    amount: "金额",
    status: "状态",
    number: "订单"
  }
}
type Texts = typeof texts.en

const PaymentLink = ({ number }: { readonly number: string }) => {
  const { base } = useAccount()
  const api = useApi()
  const words = useWords(texts)
  const language = useLanguage()
  const link = useLive(
    api.query("payment_links", "get", { params: { link_id: number }, query: {}, reactivityKeys: shown }),
    objectEvery
  )
  const linkOf = (answer: unknown) => (answer as { readonly data: PaymentLinkResource }).data
  return (
    <ObjectPage
      result={link}
      back={[`${base}/links`, wordsIn(paymentLinks.listing.label, language)]}
      number={number}
      head={(answer) => {
        const { amount, currency, status } = linkOf(answer)
        return (
          <>
            <Amount minor={amount} currency={currency} /> <State of={status} />
          </>
        )
      }}
      acts={(answer) => <Acts link={linkOf(answer)} words={words} />}
      facts={(answer) => {
        const { expires_at, max_uses } = linkOf(answer)
        return factsOf(paymentLinks, linkOf(answer), language, {
          max_uses: max_uses ?? words.any,
          expires_at: <Time at={expires_at} none={words.never} />
        })
      }}
    >
      {(answer) => (
        <>
          <AddressCard url={linkOf(answer).url} words={words} />
          <OrdersOf link={linkOf(answer)} words={words} />
        </>
      )}
    </ObjectPage>
  )
}

const AddressCard = ({ url, words }: { readonly url: string; readonly words: Texts }) => (
  <section className="card">
    <h2>{words.address}</h2>
    <Address url={url} label={words.address} />
  </section>
)

const OrdersOf = ({ link, words }: { readonly link: PaymentLinkResource; readonly words: Texts }) => {
  const { base, lists } = useReader()
  const filter = `metadata[${linkKey}]` as const
  const orders = useLive(lists.orders.page({ [filter]: link.link_id, limit: "10" }), objectEvery)
  return (
    <section className="card">
      <h2>{words.orders}</h2>
      <Loaded result={orders} lines={3}>
        {({ data: { data } }) => {
          if (data.length === 0) return <p className="soft">{words.none}</p>
          return (
            <>
              <Rows
                list={{
                  title: words.orders,
                  keyOf: ({ trade_no }) => trade_no,
                  hrefOf: ({ trade_no }) => `${base}/orders/${trade_no}`
                }}
                columns={[
                  {
                    id: "amount",
                    name: words.amount,
                    cell: ({ amount, currency }) => <Amount minor={amount} currency={currency} />
                  },
                  { id: "status", name: words.status, cell: ({ status }) => <State of={status} /> },
                  {
                    id: "number",
                    name: words.number,
                    isWide: true,
                    cell: ({ out_trade_no }) => <code>{out_trade_no}</code>
                  },
                  {
                    id: "created",
                    name: words.created,
                    cell: ({ created_at }) => <Time at={created_at} />
                  }
                ]}
                rows={data}
              />
              <p>
                <Link href={`${base}/orders?${new URLSearchParams({ [filter]: link.link_id })}`}>{words.all} →</Link>
              </p>
            </>
          )
        }}
      </Loaded>
    </section>
  )
}

const Acts = ({ link, words }: { readonly link: PaymentLinkResource; readonly words: Texts }) => {
  const { may } = useAccount()
  const api = useApi()
  const { link_id, max_uses, metadata, status, subject } = link
  if (!may("payment_links:write")) return null
  const isActive = status === "active"
  return (
    <>
      <EditMetadata
        operation="payment_links.update"
        params={{ link_id }}
        initial={metadata}
        name={words.edit}
        says={words.editSays}
        fields={
          <>
            <TextField label={words.subject} name="subject" maxLength={255} initial={subject ?? ""} />
            <TextField
              label={words.uses}
              name="max_uses"
              type="number"
              inputMode="numeric"
              initial={String(max_uses ?? "")}
              hint={words.usesHint}
            />
          </>
        }
        changed={(typed: FormData) => {
          const { max_uses: uses = "", subject: about = "" } = typedFields(typed, ["max_uses", "subject"])
          return sent({
            ...(about === (subject ?? "") ? {} : { subject: about === "" ? null : about }),
            ...(uses === String(max_uses ?? "") ? {} : { max_uses: uses === "" ? null : Number(uses) })
          })
        }}
      />
      <MerchantAct
        operation="payment_links.update"
        name={isActive ? words.deactivate : words.activate}
        endangers={isActive ? thisPage : undefined}
        says={isActive ? words.deactivateSays : words.activateSays}
        request={() => ({ params: { link_id }, payload: { status: isActive ? "inactive" : "active" } })}
        undo={() => act(api, send(api, "payment_links.update", { params: { link_id }, payload: { status } }))}
      />
    </>
  )
}

export default PaymentLink
