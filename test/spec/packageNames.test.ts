/** No document runs or installs what a stranger may register: packages have a scope, or come from an address. */
import { globSync, readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"

const texts = globSync(
  [
    "README.md",
    "docs/**/*.md",
    "examples/**/*.{md,json,js,mjs,py,ts}",
    "packages/*/README.md",
    "packages/{cli,mcp,site}/src/**/*.ts",
    "src/**/*.ts",
    "changes/*.md"
  ],
  { exclude: (name) => /node_modules|dist/.test(String(name)) }
)

/** A package called `coffer` without a scope, an address or a refusal to fetch it. */
const unscoped = [
  /\bnpx (?:-y |--yes )?coffer\b/,
  /"npx", "args": \["(?:-y", ")?coffer"/,
  /\bnpm (?:i|install|add|exec)(?: -\S+)* coffer\b/,
  /\b(?:pip3?|uv pip|uv tool|pipx) install(?: -\S+)* coffer(?![\w/.-])/,
  /\buvx coffer\b/
]

it("no document installs or runs a package without a scope or an address", () => {
  assert.isAbove(texts.length, 300)
  const wrong = texts.flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      // The decision tells what was wrong.
      .filter((line) => unscoped.some((each) => each.test(line)) && !file.includes("0248-"))
      .map((line) => `${file}: ${line}`)
  )
  assert.deepStrictEqual(wrong, [])
  for (const bad of ["npx coffer mcp", "npm i coffer", "npm install -g coffer", "pip install coffer", "uvx coffer"])
    assert.isTrue(
      unscoped.some((each) => each.test(bad)),
      bad
    )
  for (const good of [
    "npx --no coffer console",
    "npm install @coffer/sdk",
    "pip install https://pay.example/downloads/coffer_pay.whl"
  ])
    assert.isFalse(
      unscoped.some((each) => each.test(good)),
      good
    )
})
