/**
 * A page for each error code, made from the table of errors: `docs/errors.md`, and `docs/zh/errors.md` for
 * Chinese.
 * Its address is the `doc_url` of an error.
 */
import type { Language, Page } from "./places.ts"

interface Texts {
  readonly back: string
  readonly lookUp: string
  readonly missing: (code: string, thing: string) => string
}

const texts: Readonly<Record<Language, Texts>> = {
  en: {
    back: "All codes: [Errors](../errors.md).",
    lookUp:
      "The answer's `request_id` finds the call in the API log: in the console under Developers, or by " +
      "`coffer logs get req_…`. " +
      "The [recipes](../guides/recipes.md#errors) show how a program tells errors apart.",
    missing: (code, thing) =>
      `Status 404.\n\n**Cause.** Unknown ${thing}.\n\n` +
      `**Example.** \`{"code":404,"error":"${code}","message":"…","request_id":"req_…"}\`\n\n` +
      "**Fix.** Check the number against its list. This code belongs to the operator's API or the console."
  },
  zh: {
    back: "全部错误码见[错误码](../errors.md)。",
    lookUp:
      "响应里的 `request_id` 可以在 API 日志中找到这次调用：" +
      "控制台的「开发者」页面，或运行 `coffer logs get req_…`。" +
      "程序如何区分错误，见[代码示例](../guides/recipes.md#错误)。",
    missing: (code, thing) =>
      `状态码 404。\n\n**原因。** 路径指向的对象不存在：没有这样的${thing}。\n\n` +
      `**示例。** \`{"code":404,"error":"${code}","message":"…","request_id":"req_…"}\`\n\n` +
      "**处理。** 先读取对应的列表，再核对编号。这个错误码只出现在运营方 API 或控制台中。"
  }
}

/** Sections of the table by their codes, in its order; the last table's rows become sections, too. */
export const sectionsOfErrors = (table: string, language: Language): ReadonlyMap<string, string> => {
  const parts = table.split("\n## ").slice(1)
  const sections = parts
    .filter((part) => /^[a-z_]+\n/.test(part))
    .map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1).trim()] as const)
  const rows = [...(parts.at(-1) ?? "").matchAll(/^\| `(\w+_not_found)` \| (.*?) \|$/gm)]
  return new Map([
    ...sections,
    ...rows.map(([, code, thing]) => [code!, texts[language].missing(code!, thing!)] as const)
  ])
}

export const errorPages = (table: string, language: Language): ReadonlyArray<Page> =>
  [...sectionsOfErrors(table, language)].map(([code, text]) => {
    const prefix = language === "zh" ? "zh/" : ""
    const { back, lookUp } = texts[language]
    return {
      address: `${prefix}errors/${code}`,
      language,
      source: `docs/${prefix}errors/${code}.md`,
      markdown: `${[`# ${code}`, fromBelow(withReasons(text)), lookUp, back].join("\n\n")}\n`
    }
  })

/** Each reason of the table has a heading, so that an address leads to it: `errors/conflict#not_pending`. */
const withReasons = (text: string): string =>
  text.replaceAll(/^\| `Coffer-Reason` \|.*\n\|[-|]+\|\n((?:\|.*\|(?:\n|$))+)/gm, (_, rows: string) => {
    const parts = [...rows.matchAll(/^\| (.*?) \| (.*) \|$/gm)].flatMap(([, reasons, meaning]) =>
      [...reasons!.matchAll(/`(\w+)`/g)].map(([, reason]) => `### ${reason!}\n\n${sentence(meaning!)}`)
    )
    return `${["## `Coffer-Reason`", ...parts].join("\n\n")}\n`
  })

const sentence = (text: string): string =>
  text[0]!.toUpperCase() + text.slice(1) + (/[.。]$/.test(text) ? "" : /\p{Script=Han}/u.test(text) ? "。" : ".")

/** Its links, relative to a subfolder. */
const fromBelow = (text: string): string => text.replaceAll(/\]\((?!https?:|#)/g, "](../")

/** The table links to the pages: one for each heading's code. */
export const withLinksToPages = (table: string, language: Language): string => {
  const codes = sectionsOfErrors(table, language)
  return table
    .replaceAll(/^## ([a-z_]+)$/gm, (line, code: string) =>
      codes.has(code) ? `## [${code}](errors/${code}.md)` : line
    )
    .replaceAll(/^\| `(\w+_not_found)` \|/gm, "| [`$1`](errors/$1.md) |")
}
