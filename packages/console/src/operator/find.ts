/** The operators' page of an object, by a search result or by its number. */
import type { FoundResource } from "@coffer/contract/Lookup"
import type { MerchantQuery } from "@coffer/contract/Operator"
import type { PeopleQuery } from "@coffer/contract/People"
import { ask } from "../api/acts.ts"
import { asQuery } from "../api/lists.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { stateText } from "../parts/stateWords.ts"
import type { Language } from "../parts/words.ts"
import { ofAccount, ofDelivery, ofMerchant, ofOrder, ofPayout, type Operator } from "./operator.tsx"

const within = (found: FoundResource, page: string, filter?: string): string =>
  `${ofAccount(found.merchant_id, found.mode ?? "live")}/${page}${
    filter === undefined ? "" : `?${new URLSearchParams({ [filter]: found.id })}`
  }`

export const pageOfFound = (found: FoundResource): string => {
  switch (found.kind) {
    case "merchant":
      return ofMerchant(found.merchant_id)
    case "order":
      return ofOrder(found.merchant_id, found.mode ?? "live", found.id)
    case "payout":
      return ofPayout(found.id, found.mode)
    case "webhook_delivery":
      return ofDelivery(found.id, found.mode)
    case "refund":
      return within(found, "refunds")
    case "dispute":
      return within(found, "disputes")
    case "payment_link":
      return within(found, "links")
    case "balance_transaction":
      return within(found, "ledger")
    case "event":
      return within(found, "events")
    case "webhook_endpoint":
      return within(found, "endpoints")
    case "api_log":
      return within(found, "logs", "request_id")
  }
}

/** The objects that have pages of their own are reached without a search. */
export const placeOf = (text: string): string => {
  if (/^mer_\w{26}$/.test(text)) return ofMerchant(text)
  if (/^pyt_\w+$/.test(text)) return `/operator/payouts/${text}`
  if (/^dlv_\w+$/.test(text)) return `/operator/deliveries/${text}`
  return `/operator/search?${new URLSearchParams({ number: text })}`
}

/**
 * What is found while an operator types: merchants by name, and people by address or name for those who may see them.
 * Objects are looked for at a press only, since the audit log has each look at a merchant's data.
 */
export const lookFor = async ({ may }: Operator, text: string, language: Language) => {
  const few = { search: text, limit: "5" }
  const merchants = await ask(
    OperatorsApi,
    OperatorsApi.use((client) => client.merchants.list({ query: asQuery<MerchantQuery>(few) }))
  )
  const people = may("people.list")
    ? await ask(
        OperatorsApi,
        OperatorsApi.use((client) => client.people.list({ query: asQuery<PeopleQuery>(few) }))
      )
    : undefined
  return [
    ...("done" in merchants ? merchants.done.data.data : []).map(({ merchant_id, name }) => ({
      href: ofMerchant(merchant_id),
      name,
      note: `${stateText("merchant", language)} · ${merchant_id}`
    })),
    ...(people !== undefined && "done" in people ? people.done.data.data : []).map(({ email, name }) => ({
      href: `/operator/people?${new URLSearchParams({ search: email })}`,
      name: `${name} · ${email}`,
      note: stateText("person", language)
    }))
  ]
}
