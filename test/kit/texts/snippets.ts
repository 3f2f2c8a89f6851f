/**
 * Each piece of code on each page of Markdown, and how a test holds it: it is run against a service
 * (`test/python/snippets.test.ts`), another test runs it, or it is in the list of those that cannot be run here, each
 * with its reason. `test/spec/snippets.test.ts` lets no piece be anything else, and reads those that are not run.
 */
import { readdirSync, readFileSync } from "node:fs"
import { Marked, type Token } from "marked"
import { makeSite } from "../../../packages/site/src/site.ts"

export interface Snippet {
  /** The file, as a path in the repository. Those of the reference are made from the contract. */
  readonly source: string
  readonly language: string
  readonly text: string
  /** The file that it is quoted from, whose test runs it (`packages/site/src/quotes.ts`). */
  readonly quoted?: string
}

/** Programs. The rest is read by people or by programs of others. */
export const programs = ["sh", "js", "ts", "python", "php", "go"]
/** Those that have no test as programs, and the other texts. */
export const texts = ["text", "json", "http", "sql"]

const marked = new Marked()

/** However a piece of code is written: with fences of any kind, within a list, or by four spaces. */
const codeOf = (source: string, markdown: string): ReadonlyArray<Snippet> => {
  const found: Array<Snippet> = []
  marked.walkTokens(marked.lexer(markdown), (token: Token) => {
    if (token.type !== "code") return
    const [language = "", , quoted] = ((token["lang"] as string | undefined) ?? "").split(" ")
    found.push({ source, language, text: token["text"], ...(quoted === undefined ? {} : { quoted }) })
  })
  return found
}

/** Markdown that is no page of the site. */
const others = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "CHANGELOG.md",
  "changes/README.md",
  "packages/cli/README.md",
  ...readdirSync("examples").map((name) => `examples/${name}/README.md`)
]

/** Those in Chinese are the English ones again (test/spec/documents.test.ts). */
export const snippets = (): ReadonlyArray<Snippet> => {
  const pages = [
    ...makeSite().pages,
    ...others.map((source) => ({ source, markdown: readFileSync(source, "utf8"), language: "en" }))
  ]
  const code = (language: string) =>
    pages.filter((page) => page.language === language).flatMap(({ markdown, source }) => codeOf(source, markdown))
  const english = code("en")
  const known = new Set(english.map(({ language, text }) => `${language}\n${text}`))
  return [...english, ...code("zh").filter(({ language, text }) => !known.has(`${language}\n${text}`))]
}

/** Pages whose programs another test runs, or compiles where they are fragments: it reads the page. */
export const runByOthers: ReadonlyArray<readonly [source: string, language: string, test: string]> = [
  ["docs/testing.md", "sh", "test/cli/testingPage.test.ts"],
  ["docs/testing.md", "js", "test/testkit/package.test.ts"],
  ["README.md", "js", "test/sdk/package.test.ts"],
  ["packages/sdk/README.md", "js", "test/sdk/package.test.ts"],
  ["packages/sdk/README.md", "ts", "test/sdk/package.test.ts"],
  ["packages/python/README.md", "python", "test/python/story.test.ts"],
  ["packages/testkit/README.md", "js", "test/testkit/package.test.ts"],
  ["packages/testkit/README.md", "ts", "test/testkit/package.test.ts"],
  ["packages/cluster/README.md", "ts", "test/cluster/clusterPackage.test.ts"],
  ["docs/guides/frameworks.md", "js", "test/python/frameworks.test.ts"],
  ["docs/guides/frameworks.md", "python", "test/python/frameworks.test.ts"]
]

const itself = "it is the service itself, which every test starts"
const suites = "it is the tests themselves"
const registry =
  "it installs from a registry or for the whole machine; test/ops/packages.test.ts installs the packed file"
const fragment = "it is a part of a file"

interface NotRun {
  readonly source: string
  /** How its text begins. */
  readonly begins: string
  readonly why: string
}

const notRun = (source: string, begins: string, why: string): NotRun => ({ source, begins, why })

/** All that is not run. Nothing is left out of the test without a line here. */
export const reasons: ReadonlyArray<NotRun> = [
  notRun("README.md", "npm ci && npm start", itself),
  notRun("README.md", "npm test", suites),
  notRun("CONTRIBUTING.md", "npm ci && npm start", suites),
  notRun("CONTRIBUTING.md", "npm run check", suites),
  notRun("docs/quickstart.md", "npm ci && npm start", itself),
  notRun("docs/quickstart.md", "export COFFER_BASE_URL", "test/spec/snippets.test.ts runs it beside such a file"),
  notRun("docs/models.md", 'cd "$(mktemp -d)"', "it needs Spin; test/models/models.test.ts runs the same"),
  notRun("docs/command-line.md", "npm install", registry),
  notRun("docs/command-line.md", "coffer listen", "it goes on until it is stopped; test/cli/listen.test.ts"),
  notRun("docs/command-line.md", "COFFER_WEBHOOK_SECRET", "it needs a receiver; test/cli/testingPage.test.ts has one"),
  notRun(
    "docs/going-live.md",
    "STRIPE_KEY",
    "it needs an account at Stripe; test/cli/rehearse.test.ts has a simulator"
  ),
  notRun("docs/going-live.md", "curl", "it needs an account at Stripe; test/stripe/accounts.test.ts has a simulator"),
  notRun("docs/mcp.md", "claude", "another's program; test/cli/mcpWalk.test.ts starts the command"),
  notRun("docs/shops/medusa.md", "npm install", "it needs a shop; npm run test:shops installs the packed files"),
  notRun("docs/shops/medusa.md", "modules: [", "a part of a shop, which test/shops/medusa.test.ts starts"),
  notRun("docs/shops/medusa.md", "export {", "a part of a shop, which test/shops/medusa.test.ts starts"),
  notRun("docs/shops/vendure.md", "npm install", "it needs a shop; npm run test:shops installs the packed files"),
  notRun("docs/shops/vendure.md", "import {", "a part of a shop, which test/shops/vendure.test.ts starts"),
  notRun("docs/guides/shop.md", "export COFFER_BASE_URL", registry),
  notRun("docs/guides/shop.md", "curl http://127.0.0.1:3000", "test/python/smallShops.test.ts starts the shops"),
  notRun(
    "docs/guides/into-your-program.md",
    "import pandas",
    "pandas is not installed; test/http/reports/reportFiles.long.test.ts reads the columns"
  ),
  notRun("docs/failover.md", "apt-get", "it sets up three machines; test/ops/patroni.test.ts reads the files"),
  notRun("docs/failover.md", "pgbackrest", "it needs the servers of the page"),
  notRun("docs/operating.md", "pg_dump", "Debian's PostgreSQL; test/cluster/backup.test.ts"),
  notRun("docs/operating.md", "pg_basebackup", "Debian's PostgreSQL; test/cluster/backup.test.ts"),
  notRun("docs/operating.md", "pg_restore", "Debian's PostgreSQL; test/cluster/backup.test.ts"),
  notRun("docs/operating-runners.md", "UPGRADE_FROM", "it takes half an hour; npm run test:chaos plays it in short"),
  notRun(
    "docs/operating-containers.md",
    "docker",
    "no Docker is installed; test/ops/builtImage.test.ts builds and runs the image"
  ),
  notRun("docs/performance.md", "npm run bench -- --write", "it takes half an hour; test/bench runs its parts"),
  notRun("docs/style.md", "export const writesPerMinuteMax", fragment),
  notRun("docs/style.md", "/** When checkout", fragment),
  notRun("docs/style.md", "Effect.catchTags", fragment),
  notRun("docs/style.md", 'case "pending"', fragment),
  notRun("docs/effect.md", "SingleRunner.layer", fragment),
  notRun("docs/effect.md", "NodeClusterSocket.layer", fragment),
  notRun(
    "docs/running.md",
    "export SECRET_KEY",
    "it is the service itself; test/cluster/roles.test.ts starts it on these roles"
  ),
  notRun(
    "docs/running.md",
    "npm run --silent coffer -- doctor",
    "it needs Debian's PostgreSQL; test/cluster/backup.test.ts"
  ),
  notRun("packages/cli/README.md", "npm install", registry),
  notRun("packages/sdk/README.md", "npm install", registry),
  notRun("packages/python/README.md", "pip install", registry),
  notRun("packages/testkit/README.md", "npm install", registry),
  notRun("packages/testkit/README.md", "node --test", "test/testkit/package.test.ts runs this command"),
  notRun("packages/simulator/README.md", "npx stripe-simulator", "it goes on; test/simulator/program.test.ts"),
  notRun("packages/simulator/README.md", "import { start }", fragment),
  notRun("packages/cluster/README.md", "npm install", registry),
  notRun(
    "packages/cluster/README.md",
    "export DATABASE_URL",
    "it goes on; test/cluster/clusterPackage.test.ts does it"
  ),
  notRun("examples/shop/README.md", "npm start", "it goes on; test/pages/shop.test.ts starts the shop"),
  notRun("examples/effect/README.md", "npx vitest", suites)
]

/** Those that need a program that few have, and are read by it. */
const isReadOnly = ({ language }: Snippet) => language === "go"
const isOf =
  ({ source, text }: Snippet) =>
  (each: NotRun) =>
    each.source === source && text.startsWith(each.begins)

export const reasonOf = (snippet: Snippet): string | undefined =>
  isReadOnly(snippet) ? "its program may not be installed" : reasons.find(isOf(snippet))?.why

const testOf = ({ language, source }: Snippet) =>
  runByOthers.find(([file, written]) => file === source && written === language)?.[2]

/** The languages that `test/python/snippets.test.ts` runs, page by page. */
const isRunnable = ({ language }: Snippet) => ["sh", "js", "python", "php"].includes(language)

export type Way = "run" | "run by another test" | "not run" | "a text" | "unknown"

/** How a piece of code is held. */
export const wayOf = (snippet: Snippet): Way => {
  if (texts.includes(snippet.language)) return "a text"
  if (!programs.includes(snippet.language)) return "unknown"
  if (reasonOf(snippet) !== undefined) return "not run"
  if (testOf(snippet) !== undefined || snippet.quoted?.startsWith("examples/")) return "run by another test"
  return isRunnable(snippet) ? "run" : "unknown"
}
