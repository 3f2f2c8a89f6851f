/** The list of payment links, and creating one. */
import type { PaymentLinkQuery, PaymentLinkResource } from "@coffer/contract/PaymentLinks"
import { paymentLinks } from "@coffer/resources/links"
import { accountApi, type AccountApi } from "../api/accountApi.ts"
import { act } from "../api/acts.ts"
import { sent } from "../api/sent.ts"
import { ChoiceField, TextField } from "../parts/act.tsx"
import { AsCode } from "../parts/AsCode.tsx"
import type { BulkAct } from "../parts/BulkActs.tsx"
import { Address } from "../parts/Made.tsx"
import { columnsOf, filtersOf } from "../parts/declared.tsx"
import type { ListBy } from "../parts/ListPage.tsx"
import { Empty } from "../parts/states.tsx"
import { stateText } from "../parts/stateWords.ts"
import { Copy, minorOf, Time } from "../parts/values.tsx"
import { type Language, useLanguage, useWords, wordsIn } from "../parts/words.ts"
import { currencies } from "./moneyWords.ts"
import { ObjectList } from "./ObjectList.tsx"
import { type Reader, useReader } from "./reader.ts"
import { callOf, MerchantAct } from "./MerchantAct.tsx"
import { typedFields, typedIn, typedText } from "../parts/typed.tsx"

const texts = {
  en: {
    amount: "Amount",
    subject: "Subject",
    expires: "Expires",
    never: "Never",
    create: "Create link",
    createSays:
      "One URL for many buyers: each visit creates its own order. The amount and currency can't be changed later.",
    currency: "Currency",
    subjectHint: "Shown to the buyer at checkout.",
    uses: "Maximum number of orders",
    usesHint: "Leave empty for no limit.",
    deactivate: "Deactivate",
    deactivateSays: "These links stop creating orders. You can reactivate a link on its page.",
    emptyTitle: "No payment links yet",
    empty: "Create a link and share it by email, chat or QR code. No code needed."
  },
  zh: {
    amount: "金额",
    subject: "商品标题",
    expires: "过期时间",
    never: "永不",
    create: "创建链接",
    createSays: "一个链接可供多个买家使用：每次访问都会创建独立的订单。金额和货币创建后不可更改。",
    currency: "货币",
    subjectHint: "在收银台向买家显示。",
    uses: "订单数上限",
    usesHint: "留空则不限。",
    deactivate: "停用",
    deactivateSays: "这些链接将不再创建订单。您可以在链接页面重新启用。",
    emptyTitle: "还没有支付链接",
    empty: "创建链接后，可通过邮件、聊天工具或二维码分享给买家，无需编写代码。"
  }
}
type Texts = typeof texts.en
type Row = PaymentLinkResource

const columns = (words: Texts, language: Language) =>
  columnsOf<Row>(paymentLinks, language, {
    used_count: {
      isNumber: true,
      cell: ({ max_uses, used_count }) => (max_uses === null ? used_count : `${used_count} / ${max_uses}`)
    },
    url: { cell: ({ url }) => <Copy text={url} label={wordsIn(paymentLinks.fields.url.label, language)} /> },
    expires_at: { cell: ({ expires_at }) => <Time at={expires_at} none={words.never} /> }
  })

const deactivateAct = (api: AccountApi, words: Texts, language: Language): BulkAct<Row> => ({
  name: words.deactivate,
  says: words.deactivateSays,
  isDangerous: true,
  worth: ({ amount, currency }) => ({ minor: amount, currency }),
  unfit: ({ status }) => (status === "active" ? undefined : stateText(status, language)),
  about: ({ link_id, subject }) => [subject ?? link_id],
  run: ({ link_id }) =>
    act(
      api,
      api.use((client) => client.payment_links.update({ params: { link_id }, payload: sent({ status: "inactive" }) }))
    )
})

const listOf = ({ account, lists }: Reader, words: Texts, language: Language): ListBy<Row, PaymentLinkQuery> => ({
  id: "links",
  title: wordsIn(paymentLinks.listing.label, language),
  columns: columns(words, language),
  filters: filtersOf(paymentLinks, language),
  ...lists.links,
  keyOf: ({ link_id }) => link_id,
  acts: account?.may("payment_links:write") && <CreateLink words={words} />,
  bulk: account?.may("payment_links:write") ? [deactivateAct(accountApi(account), words, language)] : [],
  empty: (
    <Empty title={words.emptyTitle}>
      <p>{words.empty}</p>
      <AsCode
        call={callOf(
          "payment_links.create",
          { payload: { amount: 1999, currency: "USD", subject: "Two books" } },
          "links create --amount 1999"
        )}
      />
    </Empty>
  )
})

const Links = () => <ObjectList list={listOf(useReader(), useWords(texts), useLanguage())} />

const CreateLink = ({ words }: { readonly words: Texts }) => {
  const language = useLanguage()
  const bodyOf = (typed: FormData) => {
    const { expires_at, max_uses, subject } = typedFields(typed, ["expires_at", "max_uses", "subject"])
    return {
      amount: minorOf(typedText(typed, "amount")) ?? 0,
      currency: typedIn(typed, "currency") ?? "USD",
      ...(subject === undefined ? {} : { subject }),
      ...(max_uses === undefined ? {} : { max_uses: Number(max_uses) }),
      ...(expires_at === undefined ? {} : { expires_at: new Date(expires_at).toISOString() })
    }
  }
  return (
    <MerchantAct
      operation="payment_links.create"
      name={words.create}
      says={words.createSays}
      isPrimary
      fields={
        <>
          <TextField label={words.amount} name="amount" isRequired inputMode="decimal" />
          <ChoiceField label={words.currency} name="currency" choices={currencies.map((each) => [each, each])} />
          <TextField label={words.subject} name="subject" maxLength={255} hint={words.subjectHint} />
          <TextField label={words.uses} name="max_uses" type="number" inputMode="numeric" hint={words.usesHint} />
          <TextField label={words.expires} name="expires_at" type="datetime-local" />
        </>
      }
      request={(typed) => ({ payload: sent(bodyOf(typed)) })}
      result={({ data }) => (
        <Address url={(data as Row).url} label={wordsIn(paymentLinks.fields.url.label, language)} />
      )}
      cli={(typed) => `links create --amount ${bodyOf(typed).amount}`}
    />
  )
}

export default Links
