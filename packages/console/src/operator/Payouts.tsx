/**
 * Payouts in progress of all merchants: to approve, or to mark as paid or failed. Completed ones are on their
 * merchant's page.
 */
import type { HeldUpQuery, HeldUpResource } from "@coffer/contract/HeldUp"
import { Link } from "wouter"
import { shown } from "../api/acts.ts"
import { asQuery } from "../api/lists.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { columnsFor } from "../parts/columns.tsx"
import { type Column, type ListBy, ListPage } from "../parts/ListPage.tsx"
import { Empty } from "../parts/states.tsx"
import { Amount } from "../parts/values.tsx"
import { useWords } from "../parts/words.ts"
import { NextStep } from "./held.tsx"
import { MerchantLink, ModeMark, ModeSwitch } from "./operator.tsx"
import { useMode } from "./shownMode.ts"

const texts = {
  en: {
    title: "Payouts",
    says: "Payouts in progress, across all merchants. Completed payouts are on the merchant's page.",
    amount: "Amount",
    status: "Status",
    since: "Waiting since",
    next: "Next step",
    merchant: "Merchant",
    mode: "Environment",
    number: "Payout ID",
    none: "No payouts in progress",
    noneSays: "Create payouts on the merchant's page, under Payouts.",
    merchants: "View merchants"
  },
  zh: {
    title: "提现",
    says: "所有商户进行中的提现。已完成的提现请在商户页面查看。",
    amount: "金额",
    status: "状态",
    since: "等待自",
    next: "下一步",
    merchant: "商户",
    mode: "环境",
    number: "提现号",
    none: "没有进行中的提现",
    noneSays: "请在商户页面的“提现”中发起。",
    merchants: "查看商户"
  }
}

const { code, state, time } = columnsFor<HeldUpResource>()

const columnsOf = (words: typeof texts.en): ReadonlyArray<Column<HeldUpResource>> => [
  {
    id: "amount",
    name: words.amount,
    isNumber: true,
    amount: ({ amount, currency }) => ({ minor: amount ?? 0, currency: currency ?? "USD" }),
    cell: ({ amount, currency }) => <Amount minor={amount} currency={currency ?? "USD"} />
  },
  state(words.status),
  {
    id: "next",
    name: words.next,
    isWide: true,
    text: ({ text }) => text,
    cell: (held) => <NextStep held={held} />
  },
  time("since", words.since),
  { id: "mode", name: words.mode, text: ({ mode }) => mode, cell: ({ mode }) => <ModeMark mode={mode} /> },
  {
    id: "merchant",
    name: words.merchant,
    isWide: true,
    text: ({ merchant_id }) => merchant_id,
    cell: ({ merchant_id, mode }) => <MerchantLink id={merchant_id} mode={mode} />
  },
  code("id", words.number, { isHidden: true })
]

const Payouts = () => {
  const words = useWords(texts)
  const mode = useMode()
  return (
    <ListPage
      list={
        {
          id: "operator.payouts",
          title: words.title,
          columns: columnsOf(words),
          filters: [{ name: "merchant_id", label: words.merchant }],
          page: (query) =>
            OperatorsApi.query("held_up", "list", {
              query: { ...asQuery<HeldUpQuery>(query), kind: "payout", mode },
              reactivityKeys: shown
            }),
          keyOf: ({ id }) => id,
          hrefOf: ({ id }) => `/operator/payouts/${id}`,
          above: (
            <>
              <p className="soft">{words.says}</p>
              <ModeSwitch />
            </>
          ),
          empty: (
            <Empty title={words.none}>
              <p>{words.noneSays}</p>
              <Link href="/operator/merchants" className="button quiet">
                {words.merchants}
              </Link>
            </Empty>
          )
        } satisfies ListBy<HeldUpResource, HeldUpQuery>
      }
    />
  )
}

export default Payouts
