/**
 * Traditional Chinese from the simplified texts of the sources, made while the console is built: OpenCC with the words
 * of Taiwan, then the terms of the trade as people there and in Hong Kong know them. The browser gets a small table of
 * characters and phrases, which converts each of these texts exactly as it is here.
 */
import OpenCC from "opencc-js"
import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { converterBy, type Table } from "../src/parts/characters.ts"

/** What OpenCC writes, and what a reader expects; as in the checkout (`src/door/checkout/textsZhHant.ts`). */
const terms: ReadonlyArray<readonly [from: string | RegExp, to: string]> = [
  ["真即時間", "真實時間"],
  ["請求頭髮送", "請求標頭傳送"],
  [/[稽審][核計]日誌/g, "稽核紀錄"],
  [/透過稽核/g, "通過審核"],
  [/稽核(?!紀錄)/g, "審核"],
  // By means of. What has passed a check keeps its word.
  [/通過(?!審核|驗證|之前|後|[。，]|$)/g, "透過"],
  [/收銀臺頁面?/g, "結帳頁面"],
  ["收銀臺", "結帳頁面"],
  ["運營", "營運"],
  ["平臺", "平台"],
  ["後臺", "背景"],
  ["賬", "帳"],
  ["到帳", "入帳"],
  ["商戶", "商家"],
  ["提現", "提領"],
  [/支付(?=連結|方式|渠道)/g, "付款"],
  ["令牌", "權杖"],
  ["響應", "回應"],
  ["正文", "內文"],
  ["您郵箱的", "您信箱中的"],
  [/電子郵箱|郵箱/g, "電子郵件"],
  ["域名伺服器", " DNS 伺服器"],
  ["子域名", "子網域"],
  [/(?<!網)域名/g, "網域"],
  ["後設資料", "中繼資料"],
  ["許可權", "權限"],
  ["重置", "重設"],
  ["型別", "類型"],
  ["專案", "項目"],
  ["徽標", "標誌"],
  ["吊銷", "撤銷"],
  ["客戶端", "用戶端"],
  ["二維碼", " QR 碼"],
  ["當前", "目前"],
  ["“", "「"],
  ["”", "」"],
  ["時間線", "時間軸"],
  ["畫素", "像素"],
  ["併為", "並為"],
  ["登入裝置", "登入的裝置"],
  ["通行金鑰", "通行密鑰"],
  ["此係統", "此系統"],
  ["退出登入", "登出"],
  [/退出(?=[並後]重新登入)/g, "登出"],
  ["獲取", "取得"],
  ["訪問", "存取"],
  ["會話", "工作階段"]
]

const convert = OpenCC.Converter({ from: "cn", to: "twp" })

/** A text as it is shown. */
export const traditional = (text: string): string =>
  terms.reduce((shown, [from, to]) => shown.replaceAll(from, to), convert(text))

const han = /\p{Script=Han}/u
const shownByItself = /[\p{Script=Han}“”]/u
const literals = /"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\\n]|\\.)*)`/gu
/** A template is shown with values between its parts. */
const values = /\$\{[^}]*\}/

/** All Chinese texts below these folders. */
export const textsBelow = (folders: ReadonlyArray<string>): ReadonlySet<string> => {
  const texts = folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => path.join(folder, name))
    )
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => Array.from(readFileSync(file, "utf8").matchAll(literals)))
    .flatMap(([, quoted, template]) => (quoted === undefined ? template!.split(values) : [quoted]))
  return new Set(texts.filter((text) => han.test(text)))
}

type Pair = readonly [from: ReadonlyArray<string>, to: ReadonlyArray<string>]

/** The smallest differing part of both, with `margin` characters on each side. */
const differing = ([from, to]: Pair, plain: ReadonlyArray<string>, margin: number) => {
  const length = Math.min(plain.length, to.length)
  let start = 0
  while (start < length && plain[start] === to[start]) start++
  let end = 0
  while (end < length - start && plain.at(-1 - end) === to.at(-1 - end)) end++
  const [first, last] = [Math.max(0, start - margin), Math.max(0, end - margin)]
  return [from.slice(first, from.length - last).join(""), to.slice(first, to.length - last).join("")] as const
}

/** The table that converts each of these texts as `traditional` does. */
export const tableFor = (texts: ReadonlySet<string>): Table => {
  const pairs = Array.from(texts, (text): Pair => [Array.from(text), Array.from(traditional(text))])
  const votes = new Map<string, Map<string, number>>()
  for (const [from, to] of pairs) {
    if (from.length !== to.length) continue
    from.forEach((one, at) => {
      const of = votes.get(one) ?? new Map<string, number>()
      votes.set(one, of.set(to[at]!, (of.get(to[at]!) ?? 0) + 1))
    })
  }
  const characters = Array.from(votes)
    .map(([from, of]) => [from, Array.from(of).toSorted((a, b) => b[1] - a[1])[0]![0]] as const)
    .filter(([from, to]) => from !== to && shownByItself.test(from))
    .flat()
    .join("")
  const phrases: Record<string, string> = {}
  for (let margin = 1; margin < 80; margin = margin < 6 ? margin + 1 : 80) {
    const byNow = converterBy({ characters, phrases })
    const wrong = pairs.filter(([from, to]) => byNow(from.join("")) !== to.join(""))
    if (wrong.length === 0) return { characters, phrases }
    for (const pair of wrong) {
      const plain = Array.from(converterBy({ characters, phrases: {} })(pair[0].join("")))
      const [from, to] = differing(pair, plain, margin)
      phrases[from] = to
    }
  }
  for (const [from, to] of pairs) {
    if (converterBy({ characters, phrases })(from.join("")) !== to.join("")) phrases[from.join("")] = to.join("")
  }
  return { characters, phrases }
}
