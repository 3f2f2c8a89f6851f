/** What a search has found, by kind, each with what tells it from its neighbours. */
import type { MatchResource } from "@coffer/contract/MerchantSearch"
import { ask } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import type { InAccount } from "../api/session.ts"
import type { SearchOption } from "../parts/SearchBox.tsx"
import { stateText } from "../parts/stateWords.ts"
import { amountText, timeText } from "../parts/values.tsx"
import type { Language } from "../parts/words.ts"
import { pageOf, placeOf } from "./find.ts"
import { reasonText } from "./moneyWords.ts"

/** Undefined without an answer. */
const findMatches = async (
  { merchantId, mode }: InAccount,
  text: string
): Promise<ReadonlyArray<MatchResource> | undefined> => {
  const params = { merchant_id: merchantId }
  const outcome = await ask(
    OwnApi,
    OwnApi.use((client) => client.search.find({ params, query: { mode, text } }))
  )
  return "done" in outcome ? outcome.done.data.data : undefined
}

/** What it is: an amount, its own number and its words. */
export const matchName = ({ amount, currency, id, kind, number, text }: MatchResource, language: Language): string => {
  const words = text !== null && kind === "dispute" ? reasonText(text, language) : text
  const parts = [
    amount === null || currency === null ? null : amountText(amount, currency, language),
    words,
    number ?? (words === null ? id : null)
  ]
  return parts.filter((part) => part !== null && part !== "").join(" · ")
}

/** Its kind and state, whose it is and since when. */
export const matchNote = ({ created_at, email, kind, status }: MatchResource, language: Language): string =>
  [
    stateText(kind, language),
    status === null ? null : stateText(status, language),
    email,
    created_at === null ? null : timeText(created_at, language)
  ]
    .filter((part) => part !== null)
    .join(" · ")

export const matchOptions = async (
  account: InAccount,
  text: string,
  language: Language
): Promise<ReadonlyArray<SearchOption>> =>
  ((await findMatches(account, text)) ?? []).flatMap((match) => {
    const page = pageOf(match.id)
    return page === undefined
      ? []
      : [{ href: `${account.base}${page}`, name: matchName(match, language), note: matchNote(match, language) }]
  })

/** Where a search leads: straight to the object if it is the only one that is found. */
export const findPlace = async (account: InAccount, text: string): Promise<string> => {
  const place = placeOf(text)
  if (!place.startsWith("/search?")) return place
  const found = await findMatches(account, text)
  const [only] = found ?? []
  return (found?.length === 1 && only !== undefined ? pageOf(only.id) : undefined) ?? place
}
