/**
 * Builds the documents into `dist/`: pages, their Markdown, the search index and a manifest, compressed.
 * `src/door/documents/Documents.ts` serves the folder, and runs this script if it is missing: `npm ci` removes it, by
 * `--later`. `--into FOLDER` builds into another folder. With a FOLDER, and the `/root` of its URLs, it builds for any
 * static host, where each page is an `index.html`.
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import path from "node:path"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { chosenTokens } from "@coffer/console/tokens"
import { textsFile } from "@coffer/mcp/texts"
import type { SiteFile } from "../src/site.ts"

const home = path.resolve(import.meta.dirname, "..")
const [, , first, second] = process.argv
const into = first === "--into" ? path.resolve(second!) : path.join(home, "dist")
const [folder, root = "/docs"] = first?.startsWith("--") === true ? [] : [first, second]

// `npm ci --omit=dev` installs no bundler: an earlier build stays, and the service runs without pages. The first step
// of the image build has no documents.
const bundler = await import("rolldown").catch(() => undefined)
if (bundler === undefined || !existsSync(path.join(home, "../../docs/index.md"))) process.exit(0)
if (first === "--later") {
  rmSync(path.join(home, "dist"), { recursive: true, force: true })
  process.exit(0)
}
const { filesOf, makeSite, searchIndexOf, textsOf } = await import("../src/site.ts")

const hashOf = (text: string | Uint8Array) => createHash("sha256").update(text).digest("base64url").slice(0, 10)

const scripts = async (name: string, format: "esm" | "iife") => {
  const { output } = await bundler.build({
    input: path.join(home, "src/browser", `${name}.ts`),
    platform: "browser",
    tsconfig: false,
    write: false,
    output: { format, minify: true }
  })
  return output[0].code
}

const site = makeSite(root)
const styles = `${chosenTokens}\n${readFileSync(path.join(home, "src/style.css"), "utf8")}`
const asset = (name: string, type: string, text: string) => {
  const { ext, name: base } = path.parse(name)
  const hashed = `${base}-${hashOf(text)}${ext}`
  return { name: hashed, file: { path: `${root}/assets/${hashed}`, type, text } satisfies SiteFile }
}
const javascript = "text/javascript; charset=utf-8"
const json = "application/json"
const index = (language: "en" | "zh") =>
  asset(`search-${language}.json`, json, JSON.stringify(searchIndexOf(site, language, root)))
const made = {
  sheet: asset("style.css", "text/css; charset=utf-8", styles),
  theme: asset("theme.js", javascript, await scripts("theme", "iife")),
  script: asset("main.js", javascript, await scripts("main", "esm")),
  en: index("en"),
  zh: index("zh")
}
const assets = {
  sheet: made.sheet.name,
  theme: made.theme.name,
  script: made.script.name,
  index: { en: made.en.name, zh: made.zh.name }
}
const files = [
  ...filesOf(site, assets, { root, isServed: folder === undefined }),
  ...Object.values(made).map(({ file }) => file)
]

const writeInto = (at: string, name: string, content: string | Uint8Array) => {
  const target = path.join(at, name)
  mkdirSync(path.dirname(target), { recursive: true })
  writeFileSync(target, content)
}

/** A page is a folder's index, so that every host finds it. */
const writeForHost = (at: string) => {
  for (const { path: address, text, type } of files) {
    const isMissing = address === `${root}/404`
    const isPage = type.startsWith("text/html") && !isMissing
    writeInto(at, isMissing ? "404.html" : isPage ? `${address}/index.html` : address, text)
  }
}

const writeForService = async (dist: string) => {
  // A separate build for each process, since two may build concurrently.
  const next = `${dist}.next-${process.pid}`
  rmSync(next, { recursive: true, force: true })
  const manifest = await Promise.all(
    files.map(async ({ path: address, text, type }) => {
      const bytes = Buffer.from(text)
      const name = hashOf(bytes)
      const brotli = await promisify(brotliCompress)(bytes, {
        params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
      })
      writeInto(next, `${name}.br`, brotli)
      writeInto(next, `${name}.gz`, await promisify(gzip)(bytes, { level: 9 }))
      return [address, { name, type }] as const
    })
  )
  // For agents (`@coffer/mcp`).
  writeInto(next, textsFile, await promisify(gzip)(JSON.stringify(textsOf(site, root)), { level: 9 }))
  writeInto(next, "manifest.json", JSON.stringify(Object.fromEntries(manifest)))
  rmSync(dist, { recursive: true, force: true })
  renameSync(next, dist)
}

if (folder === undefined) await writeForService(into)
else writeForHost(path.resolve(folder))
