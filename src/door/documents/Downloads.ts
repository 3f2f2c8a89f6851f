/**
 * `/downloads`: what can be installed from this address, so that nobody has to trust a name in a registry: the clients,
 * the command line, the testkit and the service itself. They are the files that `npm run packages` makes in `release`.
 * Without them the page says how to make them (docs/decisions/0248).
 */
import { readdir, readFile, stat } from "node:fs/promises"
import path from "node:path"
import { Effect, FileSystem, type Layer, Stream } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { programFolder } from "../../platform/runtime/Vitals.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { Html, html } from "../../shared/pages/html.ts"
import { downloadPages } from "../edge/routes.ts"
import { noSuchRoute } from "../edge/Unanswered.ts"

const release = path.join(programFolder, "release")

/** A plugin brings no client of its own. */
const besideTheSdk = (at: string) => `npm install ${at.replace(/[^/]*$/, "coffer-sdk.tgz")} ${at}`

/** What is offered, by the beginning of its file's name, and how it is used. */
const offered = [
  ["coffer-sdk", "JavaScript and TypeScript", (at: string) => `npm install ${at}`],
  ["coffer-medusa", "Payments in a shop of Medusa", besideTheSdk],
  ["coffer-vendure", "Payments in a shop of Vendure", besideTheSdk],
  ["coffer_pay", "Python", (at: string) => `pip install ${at}`],
  ["coffer-cli", "The command line", (at: string) => `npx -p ${at} coffer --help`],
  ["coffer-testkit", "The service in your tests", (at: string) => `npm install --save-dev ${at}`],
  ["coffer-simulator", "The simulator of the payment channel", (at: string) => `npm install --save-dev ${at}`],
  ["coffer-service", "The service", (at: string) => `npx -p ${at} coffer serve`]
] as const

/** `coffer-sdk.tgz` is the version that is here. pip reads the version in a wheel's name, so that has its own only. */
const plainName = (file: string) => file.replace(/^(coffer-[a-z]+)-\d[\w.+-]*\.tgz$/, "$1.tgz")

const types: Readonly<Record<string, string>> = {
  ".tgz": "application/gzip",
  ".whl": "application/zip",
  ".json": "application/json"
}

const headers = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cache-control": "public, max-age=300"
}

const hashesName = "SHA256SUMS"
const howToBuild =
  "The packages are not built: `npm run packages` in Coffer's repository makes them in `release`, and they are here."

/** `folder`: of the built packages. */
export const layerOf = (
  folder: string
): Layer.Layer<never, never, HttpRouter.HttpRouter | Settings | FileSystem.FileSystem> =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const { publicUrl } = yield* Settings
      const fs = yield* FileSystem.FileSystem
      // A folder that is not there has no files.
      const names = Effect.promise(() => readdir(folder).catch((): ReadonlyArray<string> => []))
      const hashes = Effect.promise(() => readFile(path.join(folder, hashesName), "utf8").catch(() => ""))

      const index = (form: keyof typeof forms) =>
        Effect.gen(function* () {
          const address = `${publicUrl}/downloads`
          const rows = rowsOf(address, yield* names, yield* hashes)
          const isBuilt = rows.length > 0
          return HttpServerResponse.text(forms[form](address, rows), {
            status: isBuilt ? 200 : 404,
            contentType: `text/${form}; charset=utf-8`,
            headers: isBuilt ? headers : { ...headers, "cache-control": "no-store" }
          })
        })

      const file = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { name = "" } = yield* HttpRouter.params
        const all = yield* names
        // Only a name of the folder's own list is opened.
        const found = all.find((each) => each === name || plainName(each) === name)
        if (name === hashesName && found !== undefined) return text(sumsOf(yield* hashes))
        if (found === undefined) return all.length === 0 ? text(`${howToBuild}\n`, 404) : yield* noSuchRoute(request)
        const at = path.join(folder, found)
        const { size: contentLength } = yield* Effect.promise(() => stat(at))
        const contentType = types[path.extname(found)] ?? "application/octet-stream"
        const content = request.method === "HEAD" ? Stream.empty : fs.stream(at)
        return HttpServerResponse.stream(content, { headers, contentType, contentLength })
      })

      const [page, markdown, one] = downloadPages
      yield* router.add("GET", page, index("html"))
      yield* router.add("GET", markdown, index("markdown"))
      yield* router.add("GET", one, file)
    })
  )

export const layer = layerOf(release)

const text = (content: string, status = 200) =>
  HttpServerResponse.text(content, { status, contentType: "text/plain; charset=utf-8", headers })

/** The hashes under each name by which a file is served, as `sha256sum --check` reads them. */
const sumsOf = (sums: string): string =>
  sums.replace(/^(\S+)  (\S+)$/gm, (line, hash: string, name: string) =>
    plainName(name) === name ? line : `${line}\n${hash}  ${plainName(name)}`
  )

interface Row {
  readonly title: string
  readonly file: string
  readonly at: string
  readonly use: string
  readonly hash: string
}

const rowsOf = (address: string, names: ReadonlyArray<string>, sums: string): ReadonlyArray<Row> =>
  offered.flatMap(([start, title, use]) => {
    const file = names.find((each) => each.startsWith(`${start}-`) && /\.(tgz|whl)$/.test(each))
    if (file === undefined) return []
    const line = sums.split("\n").find((each) => each.endsWith(`  ${file}`))
    const at = `${address}/${plainName(file)}`
    return [{ title, file, at, use: use(at), hash: line?.slice(0, 64) ?? "" }]
  })

const htmlOf = (address: string, rows: ReadonlyArray<Row>): string => {
  const content =
    rows.length > 0
      ? html`<p>SHA-256 hashes are in <a href="${address}/${hashesName}">${hashesName}</a>.</p>
          ${rows.map(
            ({ at, file, hash, title, use }) =>
              html`<h2>${title}</h2>
                <pre>${use}</pre>
                <p><a href="${at}">${file}</a> <code>${hash}</code></p> `
          )}`
      : html`<p>${howToBuild}</p>`
  return html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>Downloads of Coffer</title>
      <style>
        ${new Html(style)}
      </style>
      <h1>Downloads</h1>
      ${content}
    </html> `.markup
}

/** For an agent, as every page of the documents has it. */
const markdownOf = (address: string, rows: ReadonlyArray<Row>): string =>
  [
    "# Downloads",
    rows.length > 0 ? `SHA-256 hashes are in [${hashesName}](${address}/${hashesName}).` : howToBuild,
    ...rows.map(
      ({ at, file, hash, title, use }) => `## ${title}\n\n\`\`\`sh\n${use}\n\`\`\`\n\n[${file}](${at}) \`${hash}\``
    )
  ].join("\n\n") + "\n"

const forms = { html: htmlOf, markdown: markdownOf }

const style = `body { font: 16px/1.6 system-ui, sans-serif; margin: 2rem auto; max-width: 46rem; padding: 0 1rem }
pre { background: #8882; padding: .4rem .6rem; overflow-x: auto } code { overflow-wrap: anywhere; font-size: 12px }`
