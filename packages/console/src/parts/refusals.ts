/** Translates validation messages of the service into the reader's language, by their wording. */
import { typedOf } from "./values.tsx"
import { type Language, wordsIn, type Worded } from "./words.ts"

type Words = Worded<string>

/** The first that fits. `#` stands for the number in the refusal, which is money in a field of an amount. */
const kinds: ReadonlyArray<readonly [RegExp, Words]> = [
  [
    /exceeds the (\d+) minor units that can still be refunded/,
    { en: "At most # can still be refunded.", zh: "最多还可退款 #。" }
  ],
  [/balance.*: (\d+) minor units are available/, { en: "Only # is available.", zh: "可用余额只有 #。" }],
  [/is required|at least 1 characters?/i, { en: "Required.", zh: "必填项。" }],
  [
    /e-?mail address/i,
    {
      en: "Enter one email address, such as name@shop.example.",
      zh: "请输入一个电子邮箱地址，例如 name@shop.example。"
    }
  ],
  [
    /IPv4|CIDR/i,
    {
      en: "Enter IPv4 addresses or ranges, such as 203.0.113.7 or 203.0.113.0/24.",
      zh: "请输入 IPv4 地址或网段，例如 203.0.113.7 或 203.0.113.0/24。"
    }
  ],
  [/time ?zone/i, { en: "Enter a time zone, such as Europe/Berlin.", zh: "请输入时区，例如 Asia/Shanghai。" }],
  [/\b(https?|URL)\b/, { en: "Enter a full URL that starts with https://.", zh: "请输入以 https:// 开头的完整 URL。" }],
  [
    /(?:to|at most) ([\d,_]+) characters/i,
    {
      en: "At most # characters, without control characters.",
      zh: "最多 # 个字符，且不含控制字符。"
    }
  ],
  [/(?:between .* and|at most|less than or equal to) ([\d,_]+)/i, { en: "At most #.", zh: "不得超过 #。" }],
  [/control character|one line/i, { en: "One line, without control characters.", zh: "请输入单行文字，不含控制字符。" }]
]

const other: Words = { en: "", zh: "服务不接受此内容：" }

/** `money`: minor units as the field of an amount has them. */
export const refusalText = (message: string, language: Language, money?: (minor: number) => string): string => {
  for (const [pattern, words] of kinds) {
    const [whole, number = ""] = pattern.exec(message) ?? []
    if (whole === undefined) continue
    const shown = money ?? (/minor units/.test(message) ? typedOf : undefined)
    return wordsIn(words, language).replace(
      "#",
      shown === undefined ? number : shown(Number(number.replaceAll(/[,_]/g, "")))
    )
  }
  return `${wordsIn(other, language)}${message}`
}
