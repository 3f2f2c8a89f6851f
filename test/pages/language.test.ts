/** Which language a page is shown in (spec: Orders, locale). */
import { assert, describe, it } from "@effect/vitest"
import { type Language, languageOf, type Wishes } from "../../src/shared/pages/language.ts"

const rows: ReadonlyArray<readonly [rule: string, wishes: Partial<Wishes>, language: Language]> = [
  ["without any wish it is English", {}, "en"],
  ["the buyer's choice comes first", { chosen: "en", locale: "zh", accepted: "zh" }, "en"],
  ["a choice that is no language of ours is passed over", { chosen: "fr", locale: "zh" }, "zh"],
  ["then the order's locale", { locale: "zh", accepted: "en" }, "zh"],
  ["then the browser's", { accepted: "zh-CN,zh;q=0.9,en;q=0.8" }, "zh"],
  ["regions and scripts count as their language", { accepted: "zh-Hans-SG" }, "zh"],
  ["Hong Kong, Macau and Taiwan write traditional characters", { accepted: "zh-HK" }, "zh-Hant"],
  ["so does a tag that names them", { accepted: "zh-Hant-TW" }, "zh-Hant"],
  ["a tag that names the simplified ones is followed", { accepted: "zh-Hans-HK,en;q=0.5" }, "zh"],
  ["an order in Chinese is in the browser's characters", { locale: "zh", accepted: "zh-TW,en;q=0.5" }, "zh-Hant"],
  ["the buyer may choose them", { chosen: "zh-Hant", locale: "en" }, "zh-Hant"],
  ["the weights of the browser decide, not the order", { accepted: "en;q=0.5,zh;q=0.9" }, "zh"],
  ["a weight of 0 refuses a language", { accepted: "zh;q=0,en;q=0.1" }, "en"],
  ["languages that we do not have are passed over", { accepted: "de-DE,fr;q=0.9,zh;q=0.1" }, "zh"],
  ["a word that only begins like a language is none", { accepted: "english,zhx" }, "en"],
  ["a header that is no list of languages is English", { accepted: ";;q=,,q=x;zh" }, "en"],
  ["a header of a megabyte is cut, not read", { accepted: `${"xx,".repeat(350_000)}zh` }, "en"]
]

describe("language", () => {
  for (const [rule, wishes, language] of rows) {
    it(rule, () =>
      assert.strictEqual(languageOf({ chosen: null, locale: null, accepted: undefined, ...wishes }), language)
    )
  }
})
