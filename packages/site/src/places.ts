/**
 * The pages of the site: their source files, URLs, and order in the navigation. A document outside of the sections is
 * still a page if another one links to it.
 */

export type Language = "en" | "zh"

export interface Page {
  /** The path below `/docs`; empty for the first page. */
  readonly address: string
  readonly language: Language
  /** The file to which its links are relative, as a path in the repository. */
  readonly source: string
  readonly markdown: string
}

/** A navigation entry: a page's URL and its short title. */
export type Entry = readonly [address: string, title: string]

export interface Section {
  readonly title: string
  readonly entries: ReadonlyArray<Entry>
}

/** Documents of the repository that are pages, by their paths. */
export const isDocument = (path: string): boolean =>
  /^docs\/.*\.md$/.test(path) || /^packages\/(sdk|python|testkit|simulator|cluster)\/README\.md$/.test(path)

export const addressOf = (path: string): string =>
  path
    .replace(/^docs\//, "")
    .replace(/^packages\/(\w+)\/README\.md$/, "$1")
    .replace(/(^|\/)(index|README)\.md$/, "")
    .replace(/\.md$/, "")

/** The file that a translation translates. */
export const originalOf = (path: string): string =>
  path.replace(/^docs\/zh\/(sdk|python|testkit)\.md$/, "packages/$1/README.md").replace(/^docs\/zh\//, "docs/")

export const languageOfAddress = (address: string): Language => (/^zh(\/|$)/.test(address) ? "zh" : "en")

/** The address of the same page in the other language. */
export const twinOf = (address: string): string =>
  languageOfAddress(address) === "zh" ? address.replace(/^zh\/?/, "") : `zh/${address}`.replace(/\/$/, "")

const guides: ReadonlyArray<readonly [address: string, en: string, zh: string]> = [
  ["guides/shop", "A whole shop", "一个完整的商店"],
  ["guides/checkout", "Checkout", "收银台"],
  ["guides/capture", "Capture later", "先授权，后扣款"],
  ["guides/refunds", "Refunds", "退款"],
  ["guides/disputes", "Disputes", "争议"],
  ["guides/links", "Payment links", "支付链接"],
  ["guides/webhooks", "Webhooks", "Webhook"],
  ["testing", "Testing with time", "测试与时间"],
  ["guides/going-live", "Going live", "上线"],
  ["guides/reconciliation", "Reconciliation", "对账"],
  ["guides/into-your-program", "Into your program", "导入你的程序"],
  ["guides/frameworks", "Frameworks", "框架"],
  ["guides/recipes", "Recipes", "代码示例"]
]

const guidesIn = (language: Language): ReadonlyArray<Entry> =>
  guides.map(([address, en, zh]) => (language === "en" ? [address, en] : [`zh/${address}`, zh]))

const named = (prefix: string, titles: Readonly<Record<string, string>>): ReadonlyArray<Entry> =>
  Object.entries(titles).map(([name, title]) => [`${prefix}${name}`, title])

/** `references`: the pages generated from the OpenAPI document. */
export const sectionsOf = (language: Language, references: ReadonlyArray<Entry>): ReadonlyArray<Section> =>
  language === "en" ? englishSections(references) : chineseSections

const besideTheApi = {
  errors: "Errors",
  sdk: "SDK for JavaScript",
  python: "SDK for Python",
  testkit: "Testkit",
  "command-line": "Command line",
  mcp: "Agents (MCP)",
  reports: "Reports",
  ledger: "The ledger's proof",
  specification: "Specification",
  choices: "Choices beyond it"
}

const englishSections = (references: ReadonlyArray<Entry>): ReadonlyArray<Section> => [
  { title: "Start", entries: named("", { "": "Overview", quickstart: "Quickstart" }) },
  {
    title: "Concepts",
    entries: named("concepts/", {
      order: "An order's life",
      wallet: "Wallet and ledger",
      webhook: "A webhook's attempts",
      owners: "Who owns what"
    })
  },
  { title: "Guides", entries: guidesIn("en") },
  { title: "Shop systems", entries: named("shops/", { medusa: "Medusa", vendure: "Vendure" }) },
  {
    title: "Using the API",
    entries: named("basics/", {
      authentication: "API keys",
      idempotency: "Idempotency",
      pagination: "Pagination",
      "rate-limits": "Rate limits",
      metadata: "Metadata",
      "payment-methods": "Payment methods",
      receipts: "Receipts",
      payouts: "Payouts",
      versions: "Versions and SDKs",
      glossary: "Glossary"
    })
  },
  {
    title: "Reference",
    entries: [["reference", "The API"], ...references, ...named("", besideTheApi)]
  },
  {
    title: "Operating",
    entries: named("", {
      running: "Running",
      settings: "Settings",
      operating: "Operating",
      "operating-runners": "Several runners",
      "operating-containers": "Containers",
      failover: "Postgres that fails over",
      "going-live": "Going live with Stripe",
      doctor: "The doctor",
      metrics: "Metrics",
      alerts: "Alerts",
      scaling: "Scaling"
    })
  },
  {
    title: "Security",
    entries: named("", {
      security: "Security",
      pci: "Card data",
      cryptography: "Cryptography",
      versioning: "Versions and support"
    })
  },
  {
    title: "Inside",
    entries: named("", {
      architecture: "Architecture",
      performance: "Performance",
      "performance-notes": "Notes on performance",
      decisions: "Decisions",
      style: "Style",
      words: "Words",
      effect: "Effect",
      models: "Models",
      simulation: "Simulation",
      simulator: "Stripe simulator",
      cluster: "Cluster package"
    })
  }
]

const chineseSections: ReadonlyArray<Section> = [
  { title: "开始", entries: named("", { zh: "概览", "zh/quickstart": "快速开始" }) },
  {
    title: "概念",
    entries: named("zh/concepts/", {
      order: "订单的一生",
      wallet: "钱包与账本",
      webhook: "一个 Webhook 的各次尝试",
      owners: "谁归谁管"
    })
  },
  { title: "指南", entries: guidesIn("zh") },
  {
    title: "参考",
    entries: named("", {
      "zh/errors": "错误码",
      "zh/sdk": "JavaScript SDK",
      "zh/command-line": "命令行",
      "zh/reports": "报表",
      reference: "API 参考（英文）",
      specification: "规范（英文）"
    })
  }
]
