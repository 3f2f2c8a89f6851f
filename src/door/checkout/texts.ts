/** All texts of checkout and payment links: a table for each language, of one type, so that none lacks a text. */
import type { Language } from "../../shared/pages/language.ts"
import { en } from "./textsEn.ts"
import { zh } from "./textsZh.ts"
import { zhHant } from "./textsZhHant.ts"

export type Texts = typeof en

export const texts: Readonly<Record<Language, Texts>> = { en, zh, "zh-Hant": zhHant }

/** The message above the form after an attempt. */
export type Notice = keyof Texts["notices"]
