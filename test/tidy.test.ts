/**
 * Rules about the code itself, checked like any other rule. The list of folders is the house of docs/architecture.md,
 * section 2: a folder imports only from folders that stand below it, so no two folders import each other.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { unheard } from "./kit/texts/emitters.ts"
import { importedBy, specifiersOf } from "./kit/texts/imports.ts"
import { outsiders } from "./kit/texts/outsiders.ts"
import { code, retired } from "./kit/texts/words.ts"

/** From bottom to top. */
const floors: ReadonlyArray<string> = [
  "packages/model",
  "packages/resources",
  "packages/contract",
  "packages/rules",
  "packages/mcp",
  // It runs in a browser, so it knows nothing of the service.
  "packages/console/src",
  "packages/console/scripts",
  "packages/site/src",
  "packages/site/scripts",
  // Another application may use it, so it knows nothing of the house.
  "packages/cluster",
  "src/platform/runtime",
  "src/platform/postgres/migrations",
  "src/platform/postgres",
  "src/platform/embedded",
  "src/platform/commit",
  "src/platform/cluster",
  "src/platform/jobs",
  "src/platform",
  "src/shared/http",
  "src/shared/channel",
  "src/shared/pages",
  "src/shared/signedUrls",
  "src/shared/idempotency",
  "src/shared/mail",
  "src/shared/audit",
  "src/shared/logs",
  "src/access/operators",
  "src/access/merchants",
  "src/access/domains",
  "src/access/secretKey",
  "src/access/keys",
  "src/access/people",
  "src/webhooks/events",
  "src/webhooks/deliveries",
  "src/money/files",
  "src/money/wallets",
  "src/money/aggregate",
  "src/money/orders",
  "src/money/links",
  "src/money/receipts",
  "src/money/payouts",
  "src/money/disputes",
  "src/money/refunds",
  "src/reads/erasures",
  "src/reads/exports",
  "src/reads/timeline",
  "src/reads/reports",
  "src/reads/needsAttention",
  "src/reads/notifications",
  "src/reads/lookup",
  "src/door/edge",
  "src/door/mcp",
  "src/door/documents",
  "src/door/doctor",
  "src/door/checkout",
  "src/door/console",
  "src/channels/acquirers",
  "src/channels/stripe",
  "src/channels/adyen",
  "src/channels/bank",
  "src/channels/sandbox",
  "packages/sdk/src",
  // It is a program of its own, and knows nothing of the house.
  "packages/simulator",
  "packages/cli",
  // What the plugins of shop systems share. They are published with it, and know nothing else of the house.
  "packages/shops",
  "packages/medusa",
  "packages/vendure",
  "src",
  // The house inside a test.
  "packages/testkit",
  // They look at the house from outside.
  "packages/sdk/generator",
  "packages/python/generator",
  "packages/mcp/generator",
  "packages/sdk/examples",
  "examples",
  "packages/bench",
  // It judges the house, so it shares no rule with it.
  "packages/oracle",
  "packages/simulation",
  "test"
]

const isBesideIt = (imported: string, file: string) => path.dirname(imported) === path.dirname(file)

/** The imports that a kind of file may not have, and why. */
const closedTo: ReadonlyArray<readonly [kind: RegExp, isClosed: (imported: string, file: string) => boolean]> = [
  // A handler asks its room's front door.
  [/Http\.ts$/, (imported) => /(Store|Commands)\.ts$/.test(imported)],
  // An owner reads its own room's rows, and asks the front doors of others. A visit to a link makes an order's row.
  [
    /(?<!\/Link)Commands\.ts$/,
    (imported, file) => imported.endsWith("Store.ts") && path.dirname(imported) !== path.dirname(file)
  ],
  // A view is a pure function.
  [/View\.ts$/, (imported) => /(Store|Commands|Http)\.ts$/.test(imported)],
  // They are published alone.
  [/^packages\/sdk\/src\//, (imported) => !imported.startsWith("packages/sdk/src/")],
  [/^packages\/cluster\/src\//, (imported) => imported !== "" && !imported.startsWith("packages/cluster/")],
  // A room asks the channel of its row (`src/shared/channel`), and names none. `channels.ts` wires them.
  [/^src\/(?!channels\/|channels\.ts$)/, (imported) => /^src\/channels\/(?!sandbox\/)/.test(imported)],
  [
    /^packages\/(shops|medusa|vendure)\/src\//,
    (imported, file) =>
      imported !== "" && !/^packages\/(sdk|shops)\/src\//.test(imported) && !isBesideIt(imported, file)
  ],
  // It needs the APIs and nothing of the service.
  [/^packages\/cli\//, (imported) => imported.startsWith("src/") || imported.startsWith("packages/contract/")],
  // A second statement of the rules is one of its own. Its driver starts the service as a test does, and leaps in time.
  [/^packages\/oracle\/src\/driver\/house\.ts$/, (imported) => !/^packages\/(oracle|testkit)\/|^$/.test(imported)],
  [
    /^packages\/oracle\/src\/(?!driver\/house\.ts$)/,
    (imported) => imported !== "" && !imported.startsWith("packages/oracle/")
  ],
  // Shapes decide nothing.
  [/^packages\/(model|resources|contract)\//, (imported) => imported.startsWith("packages/rules/")],
  // Of the wire a rule knows which acts there are.
  [/^packages\/rules\//, (imported) => /^packages\/contract\/(?!src\/act(s|Types)\.ts$)/.test(imported)]
]

const namesNone = /^(src|packages\/(console\/src\/merchant|contract|model|oracle|resources|rules|simulation))\//
/** The channels, the file that wires them, what happened to the database, and Stripe's endpoints of the operator's API. */
const mayNameAcquirers =
  /^(src\/channels(\/|\.ts$)|src\/platform\/postgres\/(migrations\/|migrationFiles|laterIndexes)|packages\/(contract\/src\/(Channels|Reconciliation)|resources\/src\/(buyersRows|channels))\.ts$)/

/** Files that are run and not imported. */
const programs =
  /^(src\/main|examples\/shop\/src\/main|scripts\/(build|changelog|messageShapes|openapiChanges|packages|release)|packages\/(bench|cli|oracle|simulation|simulator)\/src\/([a-z]+\/)?main|packages\/simulation\/src\/(preload|worker)|packages\/(cli|cluster|console|shops|simulator|site|testkit)\/scripts\/\w+|packages\/(medusa|vendure)\/src\/(index|reconcile)|test\/shops\/install|packages\/site\/src\/browser\/(main|theme)|packages\/testkit\/src\/index|src\/platform\/postgres\/migrations\/\w+|src\/webhooks\/deliveries\/undiciClient\.d|packages\/(mcp|python)\/generator\/main|packages\/sdk\/generator\/(main|build)|packages\/console\/src\/(early|main)|test\/kit\/(run\/(freshMetrics|globalSetup|redFiles|stuckFiles|yieldsOften)|program\/(program|longThenShort)|runners\/(frozenChildren|standingRunner))|.*\.test)\.tsx?$/

/** Written by a program, which `test/sdk/generated.test.ts` holds to it. */
const isGenerated = (file: string) => /^packages\/(mcp|sdk)\/src\/generated\//.test(file)

/** A file that no longer fits in one sitting should be two. */
const linesMax = 400
/** A page of the console has its sentences in two languages. */
const pageLinesMax = 500
const columnsMax = 120

/** Spelled so, these would read the clock, the dice or the console behind Effect's back, or hide an error. */
const banned: ReadonlyArray<RegExp> = [
  /\bDate\.now\b/,
  /\bnew Date\(/,
  /\bMath\.random\b/,
  /\bconsole\.[a-z]/,
  /\bprocess\.env\b/,
  /\basync\b/,
  /\btry\s*\{/,
  /\bEffect\.orDie\b/
]
/** In a room it is `span`: what outlives a call would keep what `Effect.fn` noted of the call. */
const noted = /\bEffect\.fn\(/
const isRoom = (file: string) =>
  /^src\/(?!platform\/)\w+\//.test(file) && file !== "src/webhooks/deliveries/Outbound.ts"
/** Read and written in one file of each program, by one rule for what is no JSON. */
const json = /\bJSON\.(parse|stringify)\b/
const codecs: ReadonlyArray<string> = [
  "src/platform/runtime/codecs.ts",
  "packages/simulator/src/json.ts",
  "src/door/console/browser/signingIn.ts",
  "packages/cli/src/json.ts",
  "packages/mcp/src/json.ts",
  "packages/cluster/src/lines.ts"
]
/** SQL takes the time as a parameter, so that a test may move it. */
const sqlClock = /\b(now\(\)|current_timestamp|clock_timestamp)/i
/** Only Postgres can say how far its clock is from ours, and when by its clock it has heard of a session. */
const readsItsClock = ["src/platform/postgres/ClockSkew.ts", "packages/cluster/src/Roster.ts"]

const filesIn = (root: string) =>
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((name) => `${root}/${name}`)
    .filter((name) => /\.tsx?$/.test(name) && !/node_modules|\/dist\//.test(name))

const sources = ["examples", "packages", "src", "test"]
  .flatMap(filesIn)
  .map((file) => ({ file, text: readFileSync(file, "utf8") }))

const isTest = (file: string) => /^(examples\/\w+\/)?test\//.test(file)
/** In a test a sentence or a row of a table may be as long as it is. */
const printed = /["'`|]/

/** Its texts are sentences, in both languages. */
const isPage = (file: string) => file.startsWith("packages/console/src/") && file.endsWith(".tsx")

/** Programs beside the service, pages of a browser, and tests read real clocks and use promises. */
const isBeside = (file: string) =>
  /^packages\/(bench|cli\/scripts|cluster\/scripts|console|mcp\/generator|oracle|medusa|python\/generator|sdk|shops|simulation|simulator\/scripts|site|testkit|vendure)\//.test(
    file
  ) ||
  file.startsWith("examples/") ||
  isTest(file)

/** `src` means its own files. */
const isWithin = (folder: string, room: string) => folder === room || (room !== "src" && folder.startsWith(`${room}/`))

const floorOf = (file: string): string | undefined =>
  floors
    .filter((floor) => (floor === "src" ? /^src\/\w+\.ts$/.test(file) : file.startsWith(`${floor}/`)))
    .toSorted((a, b) => b.length - a.length)[0]

const imports = sources.flatMap(({ file, text }) => specifiersOf(text).map((specifier) => ({ file, specifier })))

describe("tidy", () => {
  it("a folder imports only from folders below it", () => {
    const upwards = imports.filter(({ file, specifier }) => {
      const imported = importedBy(file, specifier)
      if (imported === undefined) return false
      const [from, to] = [floorOf(file)!, floorOf(imported)!]
      return from !== to && floors.indexOf(to) > floors.indexOf(from)
    })
    assert.strictEqual(JSON.stringify(upwards), "[]")
  })

  it("no file outside the channels' folders names an acquirer", () => {
    const named = sources
      .filter(({ file }) => namesNone.test(file) && !mayNameAcquirers.test(file))
      .filter(({ text }) => /(?<!mag)stripe|adyen/i.test(text))
      .map(({ file }) => file)
    assert.deepStrictEqual(named, [])
  })

  it("each test that CONTRIBUTING names for a feature is there", () => {
    const rows = readFileSync("CONTRIBUTING.md", "utf8").split("### A feature's tests")[1]!.split("\n## ")[0]!
    const named = [...rows.matchAll(/`(\w+(?:\/\w+)+|checkout|webhooks|receipts)`/g)].map(
      ([, name]) => `test/${name!.replace(/^test\//, "")}`
    )
    assert.isAbove(named.length, 80)
    const missing = named.filter((name) => !["", ".test.ts", ".long.test.ts"].some((end) => existsSync(name + end)))
    assert.deepStrictEqual(missing, [])
  })

  it("a reader's way has the files that the architecture names, and as many as it says", () => {
    const [, section] = readFileSync("docs/architecture.md", "utf8").split("### A reader's way")
    const rows = section!
      .split("\n## ")[0]!
      .split("\n")
      .filter((line) => /^\| [a-z]/.test(line))
    const cells = rows.map((row) => row.split(/\s*\|\s*/).slice(1, -1))
    const filesOf = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, file]) => `${file}.ts`)
    const parts = new Map(cells.filter((row) => row.length === 2).map(([name, files]) => [name!, filesOf(files!)]))
    const stories = cells.filter((row) => row.length === 4)
    assert.lengthOf(stories, 7)
    for (const [name, own, shared, count] of stories) {
      const named = shared === "none" ? [] : shared!.split(", ").flatMap((part) => parts.get(part)!)
      const files = new Set([...filesOf(own!), ...named])
      const missing = [...files].filter((file) => !existsSync(file))
      assert.deepStrictEqual(missing, [], name)
      assert.strictEqual(`${files.size}`, count, name)
    }
  })

  it("a folder has as many files as the architecture says", () => {
    const counts = [...readFileSync("docs/architecture.md", "utf8").matchAll(/`(src\/[\w/]+)` has (\d+) files/g)]
    assert.lengthOf(counts, 2)
    for (const [, folder, count] of counts) assert.strictEqual(`${readdirSync(folder!).length}`, count, folder)
  })

  it("every folder has its place in the list", () => {
    const homeless = sources.map(({ file }) => file).filter((file) => floorOf(file) === undefined)
    assert.deepStrictEqual(homeless, [])
    assert.deepStrictEqual(
      floors.filter((floor) => !existsSync(floor)),
      []
    )
  })

  it("a handler, an owner and a view import only what their kind may know", () => {
    const stray = imports.filter(({ file, specifier }) => {
      const imported = importedBy(file, specifier) ?? ""
      return closedTo.some(([kind, isClosed]) => kind.test(file) && isClosed(imported, file))
    })
    assert.strictEqual(JSON.stringify(stray), "[]")
  })

  it("every file is a program, a test, or imported by another file", () => {
    const used = new Set(imports.map(({ file, specifier }) => importedBy(file, specifier)))
    const unused = sources.map(({ file }) => file).filter((file) => !used.has(file) && !programs.test(file))
    assert.deepStrictEqual(unused, [])
  })

  it("programs of others are known to those alone that use them", () => {
    const stray = imports.filter(({ file, specifier }) => {
      if (importedBy(file, specifier) !== undefined || /^effect(\/|$)/.test(specifier)) return false
      const allowed = outsiders.find(([part]) => part.test(file))
      return allowed === undefined || !allowed[1].test(specifier)
    })
    assert.strictEqual(JSON.stringify(stray), "[]")
  })

  it("the console imports effect by module, which halves what a browser loads", () => {
    const barrels = imports.filter(
      ({ file, specifier }) =>
        file.startsWith("packages/console/src/") && /^effect(\/(http|http-api|reactivity))?$/.test(specifier)
    )
    assert.deepStrictEqual(barrels, [])
  })

  it("what may emit an error is listened to in the block that makes it", () => {
    const wrong = sources
      .filter(({ file }) => /^(src|packages\/(?!bench|console|site)\w+\/src)\//.test(file))
      .flatMap(({ file, text }) => unheard(code(text)).map((call) => `${file}: ${call}`))
    assert.deepStrictEqual(wrong, [])
    const late = `import { connect } from "node:net"\nconst made = connect(1)\nyield* step\nmade.on("error", hear)`
    assert.deepStrictEqual(unheard(late), ["connect(1)"])
  })

  it("a word that the glossary retires is in no folder that is rid of it", () => {
    for (const { found, stillIn, word } of retired) {
      const folders = new Set(
        sources
          .filter(({ file, text }) => !isTest(file) && word.test(found(text)))
          .map(({ file }) => path.dirname(file))
      )
      assert.deepStrictEqual(
        [...folders].filter((folder) => !stillIn.some((room) => isWithin(folder, room))),
        [],
        String(word)
      )
    }
  })

  it("a file fits in one sitting, its lines fit on a screen, and it opens with what it is", () => {
    const wrong = sources.flatMap(({ file, text }) => {
      const lines = isGenerated(file) ? [] : text.split("\n")
      const isLong = (line: string) =>
        line.length > columnsMax && !((isTest(file) || isPage(file)) && printed.test(line))
      return [
        ...(lines.length - 1 > (isPage(file) ? pageLinesMax : linesMax) ? [`${file}: ${lines.length - 1} lines`] : []),
        ...lines.filter(isLong).map((line) => `${file}: too long: ${line}`),
        ...(text.startsWith("/**") ? [] : [`${file}: does not open with what it is`])
      ]
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("no file of the service reads a clock, dice or JSON behind Effect's back, or hides an error", () => {
    const wrong = sources
      .filter(({ file }) => !isBeside(file))
      .flatMap(({ file, text }) => {
        const patterns = [
          ...banned,
          ...(readsItsClock.includes(file) ? [] : [sqlClock]),
          ...(codecs.includes(file) ? [] : [json]),
          ...(isRoom(file) ? [noted] : [])
        ]
        return patterns.filter((pattern) => pattern.test(code(text))).map((pattern) => `${file}: ${pattern}`)
      })
    assert.deepStrictEqual(wrong, [])
  })
})
