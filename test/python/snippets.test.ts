/**
 * The code of the documents, run against the service as a reader runs it: that in curl, Node, Python and PHP of a page,
 * in its order, as one program for each language. Pages for merchants' developers are read in the order of the navigation,
 * in one sandbox for each language; others have a merchant of their own. `test/kit/texts/snippets.ts` says what is left
 * out.
 */
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import path from "node:path"
import { start as startSimulator } from "@coffer/simulator/start"
import { afterAll, assert, beforeAll, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { inject } from "vitest"
import { makeSite } from "../../packages/site/src/site.ts"
import { filePart, formOf, modePart, upload } from "../kit/callers/uploads.ts"
import { merchantOf, said } from "../kit/Merchant.ts"
import { png } from "../kit/pages/png.ts"
import { needsPhp } from "../kit/program/php.ts"
import { needsPython, pythonRun } from "../kit/program/python.ts"
import { operatorToken, type Running, secretKey, start, withNewMerchant } from "../kit/Service.ts"
import { snippets, wayOf } from "../kit/texts/snippets.ts"

const site = makeSite()
/** The pages that a merchant's developer reads, in their order. */
const reading = site.sections.en
  .filter(({ title }) => ["Start", "Concepts", "Guides", "Using the API"].includes(title))
  .flatMap(({ entries }) => entries.map(([address]) => address))
const placeOf = (source: string) => reading.indexOf(site.addressBySource.get(source) ?? "none")

const programs = Map.groupBy(
  snippets()
    .filter((each) => wayOf(each) === "run")
    .toSorted((a, b) => placeOf(a.source) - placeOf(b.source)),
  ({ language, source }) => `${source} in ${language}`
)

let folder = ""

// Values that a reader copies from earlier answers -------------------------------------------------------

const order = (running: Running, terms: object = {}) =>
  Effect.map(
    said(merchantOf(running).post("/v1/orders", { amount: 1_999, ...terms })),
    ({ trade_no }) => trade_no as string
  )
const paid = (running: Running) => Effect.map(merchantOf(running).paid(9_900), ({ trade_no }) => trade_no as string)
const refund = (running: Running) =>
  Effect.flatMap(paid(running), (trade_no) =>
    Effect.map(said(merchantOf(running).refund({ trade_no, amount: 100 })), ({ refund_no }) => refund_no as string)
  )
const dispute = (running: Running) =>
  Effect.flatMap(paid(running), (trade_no) =>
    Effect.map(said(merchantOf(running).dispute(trade_no)), ({ dispute_no }) => dispute_no as string)
  )
const endpoint = (running: Running) =>
  Effect.map(
    said(merchantOf(running).post("/v1/webhook_endpoints", { url: "https://shop.example/hook" })),
    ({ id }) => id as string
  )
const link = (running: Running) =>
  Effect.map(said(merchantOf(running).post("/v1/payment_links", { amount: 1_999 })), ({ link_id }) => link_id as string)
const payout = (running: Running) =>
  Effect.andThen(
    paid(running),
    Effect.map(
      said(
        running.api.operator("POST", `/merchants/${running.merchant.merchantId}/payouts`, {
          mode: "sandbox",
          currency: "USD",
          amount: 1_000
        })
      ),
      ({ payout_no }) => payout_no as string
    )
  )
/** A row of the chain that an earlier check has named. */
const keptRow = (running: Running) =>
  Effect.andThen(
    paid(running),
    Effect.map(merchantOf(running).get("/v1/ledger/USD/chain?limit=1"), ({ body }) => {
      const [{ hash, id }] = body.data.data
      return `${id}=${hash}`
    })
  )
const file = ({ baseUrl, merchant }: Running) =>
  Effect.map(
    upload(baseUrl, merchant.merchantId, formOf(modePart("sandbox"), filePart(png(8, 8)))),
    ({ body }) => body.data.url as string
  )
const monthAhead = Effect.sync(() => new Date(Date.now() + 30 * 86_400_000).toISOString())

/** Words of the pages, each with the value that stands for it. */
const values: ReadonlyArray<readonly [words: string, value: (running: Running) => Effect.Effect<string, unknown>]> = [
  ["http://127.0.0.1:8080", ({ baseUrl }) => Effect.succeed(baseUrl)],
  ["https://pay.example/v1", ({ baseUrl }) => Effect.succeed(`${baseUrl}/v1`)],
  ["svc_test_…", ({ merchant }) => Effect.succeed(merchant.sandboxKey)],
  ["svc_live_…", ({ merchant }) => Effect.succeed(merchant.liveKey)],
  ["mer_…", ({ merchant }) => Effect.succeed(merchant.merchantId)],
  ["whe_…", endpoint],
  ["pyt_…", payout],
  ["LED_…=3f9c…", keptRow],
  ["2026-12-24T00:00:00Z", () => monthAhead],
  // Calls of the reference stand each for itself.
  ["/test_helpers/orders/{ref}/pay", (running) => Effect.map(order(running), (no) => `/test_helpers/orders/${no}/pay`)],
  ["/orders/{ref}", (running) => Effect.map(paid(running), (no) => `/orders/${no}`)],
  ["/refunds/{ref}", (running) => Effect.map(refund(running), (no) => `/refunds/${no}`)],
  ["/disputes/{ref}", (running) => Effect.map(dispute(running), (no) => `/disputes/${no}`)],
  ["{link_id}", link],
  ["{endpoint_id}", endpoint],
  ["TRD_SB_01KAJ4V7C5H2B8GT6KQE9PSY3M", paid],
  ["https://files.example.com/f/x4TqGm9yZr2KpV7wB1nHcA", file]
]

const filled = Effect.fnUntraced(function* (text: string, running: Running) {
  let all = text
  for (const [words, value] of values) if (all.includes(words)) all = all.replaceAll(words, yield* value(running))
  if (all.includes("12111")) {
    const { url } = yield* startSimulator({ port: 0 })
    all = all.replaceAll("12111", new URL(url).port)
  }
  return all
})

// Running ------------------------------------------------------------------------------------------------

/** The output of a program that ends well. */
const run = (words: readonly [string, ...ReadonlyArray<string>], env: Readonly<Record<string, string>>, cwd: string) =>
  new Promise<string>((resolve, reject) => {
    const child = spawn(words[0], words.slice(1), { env: { PATH: process.env["PATH"] ?? "", ...env }, cwd })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => (output += text))
    }
    child.once("close", (code) => (code === 0 ? resolve(output) : reject(new Error(output))))
  })

type Run = (file: string, env: Readonly<Record<string, string>>, cwd: string) => Promise<string>

const runs: Readonly<Record<string, Run>> = {
  sh: (file, env, cwd) => run(["bash", file], env, cwd),
  js: (file, env, cwd) => run([process.execPath, file], env, cwd),
  python: async (file, env) => {
    const { code, stderr, stdout } = await pythonRun([file], { ...env, PYTHONPATH: path.resolve("packages/python") })
    assert.strictEqual(code, 0, stdout + stderr)
    return stdout
  },
  // A warning is a fault of the page, too.
  php: (file, env, cwd) => run(["php", "-d", "display_errors=stderr", "-d", "error_reporting=-1", file], env, cwd)
}
const endings: Readonly<Record<string, string>> = { sh: "sh", js: "mjs", python: "py", php: "php" }
const missing: Readonly<Record<string, string>> = { python: needsPython, php: needsPhp }

/** The command line, also as this repository starts it. The doctor's exit code is what it found. */
const shell = `set -euo pipefail
coffer() { "$NODE" "$PROGRAM" "$@" || { code=$?; [ "$1" = doctor ] && [ $code -le 2 ]; }; }
npm() { while [ "$1" != -- ]; do shift; done; shift; coffer "$@"; }
`

/** Refusals that a page shows, or that a call of the reference meets where it stands for itself. */
const refusalsOn = (source: string, text: string): ReadonlyArray<string> =>
  source.startsWith("docs/reference/") ? ["conflict"] : text.includes("/orders/none") ? ["order_not_found"] : []

/** Where a page's program is run: files that a first start makes, and a log. Its environment names the account. */
const placeFor = ({ baseUrl, database, merchant }: Running, name: string, source: string) => {
  const cwd = path.join(folder, name)
  const home = path.join(cwd, ".coffer")
  mkdirSync(home, { recursive: true })
  const credentials = {
    base_url: `${baseUrl}/v1`,
    operator_url: `${baseUrl}/operator/v1`,
    operator_token: operatorToken,
    merchant_id: merchant.merchantId,
    sandbox_key: merchant.sandboxKey,
    live_key: merchant.liveKey
  }
  writeFileSync(path.join(home, "credentials.json"), JSON.stringify(credentials), { mode: 0o600 })
  writeFileSync(path.join(home, "operator.token"), operatorToken, { mode: 0o600 })
  writeFileSync(
    path.join(cwd, "service.log"),
    'message="a buyer is erased" trade_no=TRD_SB_01M8B6V6AY30EH3C6QFGW4WJY0\n'
  )
  const account = { COFFER_KEY: merchant.sandboxKey, COFFER_BASE_URL: `${baseUrl}/v1` }
  const installation = { DATABASE_URL: database, SECRET_KEY: secretKey, OPERATOR_TOKEN: operatorToken }
  return {
    cwd,
    env: {
      NODE: process.execPath,
      PROGRAM: inject("program"),
      COFFER_HOME: home,
      ...installation,
      // The page of the command line says itself where a command finds its account.
      ...(source === "docs/command-line.md" ? {} : account)
    }
  }
}

class Service extends Context.Service<Service, Running>()("test/snippets") {}

const sandboxes = new Map<string, Running>()

const sandboxFor = Effect.fnUntraced(function* (language: string, source: string) {
  const isRead = placeOf(source) >= 0
  const known = isRead ? sandboxes.get(language) : undefined
  if (known !== undefined) return known
  const running = yield* withNewMerchant(yield* Service)
  const approval = { approved: true, live_currencies: ["USD"] }
  yield* said(running.api.operator("POST", `/merchants/${running.merchant.merchantId}`, approval))
  if (isRead) sandboxes.set(language, running)
  return running
})

/** What a page promises that its program says. */
const promises: Readonly<Record<string, string>> = {
  "docs/guides/reconciliation.md in js": "the books agree",
  "docs/guides/reconciliation.md in python": "the books agree",
  "docs/quickstart.md in js": "paid: ",
  "docs/quickstart.md in python": "paid: ",
  "docs/guides/checkout.md in sh": '"status":"expired"',
  "docs/guides/refunds.md in js": "succeeded",
  "docs/guides/disputes.md in js": "under_review",
  "docs/guides/recipes.md in php": "404 order_not_found",
  "docs/basics/idempotency.md in sh": "idempotent-replayed: true",
  "docs/basics/metadata.md in sh": '"packed":"yes"'
}

layer(Layer.effect(Service, start()), { excludeTestServices: true })("the code of the documents", (it) => {
  beforeAll(() => {
    mkdirSync(path.resolve("node_modules/.cache"), { recursive: true })
    folder = mkdtempSync(path.resolve("node_modules/.cache/snippets-"))
    const sdk = path.join(folder, "node_modules/@coffer/sdk")
    mkdirSync(sdk, { recursive: true })
    // The source of the SDK, under the name of its package.
    writeFileSync(path.join(sdk, "package.json"), `{ "type": "module", "exports": "./index.js" }`)
    writeFileSync(
      path.join(sdk, "index.js"),
      `export * from ${JSON.stringify(path.resolve("packages/sdk/src/index.ts"))}\n`
    )
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("is much, and is run for guides, reference, reports, the ledger, the command line and the operator's pages", () => {
    const own = [...programs.values()].flat()
    assert.isAbove(own.length, 100)
    const sources = new Set(own.map(({ source }) => source.replace(/^docs\/(guides|reference)\/.*/, "$1")))
    const pages = ["command-line", "doctor", "ledger", "reports"].map((page) => `docs/${page}.md`)
    assert.includeMembers([...sources], ["guides", "reference", "docs/quickstart.md", ...pages])
  })

  for (const [name, own] of programs) {
    const { language, source } = own[0]!
    it.effect.skipIf((missing[language] ?? "") !== "")(`${name} does what it shows`, () =>
      Effect.gen(function* () {
        const running = yield* sandboxFor(language, source)
        const text = yield* filled(own.map((each) => each.text).join("\n"), running)
        // Everything that a reader fills in has a value above.
        assert.notMatch(text.replaceAll(/^\s*(#|\/\/).*$/gm, ""), /…|\{ref\}/)
        const { cwd, env } = placeFor(running, name.replaceAll(/\W/g, "-"), source)
        const file = path.join(cwd, `program.${endings[language]!}`)
        writeFileSync(file, (language === "sh" ? shell : "") + text)
        const output = yield* Effect.promise(() => runs[language]!(file, env, cwd))
        assert.include(output.toLowerCase(), promises[name] ?? "")
        assert.notMatch(output, /^PHP /m)
        const refused = [...output.matchAll(/"error":"(\w+)"/g)].map(([, code]) => code!)
        const expected = language === "sh" ? refusalsOn(source, text) : []
        const isShown = source.startsWith("docs/reference/")
        if (isShown)
          assert.deepStrictEqual(
            refused.filter((code) => !expected.includes(code)),
            [],
            output
          )
        else assert.deepStrictEqual(refused, expected, output)
      })
    )
  }
})
