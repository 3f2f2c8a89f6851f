/** The language of the page and its texts. Each page has its own texts, in English and in Chinese. */
import * as Atom from "effect/reactivity/Atom"
import { registry, useAtom } from "../api/registry.ts"

export const languages = ["en", "zh"] as const
export type Language = (typeof languages)[number]
export const tags = { en: "en", zh: "zh-CN" } as const satisfies Record<Language, string>

const stored = (name: string): string | null => globalThis.localStorage?.getItem(name) ?? null

const first = (): Language => {
  const chosen = stored("coffer.language") ?? navigator.languages.find((tag) => /^(en|zh)/.test(tag)) ?? "en"
  return chosen.startsWith("zh") ? "zh" : "en"
}

export const languageAtom = Atom.keepAlive(Atom.make<Language>(first()))

export const chooseLanguage = (language: Language) => {
  localStorage.setItem("coffer.language", language)
  document.documentElement.lang = tags[language]
  registry.set(languageAtom, language)
}

export const useLanguage = (): Language => useAtom(languageAtom)

/** `{ en, zh }` of a page, in the language that is shown. */
export const useWords = <Texts>(texts: Readonly<Record<Language, Texts>>): Texts => texts[useLanguage()]

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
