/** The documents as a site: each link and each command in them leads to something, and each page is found. */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { targetOf } from "../../packages/site/src/markdown.ts"
import { languageOfAddress, twinOf } from "../../packages/site/src/places.ts"
import { quoteOf, withQuotes } from "../../packages/site/src/quotes.ts"
import { find } from "@coffer/mcp/find"
import { filesOf, makeSite, searchIndexOf } from "../../packages/site/src/site.ts"

const site = makeSite()
const byAddress = new Map(site.pages.map((page) => [page.address, page]))
const isElsewhere = (href: string) => /^(https?|mailto):/.test(href)

describe("the documents", () => {
  it("have no link to a file, a page or a heading that is not there", () => {
    const broken = site.pages.flatMap(({ rendered, source }) =>
      rendered.links
        .filter((href) => !isElsewhere(href))
        .filter((href) => {
          const [file, anchor] = targetOf(source, href)
          const address = site.addressBySource.get(file)
          if (address === undefined) return !existsSync(file)
          if (anchor === "") return false
          return !byAddress.get(address)!.rendered.headings.some(({ id }) => id === decodeURIComponent(anchor))
        })
        .map((href) => `${source}: ${href}`)
    )
    assert.deepStrictEqual(broken, [])
  })

  it("have one heading of the first level each, at the top, and no two pages at one address", () => {
    const wrong = site.pages.filter(
      ({ rendered: { headings } }) => headings[0]?.depth !== 1 || headings.filter(({ depth }) => depth === 1).length > 1
    )
    assert.deepStrictEqual(
      wrong.map(({ source }) => source),
      []
    )
    assert.strictEqual(byAddress.size, site.pages.length)
  })

  it("are all reached from the way beside them, or by a link of another page", () => {
    const ways = [...site.sections.en, ...site.sections.zh].flatMap(({ entries }) =>
      entries.map(([address]) => address)
    )
    const linked = site.pages.flatMap(({ address: from, rendered, source }) =>
      rendered.links
        .filter((href) => !isElsewhere(href))
        .map((href) => site.addressBySource.get(targetOf(source, href)[0]))
        .filter((address) => address !== undefined && address !== from)
    )
    const reached = new Set([...ways, ...linked])
    const lost = site.pages.map(({ address }) => address).filter((address) => !reached.has(address))
    assert.deepStrictEqual(lost, [])
  })

  it("in Chinese each have the page in English that they translate", () => {
    const without = [...byAddress.keys()].filter(
      (address) => languageOfAddress(address) === "zh" && !byAddress.has(twinOf(address))
    )
    assert.deepStrictEqual(without, [])
  })
})

describe("a translation", () => {
  const translations = site.pages.filter(({ language }) => language === "zh")

  it("has all of the code of the page that it translates, in its order, and none of its own", () => {
    const fencesOf = (text: string) => text.match(/^```[^]*?^```$/gm) ?? []
    for (const { address, markdown } of translations.filter((page) => !page.address.includes("errors"))) {
      assert.notInclude(markdown, "<!-- code")
      assert.deepStrictEqual(fencesOf(markdown), fencesOf(byAddress.get(twinOf(address))!.markdown), address)
    }
  })

  it("has the sections, the tables' rows and the lists of the page that it translates, so that it is not older", () => {
    const shapeOf = (markdown: string) => {
      const text = markdown.replaceAll(/^```[^]*?^```$/gm, "")
      return {
        headings: text.match(/^#+(?= )/gm),
        rows: text.match(/^\|/gm)?.length,
        items: text.match(/^(- |\d+\. )/gm)?.length
      }
    }
    for (const { address, markdown } of translations)
      assert.deepStrictEqual(shapeOf(markdown), shapeOf(byAddress.get(twinOf(address))!.markdown), address)
  })

  it("of the concepts, the guides, the reports, the SDK, the command line and each code of an error is there", () => {
    const english = [...byAddress.keys()].filter((address) =>
      /^((concepts|guides)\/|errors(\/|$)|(testing|quickstart|reports|sdk|command-line)$|$)/.test(address)
    )
    assert.deepStrictEqual(
      english.filter((address) => !byAddress.has(twinOf(address))),
      []
    )
  })
})

describe("code that a page quotes", () => {
  const read = (file: string) => readFileSync(path.resolve(file), "utf8")

  it("is in the page as in its source: `npm run quotes --workspace @coffer/site` writes it", () => {
    const quoting = site.pages.filter(
      ({ address, markdown }) => / from examples\//.test(markdown) && !address.startsWith("zh")
    )
    assert.isAbove(quoting.length, 3)
    for (const { source } of quoting) assert.strictEqual(read(source), withQuotes(read(source), read), source)
  })

  it("is offered as a file beside the page where it is quoted whole", () => {
    const assets = { sheet: "", theme: "", script: "", index: { en: "", zh: "" } }
    const files = filesOf(site, assets, { isServed: true, root: "/docs" })
    for (const name of ["shop.mjs", "shop.py", "shop.php"]) {
      const file = files.find((each) => each.path === `/docs/guides/${name}`)
      assert.strictEqual(file?.text, read(`examples/small/${name}`))
    }
  })

  it("is a link in a page's Markdown where it is quoted whole: an agent reads the one file that it needs", () => {
    const assets = { sheet: "", theme: "", script: "", index: { en: "", zh: "" } }
    const files = filesOf(site, assets, { isServed: true, root: "/docs" })
    const links = ["mjs", "py", "php"].map((ending) => `- [shop.${ending}](/docs/guides/shop.${ending})`).join("\n")
    for (const page of ["/docs/guides/shop.md", "/docs/zh/guides/shop.md"]) {
      const { text } = files.find((each) => each.path === page)!
      assert.include(text, links, page)
      assert.isBelow(text.split("\n").length, 80, page)
    }
  })

  it("goes from the line that begins so to the one that closes it, and is refused where no line or several begin so", () => {
    const text = "const app = () => {\n  one(() => {\n    two\n  })\n  three\n}\nthree()\n"
    assert.strictEqual(quoteOf(text, "one("), "one(() => {\n  two\n})")
    assert.strictEqual(quoteOf(text, "three()"), "three()")
    assert.throws(() => quoteOf(text, "three"))
    assert.throws(() => quoteOf(text, "four"))
  })
})

describe("a command in the documents", () => {
  const commands = site.pages.flatMap(({ markdown, source }) =>
    [...markdown.matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g)].map(([, script]) => ({ source, script: script! }))
  )

  it("of coffer is one that the program lists, and so is the word after a group of them", () => {
    const help = execFileSync(process.execPath, ["src/main.ts", "--help"], { encoding: "utf8" })
    const listed = new Map(
      [...help.matchAll(/^ {2}([a-z][a-z-]*) {2,}(.*)$/gm)].map(([, name, text]) => [
        name!,
        /: ([a-z-]+(?:, [a-z-]+)*)$/.exec(text!)?.[1]?.split(", ")
      ])
    )
    const spoken = site.pages.flatMap(({ markdown, source }) =>
      [...markdown.matchAll(/`([^`\n]+)`|^```sh[^\n]*\n([^]*?)^```/gm)].flatMap(([, inline, block]) =>
        [
          ...(inline ?? block!).matchAll(/(?:^|\n|\$\(|npx |-- )coffer (?:-- )?([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/g)
        ].map(([text, name, part]) => ({ source, text, name: name!, part }))
      )
    )
    assert.isAbove(spoken.length, 60)
    const unknown = spoken.filter(({ name, part }) => {
      const parts = listed.get(name)
      return !listed.has(name) || (parts !== undefined && part !== undefined && !parts.includes(part))
    })
    assert.deepStrictEqual(unknown, [])
  })

  it("of npm is a script of package.json or of one of the packages", () => {
    const manifests = [
      "package.json",
      ...["sdk", "console", "site", "testkit", "cluster", "simulator"].map((name) => `packages/${name}/package.json`)
    ]
    const scripts = new Set(
      manifests.flatMap((file) => Object.keys(JSON.parse(readFileSync(path.resolve(file), "utf8")).scripts ?? {}))
    )
    assert.isAbove(commands.length, 20)
    assert.deepStrictEqual(
      commands.filter(({ script }) => !scripts.has(script)),
      []
    )
  })
})

describe("what programs read", () => {
  const assets = { sheet: "", theme: "", script: "", index: { en: "", zh: "" } }
  const files = new Map(
    filesOf(site, assets, { isServed: true, root: "/docs" }).map(({ path: address, text }) => [address, text])
  )

  it("has no link in its Markdown that leads out of the documents to a file of the repository", () => {
    const lost = [...files].flatMap(([address, text]) =>
      address.endsWith(".md")
        ? [...text.replaceAll(/^```[^]*?^```$|`[^`\n]*`/gm, "").matchAll(/(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)/g)]
            .map(([, href]) => href!)
            .filter((href) => !/^(https?:|mailto:|#)/.test(href) && !files.has(href.split("#")[0]!))
            .map((href) => `${address}: ${href}`)
        : []
    )
    assert.deepStrictEqual(lost, [])
  })

  it("begins with the address, the header, where a key comes from and MCP, and has operators' pages at its end", () => {
    const list = files.get("/llms.txt")!
    const [intro = "", ...sections] = list.split("\n## ")
    for (const words of ["`/v1`", "`X-Api-Key`", "credentials.json", "`/mcp`", "guides/shop", "/downloads"])
      assert.include(intro, words)
    const [last = ""] = sections.slice(-1)
    assert.match(last, /^Optional\n/)
    assert.include(last, "/docs/operating.md")
    assert.notInclude(sections.slice(0, -1).join(), "/docs/operating.md")
  })
})

describe("the search", () => {
  const index = searchIndexOf(site, "en", "/docs")

  it("leads to the right page among the first three for 38 of forty queries as newcomers type them", () => {
    const wrong = Object.entries(queries).filter(
      ([query, pages]) =>
        !find(index, query)
          .slice(0, 3)
          .some(({ path }) => pages.split(" ").includes(path.split("#")[0]!.slice("/docs/".length)))
    )
    assert.strictEqual(Object.keys(queries).length, 40)
    assert.isAtMost(wrong.length, 2, JSON.stringify(wrong))
  })
})

/** Where there are several right pages, one of them is enough. */
const queries = {
  pagination: "basics/pagination",
  chargeback: "guides/disputes",
  "test card": "testing",
  cancel_url: "guides/checkout",
  ngrok: "testing",
  "api key": "basics/authentication",
  "rate limit": "basics/rate-limits",
  refund: "guides/refunds",
  dispute: "guides/disputes",
  "payment link": "guides/links",
  "webhook signature": "guides/webhooks",
  payout: "basics/payouts",
  withdrawal: "basics/payouts",
  receipt: "basics/receipts",
  alipay: "basics/payment-methods",
  metadata: "basics/metadata",
  "idempotency key": "basics/idempotency",
  not_pending: "errors/conflict",
  reconcile: "guides/reconciliation",
  insufficient_balance: "errors/insufficient_balance",
  mcp: "mcp",
  settlement: "basics/payouts",
  "verify webhook": "guides/webhooks",
  "duplicate events": "guides/webhooks",
  "cancel order": "guides/checkout",
  "partial refund": "guides/refunds",
  "sandbox key": "basics/authentication",
  "example shop": "guides/shop",
  "sample code": "guides/recipes",
  php: "guides/shop",
  django: "guides/frameworks",
  nextjs: "guides/frameworks",
  "install python": "python guides/shop",
  npm: "sdk guides/shop",
  "429 too many requests": "basics/rate-limits",
  "retry after timeout": "basics/idempotency guides/recipes",
  "go live": "guides/going-live",
  "order status": "concepts/order",
  csv: "reports guides/into-your-program",
  "localhost webhook": "testing"
}
