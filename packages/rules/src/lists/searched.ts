/** What a person who searches may mean by a text: a number of ours in any case, an amount, or several words. Pure. */
import { prefixes } from "@coffer/model/Ids"
import { Currency } from "@coffer/model/Money"

const known: ReadonlyArray<string> = [
  ...Object.values(prefixes).filter((each) => typeof each === "string"),
  "TRD_SB_",
  "TRD_"
]

/** A number of ours as it is written; any other text as it is. */
export const ownNumberOf = (text: string): string => {
  const [, prefix, body] = /^([a-z]+_(?:sb_)?)([0-9a-z]{26})$/i.exec(text) ?? []
  const written = known.find((each) => each.toLowerCase() === prefix?.toLowerCase())
  return written === undefined ? text : `${written}${body!.toUpperCase()}`
}

export interface SearchedAmount {
  readonly minor: number
  readonly currency: Currency | undefined
}

const signs: Readonly<Record<string, Currency>> = { US$: "USD", HK$: "HKD", "CN¥": "CNY", "¥": "CNY", "￥": "CNY" }

/** "19.99", "$1,999", "HK$ 20", "20 usd": undefined if it is not an amount. A bare $ may be of any dollar. */
export const amountIn = (text: string): SearchedAmount | undefined => {
  const pattern =
    /^(?:(US\$|HK\$|CN¥|[$¥￥])|([a-z]{3}))?\s*(\d{1,3}(?:,\d{3})+|\d{1,10})(?:\.(\d{1,2}))?\s*([a-z]{3})?$/i
  const [whole, sign, before, units, cents = "", after] = pattern.exec(text.trim()) ?? []
  if (whole === undefined) return undefined
  const code = (before ?? after)?.toUpperCase()
  const currency =
    code === undefined ? signs[(sign ?? "").toUpperCase()] : Currency.literals.find((each) => each === code)
  if (code !== undefined && currency === undefined) return undefined
  return { minor: Number(units!.replaceAll(",", "")) * 100 + Number(cents.padEnd(2, "0")), currency }
}

/** A part of a search, in small letters. Each narrows what is found. */
export interface Term {
  readonly text: string
  readonly amount: SearchedAmount | undefined
  /** Its words, without what parts them. */
  readonly words: ReadonlyArray<string>
}

/** What parts words, beside blanks: the parts of an address are words. */
export const partings = "!\"#$%&()*+,-./:;<=>?@[]^_`{|}~\u3000、，。！？：；“”（）《》【】…'\\"
const isParting = new Set(partings)

/** Each term is looked for in each row, and each of its words. */
const termsMax = 8

const codes = Currency.literals.join("|")
/** A blank between an amount and its sign or currency. */
const blankInAmount = new RegExp(String.raw`(?<=[$¥￥]|\b(?:${codes}))\s+(?=\d)|(?<=\d)\s+(?=(?:${codes})\b)`, "gi")

/** A part without any word narrows nothing. */
export const termsIn = (text: string): ReadonlyArray<Term> =>
  text
    .trim()
    .replace(blankInAmount, "")
    .split(/\s+/)
    .map((part) => ({ text: part.toLowerCase(), amount: amountIn(part), words: wordsIn(part.toLowerCase()) }))
    .filter(({ words }) => words.length > 0)
    .slice(0, termsMax)

const wordsIn = (part: string): ReadonlyArray<string> =>
  Array.from(part, (each) => (isParting.has(each) ? " " : each))
    .join("")
    .split(" ")
    .filter((word) => word !== "")
    .slice(0, termsMax)
