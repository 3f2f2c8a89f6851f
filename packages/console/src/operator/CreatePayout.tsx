/** Creates a payout of a merchant. */
import { sent } from "../api/sent.ts"
import { randomId } from "../api/unsafePage.ts"
import { ChoiceField, TextField } from "../parts/act.tsx"
import { typedIn } from "../parts/typed.tsx"
import { currencyChoices, minorOf } from "../parts/values.tsx"
import { useWords } from "../parts/words.ts"
import { type Mode, OperatorAct } from "./operator.tsx"

const texts = {
  en: {
    create: "Create payout",
    says: "The amount is on hold until the payout is completed. Approve the payout on its page.",
    amount: "Amount",
    currency: "Currency",
    reference: "Reference",
    referenceHint: "Sending the same reference and details again returns the same payout."
  },
  zh: {
    create: "发起提现",
    says: "提现完成前金额将被冻结。请在提现页面批准。",
    amount: "金额",
    currency: "货币",
    reference: "参考号",
    referenceHint: "使用相同的参考号和内容重复提交，会返回同一笔提现。"
  }
}

export const CreatePayout = ({ merchantId, mode }: { readonly merchantId: string; readonly mode: Mode }) => {
  const words = useWords(texts)
  const bodyOf = (typed: FormData) => ({
    mode,
    currency: typedIn(typed, "currency") ?? "USD",
    amount: minorOf(typedIn(typed, "amount") ?? "") ?? 0,
    reference: typedIn(typed, "reference") ?? ""
  })
  return (
    <OperatorAct
      act="payouts.create"
      name={words.create}
      isPrimary
      says={words.says}
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
      request={(typed) => ({ params: { merchant_id: merchantId }, payload: sent(bodyOf(typed)) })}
    />
  )
}
