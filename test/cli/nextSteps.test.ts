/** What a command that has failed says next. */
import { globSync, readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"

/** The arguments of a call, whose parenthesis is at `from`. */
const argumentsAt = (code: string, from: number): ReadonlyArray<string> => {
  const found: Array<string> = []
  let depth = 0
  let quote = ""
  let start = from + 1
  for (let at = from; ; at++) {
    const sign = code[at]!
    if (quote !== "") {
      if (sign === "\\") at++
      else if (sign === quote) quote = ""
    } else if (sign === '"' || sign === "`") quote = sign
    else if ("([{".includes(sign)) depth++
    else if (")]}".includes(sign)) depth--
    const isEnd = depth === 0
    if (quote !== "" || !(isEnd || (depth === 1 && sign === ","))) continue
    found.push(code.slice(start, at).trim())
    start = at + 1
    if (isEnd) return found
  }
}

/** The texts in an expression; what is put into them is one word. */
const textsIn = (expression: string): ReadonlyArray<string> =>
  Array.from(
    expression.replaceAll(/(["`])\s*\+\s*["`]/g, "").matchAll(/"([^"]*)"|`([^`]*)`/g),
    ([, plain, made]) => plain ?? made!.replaceAll(/\$\{[^}]*\}/g, "it")
  )

const steps = globSync("packages/cli/src/*.ts").flatMap((file) => {
  const code = readFileSync(file, "utf8")
  const given = Array.from(code.matchAll(/\b(?:failed|refuse)\(/g), ({ 0: call, index }) =>
    argumentsAt(code, index + call.length - 1)
  )
  const named = Array.from(code.matchAll(/\bconst (?:next\w*|again) =([\s\S]*?)\n\s*(?:\n|const|return|yield|if)/g))
  const written = Array.from(code.matchAll(/^ +next: (.*),$/gm))
  return [...given.map((each) => each[2] ?? ""), ...[...named, ...written].map(([, text]) => text!)]
    .flatMap(textsIn)
    .filter((text) => / /.test(text) && !/^\d/.test(text))
    .map((text) => ({ file, text }))
})

it("what to do next is a sentence that helps: it says what to do, to what, and never just to try again", () => {
  assert.isAbove(steps.length, 70)
  const wrong = steps.filter(
    ({ text }) => text.split(" ").length < 4 || /^(try|run it) again$|^coffer (?!.* shows )|; see/.test(text)
  )
  assert.deepStrictEqual(wrong, [])
})
