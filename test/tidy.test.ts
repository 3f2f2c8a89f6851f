/**
 * Rules about the code itself, checked like any other rule. The table is the dependency diagram of
 * docs/architecture.md, section 2: an import that is not an arrow in it fails here.
 */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

const packages = /^@coffer\/(model|contract|rules)\//
const rules = /^@coffer\/(model|rules)\//
const node = /^node:/
/** Front doors and links of other rooms: what may be asked for from outside a room. */
const frontDoors =
  /^\.\.\/(orders\/Orders|wallet\/Wallets|merchants\/(Merchants|Seeds)|payouts\/Payouts|refunds\/(Refunds|refundErrors)|disputes\/Disputes|audit\/Auditor|events\/(Events|EventLists)|channel\/(Channel|contradiction|DisputeChannel|RefundChannel|SandboxBank|SandboxBuyer|SandboxDisputes|SandboxIssuer|SandboxRefunds)|checkout\/CheckoutLinks|idempotency\/IdempotencyKeys|logs\/Logs|files\/Files)\.ts$/
const ground = /^\.\.\/ground\//
const ownRoom = (...suffixes: ReadonlyArray<string>) => new RegExp(`^\\./\\w+?(${suffixes.join("|")})\\.ts$`)
const wireErrors = /^\.\.\/http\//

/** What each part may import beside `effect`, nearest match first. */
const mayImport: ReadonlyArray<readonly [part: RegExp, allowed: ReadonlyArray<RegExp>]> = [
  [/^packages\/model\//, [/^\.\//]],
  [/^packages\/rules\//, [/^@coffer\/model\//, /^\.\.?\//, /^ipaddr\.js$/]],
  [/^packages\/contract\//, [/^@coffer\/model\//, /^\.\//]],

  // It looks at the house from outside, and stands its rivals on the house's own tables.
  [/^packages\/bench\//, [packages, node, /^\.\.?\//, /^pg$/, /^fastify$/]],

  [/^src\/(Wiring|main|serve|runAudit)\.ts$/, [/./]],
  [/^src\/v8\.ts$/, [node]],
  [/^src\/Settings\.ts$/, [node, /^\.\/ground\/Home\.ts$/]],
  [/^src\/ground\//, [rules, node, /^@effect\//, /^\.\.?\/(?!\w+\/)/, /^\.\/migrations\//, /^async-exit-hook$/]],
  // They know Node's own requests and servers.
  [/^src\/http\/(ShortPath|Edge|Draining)\.ts$/, [packages, /^\.\//, ground, node, /^@effect\/platform-node$/]],
  [/^src\/http\/Waiting\.ts$/, [packages, /^\.\//, ground, node, /^@effect\/platform-node$/, /^\.\.\/Settings\.ts$/]],
  [/^src\/http\//, [packages, /^\.\//, ground, frontDoors, /^\.\.\/orders\/OrderEntity\.ts$/, /^\.\.\/Settings\.ts$/]],

  [/^src\/files\/\w+Storage\.ts$/, [rules, ground, node, /^@aws-sdk\//, /^@effect\//, /^\.\//, /^\.\.\/Settings\.ts$/]],
  [/View\.ts$/, [packages, /^\.\/\w+s\.ts$/]],
  [
    /Http\.ts$/,
    [
      packages,
      wireErrors,
      frontDoors,
      /^\.\.\/ground\/(traced|trouble)\.ts$/,
      /^\.\.\/(orders\/Order|refunds\/Refund|disputes\/Dispute)View\.ts$/,
      /^\.\/(?!\w+(Store|Entity)\.ts)/
    ]
  ],
  [/Store\.ts$/, [rules, ground]],
  [/Entity\.ts$/, [rules, ground, frontDoors, ownRoom("Store", "View"), /^\.\.\/Settings\.ts$/]],
  [/^src\/webhooks\/Outbound\.ts$/, [rules, node]],
  [
    /^src\/work\//,
    [
      rules,
      /^@coffer\/contract\//,
      ground,
      frontDoors,
      /^\.\.\/Settings\.ts$/,
      /^\.\.\/\w+\/\w+Store\.ts$/,
      /^\.\.\/webhooks\/Outbound\.ts$/,
      /^\.\//
    ]
  ],
  // A front door: its own store and actor, and other rooms' front doors.
  [
    /^src\/\w+\//,
    [
      packages,
      ground,
      frontDoors,
      /^\.\//,
      /^\.\.\/Settings\.ts$/,
      /^@effect\/sql-pg$/,
      /^\.\.\/orders\/OrderEntity\.ts$/
    ]
  ]
]

/** A file that no longer fits in one sitting should be two. */
const linesMax = 300
const columnsMax = 120

/** Spelled so, these would read the clock, the dice or the console behind Effect's back, or hide an error. */
const banned: ReadonlyArray<RegExp> = [
  /\bDate\.now\b/,
  /\bnew Date\(/,
  /\bMath\.random\b/,
  /\bconsole\./,
  /\bprocess\.env\b/,
  /\basync\b/,
  /\btry\s*\{/,
  /\bEffect\.orDie\b/
]
/** In a room it is `traced`: an actor that a call wakes would keep what `Effect.fn` noted of the call. */
const noted = /\bEffect\.fn\(/
const isRoom = (path: string) => /^src\/(?!ground\/)\w+\//.test(path) && path !== "src/webhooks/Outbound.ts"
/** Read and written in `src/platform/runtime/codecs.ts`, by one rule for what is no JSON. */
const json = /\bJSON\.(parse|stringify)\b/
/** SQL takes the time as a parameter, so that a test may move it. */
const sqlClock = /\b(now\(\)|current_timestamp|clock_timestamp)/i

const sources = ["packages", "src"]
  .flatMap((root) => readdirSync(root, { recursive: true, encoding: "utf8" }).map((path) => `${root}/${path}`))
  .filter((path) => path.endsWith(".ts") && !path.includes("node_modules"))
  .map((path) => ({ path, text: readFileSync(path, "utf8") }))

/** A bench is a program beside the service: it reads real clocks, and its rivals are written as others write. */
const isBeside = (path: string) => path.startsWith("packages/bench/")

const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, "")

describe("tidy", () => {
  for (const { path, text } of sources) {
    it(path, () => {
      const lines = text.split("\n")
      assert.isAtMost(lines.length, linesMax, "lines")
      assert.deepStrictEqual(
        lines.filter((line) => line.length > columnsMax),
        [],
        "lines that are too long"
      )
      assert.match(text, /^\/\*\*/, "opens with what it is")
      const patterns = [
        ...banned,
        // How far its clock is from ours is a question only Postgres can answer.
        ...(path === "src/platform/postgres/ClockSkew.ts" ? [] : [sqlClock]),
        ...(path === "src/platform/runtime/codecs.ts" ? [] : [json]),
        ...(isRoom(path) ? [noted] : [])
      ]
      if (!isBeside(path)) for (const pattern of patterns) assert.notMatch(code(text), pattern)

      const found = mayImport.find(([part]) => part.test(path))
      assert.isDefined(found, "belongs to no part of the house")
      const imports = Array.from(text.matchAll(/(?:from|import) "([^"]+)"/g), ([, specifier]) => specifier!)
      const stray = imports.filter(
        (specifier) => !/^effect(\/|$)/.test(specifier) && !found[1].some((pattern) => pattern.test(specifier))
      )
      assert.deepStrictEqual(stray, [])
    })
  }
})
