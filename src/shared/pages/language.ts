/**
 * The language of a page: the buyer's own choice on the page, else the order's locale, else the first available of the
 * browser's languages, else English (spec: Orders, locale).
 */
export const languages = ["en", "zh", "zh-Hant"] as const
export type Language = (typeof languages)[number]

/** As HTML and HTTP name them. */
export const tags = { en: "en", zh: "zh-CN", "zh-Hant": "zh-Hant" } as const satisfies Record<Language, string>

export interface Wishes {
  /** `?lang=` of the address. */
  readonly chosen: string | null
  /** `locale` of the order. */
  readonly locale: "en" | "zh" | null
  /** The header `Accept-Language`. */
  readonly accepted: string | undefined
}

export const languageOf = ({ accepted = "", chosen, locale }: Wishes): Language => {
  const browsers = fromHeader(accepted)
  // An order's locale does not name the Chinese script; the browser's language does.
  const ofOrder = locale === "zh" && browsers === "zh-Hant" ? browsers : locale
  return asLanguage((chosen ?? "").toLowerCase()) ?? ofOrder ?? browsers ?? "en"
}

/** The rest of the header is not read: no browser sends that many. */
const headerLengthMax = 500

/** By weight; of the same weight the first. A weight of 0 says that it is not wanted (RFC 9110, 12.5.4). */
const fromHeader = (accepted: string): Language | undefined => {
  const ranges = accepted
    .slice(0, headerLengthMax)
    .split(",")
    .map((range) => {
      const [tag = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase())
      const weight = parameters.find((parameter) => parameter.startsWith("q="))
      return { tag, weight: weight === undefined ? 1 : Number(weight.slice(2)) || 0 }
    })
  return ranges
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
    .map(({ tag }) => asLanguage(tag))
    .find((language) => language !== undefined)
}

/** In lower case. Hong Kong, Macau and Taiwan write traditional characters, unless the tag names the others. */
const asLanguage = (tag: string): Language | undefined =>
  /^zh-(hant|hk|mo|tw)(-|$)/.test(tag)
    ? "zh-Hant"
    : (["en", "zh"] as const).find((language) => tag === language || tag.startsWith(`${language}-`))

// The spacing of Chinese ------------------------------------------------------------

/**
 * For Chinese texts: a space goes between a Chinese character and a Latin letter, digit or currency sign, and none next
 * to punctuation. So `支付 US$1.00` and `返回书店` are spaced correctly, whatever is inserted.
 */
export const chinese = (parts: TemplateStringsArray, ...values: ReadonlyArray<string | number>): string =>
  parts.reduce((text, part, index) => joinSpaced(joinSpaced(text, String(values[index - 1] ?? "")), part))

const joinSpaced = (before: string, after: string): string => {
  const [last = "", first = ""] = [Array.from(before.slice(-2)).at(-1), Array.from(after.slice(0, 2))[0]]
  const isJoint = (isHan.test(last) && isLatin.test(first)) || (isLatin.test(last) && isHan.test(first))
  return before + (isJoint ? " " : "") + after
}
const isHan = /\p{Script=Han}/u
const isLatin = /[\p{Script=Latin}\p{Number}\p{Sc}]/u
