/**
 * The language of the page and its texts. Each page has its own texts, in English and in Chinese. Those with
 * traditional characters follow from the Chinese ones by a table (`scripts/traditional.ts`) that only readers load.
 */
import * as Atom from "effect/reactivity/Atom"
import { registry, useAtom } from "../api/registry.ts"
import { converterBy } from "./characters.ts"
import { chosenLanguage, firstLanguage, type Language, languages, stored, tags } from "./language.ts"

export { firstLanguage, type Language, languages, tags }

/** As their readers write them. */
export const languageNames: Readonly<Record<Language, string>> = {
  en: "English",
  zh: "简体中文",
  "zh-Hant": "繁體中文"
}

/** Texts as they are declared. */
export interface Worded<Texts> {
  readonly en: Texts
  readonly zh: Texts
}

export const languageAtom = Atom.keepAlive(Atom.make<Language>(chosenLanguage()))

export const chooseLanguage = async (language: Language) => {
  await loadCharacters(language)
  localStorage.setItem("coffer.language", language)
  document.documentElement.lang = tags[language]
  registry.set(languageAtom, language)
}

export const useLanguage = (): Language => useAtom(languageAtom)

/** Texts in a language. */
export const wordsIn = <Texts>(texts: Worded<Texts>, language: Language): Texts =>
  language === "zh-Hant" ? (traditional(texts.zh) as Texts) : texts[language]

/** `{ en, zh }` of a page, in the language that is shown. */
export const useWords = <Texts>(texts: Worded<Texts>): Texts => wordsIn(texts, useLanguage())

// Traditional characters -----------------------------------------------------------

let convert = (text: string): string => text

/** Before texts in this language are shown. Without the file they are shown in simplified characters. */
export const loadCharacters = async (language: Language): Promise<void> => {
  if (language !== "zh-Hant") return
  const loaded = await import("./traditionalTable.ts").catch(() => undefined)
  if (loaded !== undefined) convert = converterBy(loaded.table)
}

const converted = new WeakMap<object, unknown>()

/** A text, or the texts in a list, an object, or what a function answers. Each object is converted once. */
const traditional = (value: unknown): unknown => {
  if (typeof value === "string") return convert(value)
  if (typeof value === "function") {
    return (...values: ReadonlyArray<unknown>) => traditional((value as (...all: typeof values) => unknown)(...values))
  }
  if (typeof value !== "object" || value === null) return value
  const known = converted.get(value)
  if (known !== undefined) return known
  const made = Array.isArray(value)
    ? value.map(traditional)
    : Object.fromEntries(Object.entries(value).map(([name, each]) => [name, traditional(each)]))
  converted.set(value, made)
  return made
}

// Light and dark ------------------------------------------------------------------

export type Theme = "light" | "dark" | "auto"
export const themeAtom = Atom.keepAlive(Atom.make<Theme>((stored("coffer.theme") as Theme | null) ?? "auto"))

export const chooseTheme = (theme: Theme) => {
  localStorage.setItem("coffer.theme", theme)
  if (theme === "auto") delete document.documentElement.dataset["theme"]
  else document.documentElement.dataset["theme"] = theme
  registry.set(themeAtom, theme)
}

/** Sets both on the document before the first render. */
export const beginDocument = () => {
  document.documentElement.lang = tags[registry.get(languageAtom)]
  const theme = registry.get(themeAtom)
  if (theme !== "auto") document.documentElement.dataset["theme"] = theme
}
