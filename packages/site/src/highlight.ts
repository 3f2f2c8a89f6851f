/**
 * Syntax highlighting at build time: comments, strings, numbers and keywords. It is not a parser, so unknown parts stay
 * plain.
 */

const words: Readonly<Record<string, string>> = {
  js:
    "async await break case catch class const continue default else export extends finally for from function if " +
    "import in let new of return switch throw try typeof undefined null true false while yield interface readonly type",
  python:
    "and as assert async await break class continue def elif else except False finally for from if import in is " +
    "lambda None not or pass raise return True try while with yield",
  php: "array as catch class echo else false fn for foreach function if new null return throw true try use while",
  go:
    "break case const continue defer else false for func go if import nil package range return struct switch true " +
    "type var",
  sh: "case do done elif else esac export fi for function if in then while set",
  sql:
    "and as by create delete from grant group in insert into is limit not null on or order revoke select set table " +
    "to update values where",
  json: "true false null",
  yaml: "true false null"
}

const languages: Readonly<Record<string, string>> = {
  javascript: "js",
  ts: "js",
  tsx: "js",
  typescript: "js",
  mjs: "js",
  py: "python",
  bash: "sh",
  shell: "sh",
  yml: "yaml",
  http: "http"
}

export const languageOf = (name: string): string => languages[name] ?? name

export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const hash = /(?:^|(?<=\s))#[^\n]*/
const slashes = /(?<!:)\/\/[^\n]*|\/\*[^]*?\*\//
const comments: Readonly<Record<string, RegExp>> = {
  js: slashes,
  go: slashes,
  php: new RegExp(`${slashes.source}|${hash.source}`),
  python: hash,
  sh: hash,
  yaml: hash,
  ini: hash,
  sql: /--[^\n]*/
}
const texts: Readonly<Record<string, RegExp>> = {
  json: /"(?:\\.|[^"\\\n])*"/,
  go: /"(?:\\.|[^"\\\n])*"|`[^`]*`/,
  python: /"""[^]*?"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/
}
const anyText = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`/

/** HTML of the code, with spans of the classes `c`, `s`, `n` and `k`. */
export const highlight = (code: string, name: string): string => {
  const language = languageOf(name)
  if (words[language] === undefined && comments[language] === undefined) return escaped(code)
  const comment = comments[language]?.source ?? "(?!)"
  const text = (texts[language] ?? anyText).source
  const pattern = new RegExp(`(${comment})|(${text})|(\\b\\d[\\d_.]*\\b)|([A-Za-z_]\\w*)`, "gm")
  const known = new Set((words[language] ?? "").split(" "))
  let markup = ""
  let from = 0
  for (const match of code.matchAll(pattern)) {
    const [all, isComment, isText, isNumber, word] = match
    const kind =
      isComment !== undefined
        ? "c"
        : isText !== undefined
          ? "s"
          : isNumber !== undefined
            ? "n"
            : known.has(word!)
              ? "k"
              : undefined
    markup += escaped(code.slice(from, match.index))
    markup += kind === undefined ? escaped(all) : `<span class="${kind}">${escaped(all)}</span>`
    from = match.index + all.length
  }
  return markup + escaped(code.slice(from))
}
