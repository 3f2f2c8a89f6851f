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
import { merchantPages } from "../src/merchant/pages.ts"
import { operatorPages } from "../src/operator/pages.ts"
import { filesOfPage, type PageGroup } from "../src/parts/pages.ts"
import { chosenTokens, icon } from "../src/tokens.ts"

const home = path.resolve(import.meta.dirname, "..")
const dist = path.join(home, "dist")

// `npm ci --omit=dev` installs no bundler: an earlier build stays, and the service runs without a console.
const bundler = await import("rolldown").catch(() => undefined)
if (bundler === undefined) process.exit(0)
const { tableFor, textsBelow } = await import("./traditional.ts")

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
const ofFrame =
  /console\/src\/(merchant\/(find|leftText)|parts\/(AsCode|NotForRole|PageRoutes|SearchBox|Shell|accountClock))\.tsx?$/

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
  // One file in place of six small ones that every first page needs: a browser has six connections.
  codeSplitting: { groups: [{ name: "frame", test: ofFrame }] },
  entryFileNames: "[name]-[hash].js",
  chunkFileNames: "[name]-[hash].js"
})
const [{ fileName: script }] = output

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

const frame = `<div class="shell frame" aria-hidden="true">
      <div class="bar"><span class="brand">Coffer</span></div>
      <div class="side"><div class="skeleton"><i></i><i></i><i></i><i></i></div></div>
      <main><div class="skeleton"><i></i><i></i><i></i><i></i><i></i></div></main>
    </div>`

const write = (name: string, needs: ReadonlyArray<string>) => {
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
    <link rel="stylesheet" href="/console/assets/${sheet}">
    <script type="module" src="/console/assets/${script}"></script>
    ${preloads}
  </head>
  <body><div id="console">${frame}</div><noscript>The console needs JavaScript.</noscript></body>
</html>
`
  )
}

// From here most people are led to the home page of their merchant.
write("index.html", [chunkOf("merchant", "MerchantPages.tsx"), chunkOf("merchant", "Home.tsx")])
type Area = readonly [folder: "merchant" | "operator", shell: string, groups: ReadonlyArray<PageGroup<string>>]
const areas: ReadonlyArray<Area> = [
  ["merchant", "MerchantPages", merchantPages],
  ["operator", "OperatorPages", operatorPages]
]
for (const [folder, shell, groups] of areas) {
  for (const { load, path: address } of groups.flatMap(({ pages }) => pages)) {
    for (const file of filesOfPage(folder, address)) {
      write(file, [chunkOf(folder, `${shell}.tsx`), chunkOf(folder, sourceOf(load))])
    }
  }
}
