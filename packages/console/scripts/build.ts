/**
 * Builds the console into `dist/`: hashed modules, one stylesheet, and a page for each address that loads them.
 * `npm ci` runs it, so that `npm start` has a console. `src/door/console/ConsoleHttp.ts` serves the folder.
 */
import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { brotliCompress } from "node:zlib"
import { covers } from "@coffer/model/Scopes"
import { PersonRole } from "@coffer/model/PersonRole"
import { scopesOfRole } from "@coffer/rules/people/roleScopes"
import { maySee } from "../src/merchant/maySee.ts"
import { merchantPages } from "../src/merchant/pages.ts"
import { operatorPages } from "../src/operator/pages.ts"
import { filesOfPage, type PageGroup } from "../src/parts/pages.ts"
import type { Worded } from "../src/parts/words.ts"
import { chosenTokens, icon } from "../src/tokens.ts"

const home = path.resolve(import.meta.dirname, "..")
const dist = path.join(home, "dist")

// `npm ci --omit=dev` installs no bundler: an earlier build stays, and the service runs without a console.
const bundler = await import("rolldown").catch(() => undefined)
if (bundler === undefined) process.exit(0)
const { tableFor, textsBelow, traditional } = await import("./traditional.ts")

rmSync(dist, { recursive: true, force: true })
mkdirSync(dist)

// The contract describes each call and field for the reference. The console shows no description, and an example of a
// description may not be empty.
const literal = /(?:"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\$])*`)/.source
const description = new RegExp(`\\b(description|summary):\\s*${literal}(?:\\s*\\+\\s*${literal})*`, "g")
/** In the contract and in resource declarations only descriptions end with a full stop. */
const sentence = /"[A-Z](?:\\.|[^"\\\n])* (?:\\.|[^"\\\n])*(?:"\s*\+\s*"(?:\\.|[^"\\\n])*)*\."/g
const withoutDescriptions = {
  name: "without-descriptions",
  transform: (code: string, id: string) => {
    if (!/\/(contract|resources)\/src\//.test(id)) return undefined
    return { code: code.replaceAll(description, '$1: "-"').replaceAll(sentence, '"-"'), map: null }
  }
}

// It makes the published document of the contract, which no page shows.
const withoutPublishing = {
  name: "without-publishing",
  load: (id: string) =>
    id.endsWith("/contract/src/publish.ts")
      ? "export const publish = (it) => it, publishOperators = publish"
      : undefined
}

// The texts with traditional characters follow from the others.
const textsOf = ["packages/console/src", "packages/resources/src", "packages/model/src"]
const withCharacters = {
  name: "with-characters",
  load: (id: string) => {
    if (!id.endsWith("/parts/traditionalTable.ts")) return undefined
    const texts = textsBelow(textsOf.map((folder) => path.resolve(home, "../..", folder)))
    return `export const table = ${JSON.stringify(tableFor(texts))}`
  }
}

// Preact draws what is written for React, in a tenth of the bytes (0245).
const preact = (name: string) => fileURLToPath(import.meta.resolve(name))
const alias = { react: preact("preact/compat"), "react/jsx-runtime": preact("preact/jsx-runtime") }

/** What each page has around it, and what the home page shares with others. */
const ofFrame = new RegExp(
  [
    "console/src/merchant/(declines|find|leftText)",
    "console/src/parts/(AsCode|NotForRole|PageRoutes|SearchBox|Shell|accountClock|menuOf)",
    "contract/src/acts",
    "rules/src/people/mayDo"
  ]
    .map((module) => `${module}\\.tsx?$`)
    .join("|")
)

const bundle = await bundler.rolldown({
  input: path.join(home, "src/main.tsx"),
  plugins: [withoutDescriptions, withoutPublishing, withCharacters],
  platform: "browser",
  tsconfig: false,
  resolve: { alias },
  transform: { jsx: { runtime: "automatic" }, define: { "process.env.NODE_ENV": '"production"' } }
})
const { output } = await bundle.write({
  dir: dist,
  format: "esm",
  minify: true,
  // One file in place of ten small ones that every first page needs: a browser has six connections.
  codeSplitting: { groups: [{ name: "frame", test: ofFrame }] },
  entryFileNames: "[name]-[hash].js",
  chunkFileNames: "[name]-[hash].js"
})
const [{ fileName: script }] = output

// It imports nothing that others do, so that it is one small file.
const earlyBundle = await bundler.rolldown({
  input: path.join(home, "src/early.ts"),
  platform: "browser",
  tsconfig: false
})
const [{ fileName: early }] = (
  await earlyBundle.write({ dir: dist, format: "iife", minify: true, entryFileNames: "[name]-[hash].js" })
).output

const source = path.join(home, "src")
const sheets = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".css"))
const css = [chosenTokens, ...sheets.toSorted().map((name) => readFileSync(path.join(source, name), "utf8"))].join("\n")
const sheet = `style-${createHash("sha256").update(css).digest("hex").slice(0, 8)}.css`
writeFileSync(path.join(dist, sheet), css)

// The best compression saves a tenth but takes seconds, so it is done here and not by the service.
const compress = promisify(brotliCompress)
await Promise.all(
  readdirSync(dist).map(async (name) => {
    writeFileSync(path.join(dist, `${name}.br`), await compress(readFileSync(path.join(dist, name))))
  })
)

// One page for each address that is declared: it names all files that the address needs, so that a browser loads them
// at once, and shows the frame until they run. `ConsoleHttp.ts` finds it by its name.
const chunks = output.filter((each) => each.type === "chunk")
const withImports = (name: string): ReadonlyArray<string> => [
  name,
  ...(chunks.find(({ fileName }) => fileName === name)?.imports ?? []).flatMap(withImports)
]
/** The file whose page this source is: `./Home.tsx`. */
const chunkOf = (folder: string, source: string) => {
  const module = path.join(home, "src", folder, source)
  return chunks.find(({ facadeModuleId, moduleIds }) => facadeModuleId === module || moduleIds.includes(module))!
    .fileName
}
const sourceOf = (load: () => unknown) => /import\("([^"]+)"\)/.exec(String(load))![1]!

/** In each language: `early.ts` says which one is shown. */
const shown = ({ en, zh }: Worded<string>) =>
  `<span lang="en">${en}</span><span lang="zh-CN">${zh}</span><span lang="zh-Hant">${traditional(zh)}</span>`

const skeleton = (lines: number) => `<div class="skeleton">${"<i></i>".repeat(lines)}</div>`

/** What every role of a merchant may see: until the session is read nobody knows which role it is. */
const forAll: ReadonlyArray<PageGroup<string>> = merchantPages.map(({ pages, ...group }) => ({
  ...group,
  pages: pages.filter(
    ({ isHidden, isOfSandbox, name, reads }) =>
      name !== undefined &&
      isHidden !== true &&
      isOfSandbox !== true &&
      PersonRole.literals.every((role) =>
        maySee({ role, may: (scope) => covers(scopesOfRole(role, "live"), scope) }, reads)
      )
  )
}))

/** The menu of a merchant. `early.ts` leads its links to the merchant and environment of the address. */
const menu = (current: string) => {
  const groups = forAll.map(({ pages, title }) => {
    const links = pages.map(({ name, path }) => {
      const here = path === current ? ' aria-current="page"' : ""
      return `<a data-to="${path}"${here}>${shown(name!)}</a>`
    })
    const head = title === undefined ? "" : `<p class="group">${shown(title)}</p>`
    return links.length === 0 ? "" : `<div>${head}${links.join("")}</div>`
  })
  return `<nav class="links">${groups.join("")}</nav>`
}

/** What the page shows until its scripts run: its heading, and a menu that leads on. */
const frameOf = (folder: string, current: string, name?: Worded<string>) =>
  `<div class="shell frame">
      <header class="bar"><span class="brand">Coffer</span></header>
      <aside class="side">${folder === "merchant" ? menu(current) : skeleton(4)}</aside>
      <main>${name === undefined ? "" : `<h1>${shown(name)}</h1>`}${skeleton(5)}</main>
    </div>`

const write = (name: string, needs: ReadonlyArray<string>, frame: string) => {
  const loaded = new Set([script, ...needs].flatMap(withImports))
  loaded.delete(script)
  const preloads = Array.from(loaded, (file) => `<link rel="modulepreload" href="/console/assets/${file}">`).join(
    "\n    "
  )
  writeFileSync(
    path.join(dist, name),
    `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="referrer" content="no-referrer">
    <meta name="robots" content="noindex">
    <link rel="icon" href="${icon}">
    <title>Coffer</title>
    <link rel="preload" as="script" href="/console/assets/${early}">
    <link rel="stylesheet" href="/console/assets/${sheet}">
    <script type="module" src="/console/assets/${script}"></script>
    ${preloads}
  </head>
  <body>
    <div id="console">${frame}</div><noscript>The console needs JavaScript.</noscript>
    <script async src="/console/assets/${early}"></script>
  </body>
</html>
`
  )
}

// From here most people are led to the home page of their merchant.
write("index.html", [chunkOf("merchant", "MerchantPages.tsx"), chunkOf("merchant", "Home.tsx")], frameOf("", ""))
type Area = readonly [folder: "merchant" | "operator", shell: string, groups: ReadonlyArray<PageGroup<string>>]
const areas: ReadonlyArray<Area> = [
  ["merchant", "MerchantPages", merchantPages],
  ["operator", "OperatorPages", operatorPages]
]
for (const [folder, shell, groups] of areas) {
  for (const { load, name, path: address } of groups.flatMap(({ pages }) => pages)) {
    const frame = frameOf(folder, address, name)
    for (const file of filesOfPage(folder, address)) {
      write(file, [chunkOf(folder, `${shell}.tsx`), chunkOf(folder, sourceOf(load))], frame)
    }
  }
}
