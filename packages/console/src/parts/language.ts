/** The language that a person reads, and its names. It imports nothing: `early.ts` runs before all else. */

export const languages = ["en", "zh", "zh-Hant"] as const
export type Language = (typeof languages)[number]
export const tags = { en: "en", zh: "zh-CN", "zh-Hant": "zh-Hant" } as const satisfies Record<Language, string>

export const stored = (name: string): string | null => globalThis.localStorage?.getItem(name) ?? null

/** Hong Kong, Macau and Taiwan write traditional characters, unless the tag names the others. */
const languageOf = (tag: string): Language =>
  /^zh-(hant|hk|mo|tw)(-|$)/i.test(tag) ? "zh-Hant" : tag.startsWith("zh") ? "zh" : "en"

export const firstLanguage = (chosen: string | null, wanted: ReadonlyArray<string>): Language =>
  languageOf(chosen ?? wanted.find((tag) => /^(en|zh)(-|$)/i.test(tag)) ?? "en")

/** That of this browser, or the one that was chosen in it. */
export const chosenLanguage = (): Language => firstLanguage(stored("coffer.language"), navigator.languages)
