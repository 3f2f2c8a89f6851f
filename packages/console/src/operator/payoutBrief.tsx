/** What an operator decides about with a payout: whose money it is, how much, and what is left in the wallet. */
import type { PayoutResource } from "@coffer/contract/Payouts"
import { payouts } from "@coffer/resources/wallets"
import { shown } from "../api/acts.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { lastOf, useAtom } from "../api/registry.ts"
import { Facts } from "../parts/ObjectPage.tsx"
import { Loaded } from "../parts/states.tsx"
import { Amount, Time } from "../parts/values.tsx"
import { type Language, useLanguage, useWords, wordsIn } from "../parts/words.ts"
import { MerchantLink, ModeMark } from "./operator.tsx"

const texts = {
  en: { merchant: "Merchant", available: "Available balance", frozen: "On hold, with this payout" },
  zh: { merchant: "商户", available: "可用余额", frozen: "冻结金额（含此笔提现）" }
}

interface Props {
  readonly payout: PayoutResource
}

const { amount, created_at, fee, mode, payout_no, reference } = payouts.fields

const factsOf = ({ payout }: Props, merchant: string, language: Language) =>
  [
    [merchant, <MerchantLink key="m" id={payout.merchant_id} mode={payout.mode} />],
    [wordsIn(mode.label, language), <ModeMark key="e" mode={payout.mode} />],
    [
      wordsIn(amount.label, language),
      <strong key="a">
        <Amount minor={payout.amount} currency={payout.currency} />
      </strong>
    ],
    [wordsIn(fee.label, language), <Amount key="f" minor={payout.fee} currency={payout.currency} />],
    [wordsIn(reference.label, language), payout.reference ?? "–"],
    [wordsIn(payout_no.label, language), <code key="n">{payout.payout_no}</code>],
    [wordsIn(created_at.label, language), <Time key="t" at={payout.created_at} />]
  ] as const

/** Without the balance: to read that is a look at the merchant's data, which the audit log has. */
export const PayoutBrief = (props: Props) => {
  const words = useWords(texts)
  return <Facts isBare facts={factsOf(props, words.merchant, useLanguage())} />
}

/** In a dialog, before the decision: with the wallet's balance. */
export const PayoutDecision = (props: Props) => {
  const words = useWords(texts)
  const language = useLanguage()
  const { currency, merchant_id, mode } = props.payout
  const params = { merchant_id }
  const overview = lastOf(
    useAtom(OperatorsApi.query("lookup", "overview", { params, query: { mode }, reactivityKeys: shown }))
  )
  const wallet = overview?.data.balances.find((each) => each.currency === currency)
  const balances = [
    [words.available, <Amount key="v" minor={wallet?.available_balance ?? null} currency={currency} />],
    [words.frozen, <Amount key="z" minor={wallet?.frozen_balance ?? null} currency={currency} />]
  ] as const
  return <Facts isBare facts={[...factsOf(props, words.merchant, language), ...balances]} />
}

/** The payout with this number. `isDecided`: where it is decided about. */
export const PayoutByNumber = ({ isDecided, number }: { readonly isDecided: boolean; readonly number: string }) => {
  const params = { payout_no: number }
  const payout = useAtom(OperatorsApi.query("payouts", "get", { params, reactivityKeys: shown }))
  const Shown = isDecided ? PayoutDecision : PayoutBrief
  return (
    <Loaded result={payout} lines={3}>
      {({ data }) => <Shown payout={data} />}
    </Loaded>
  )
}
