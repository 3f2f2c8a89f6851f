/**
 * Builds the console into `dist/`: hashed modules, one stylesheet, and the page that loads them. `npm ci` runs it, so
 * that `npm start` has a console. `src/door/console/ConsoleHttp.ts` serves the folder.
 */
import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import path from "node:path"
import { promisify } from "node:util"
import { brotliCompress } from "node:zlib"
import { chosenTokens, icon } from "../src/tokens.ts"

const home = path.resolve(import.meta.dirname, "..")
const dist = path.join(home, "dist")

// `npm ci --omit=dev` installs no bundler: an earlier build stays, and the service runs without a console.
const bundler = await import("rolldown").catch(() => undefined)
if (bundler === undefined) process.exit(0)

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

const bundle = await bundler.rolldown({
  input: path.join(home, "src/main.tsx"),
  plugins: [withoutDescriptions],
  platform: "browser",
  tsconfig: false,
  transform: { jsx: { runtime: "automatic" }, define: { "process.env.NODE_ENV": '"production"' } }
})
const { output } = await bundle.write({
  dir: dist,
  format: "esm",
  minify: true,
  entryFileNames: "[name]-[hash].js",
  chunkFileNames: "[name]-[hash].js"
})
const [{ fileName: script, imports }] = output

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

const preloads = imports.map((name) => `<link rel="modulepreload" href="/console/assets/${name}">`).join("\n    ")
writeFileSync(
  path.join(dist, "index.html"),
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
    ${preloads}
    <script type="module" src="/console/assets/${script}"></script>
  </head>
  <body><div id="console"></div><noscript>The console needs JavaScript.</noscript></body>
</html>
`
)
