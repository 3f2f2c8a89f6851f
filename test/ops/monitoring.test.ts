/**
 * The dashboard and the alert rules, held to what the service really exports: each metric, label and value that they
 * name is there from the start. Each alert has its page in docs/alerts.md.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { start } from "../kit/Service.ts"
import { readYaml, type Yaml } from "../kit/texts/yaml.ts"

const rulesFile = "ops/prometheus/alerts.yaml"
const alerts: ReadonlyArray<Yaml> = readYaml(rulesFile)[0].groups.flatMap(({ rules }: Yaml) => rules)
const dashboard = JSON.parse(readFileSync("ops/grafana/coffer.json", "utf8"))
const panels: ReadonlyArray<Yaml> = dashboard.panels.filter(({ type }: Yaml) => type !== "row")

const queries = [
  ...alerts.map(({ alert, expr }) => ({ from: alert as string, expr: expr as string })),
  ...panels.flatMap(({ targets, title }) => targets.map(({ expr }: Yaml) => ({ from: title as string, expr })))
]

/** Shown only where the runners have certificates. */
const elsewhere = new Set(["coffer_certificate_expires_seconds"])
/** Those of Prometheus itself, which it adds to what it reads. */
const ofPrometheus = { metrics: ["up"], labels: ["job", "instance"] }

type Labels = Readonly<Record<string, string>>
/** The labels of each series of a metric. */
type Series = ReadonlyMap<string, ReadonlyArray<Labels>>

const seriesOf = (text: string): Series => {
  const found = new Map<string, Array<Labels>>()
  for (const [, name, labels = ""] of text.matchAll(/^([a-z_]+)(?:\{(.*)\})? \S+$/gm)) {
    const pairs = Array.from(
      labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g),
      ([, key, value]) => [key!, value!] as const
    )
    found.set(name!, [...(found.get(name!) ?? []), Object.fromEntries(pairs)])
  }
  return found
}

interface Selector {
  readonly metric: string
  readonly matchers: ReadonlyArray<readonly [label: string, operator: string, value: string]>
}

const words = new Set([
  "by",
  "sum",
  "max",
  "min",
  "rate",
  "increase",
  "min_over_time",
  "count",
  "abs",
  "topk",
  "le",
  "histogram_quantile",
  "absent",
  "last_over_time",
  "unless",
  "offset",
  "and",
  "or",
  "on"
])

/** Metrics with their matchers. A word that is no metric, function or label is a mistake. */
const selectorsOf = (expr: string): ReadonlyArray<Selector> => {
  const grouped = new Set([...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, labels]) => labels!.split(/,\s*/)))
  const bare = expr.replace(/"(?:[^"\\]|\\.)*"/g, (text) => text.replace(/[a-z_]/g, "0")).replace(/\[[^\]]*\]/g, "")
  const names = [...bare.matchAll(/\b[a-z_][a-z_0-9]*\b(?!\s*(?:=~|!=|!~|=)\s*")/g)]
  return names.flatMap(({ 0: metric, index }) => {
    if (words.has(metric) || grouped.has(metric)) return []
    const after = expr.slice(index + metric.length)
    const inside = after.startsWith("{") ? after.slice(1, after.search(/\}(?=[^"]*(?:"[^"]*"[^"]*)*$)/)) : ""
    const matchers = [...inside.matchAll(/([a-z_]+)\s*(=~|!=|!~|=)\s*"([^"]*)"/g)].map(
      ([, label, operator, value]) => [label!, operator!, value!] as const
    )
    return [{ metric, matchers }]
  })
}

class Exported extends Context.Service<Exported, Series>()("test/ops/Exported") {}
const exported = Effect.map(
  Effect.flatMap(start({ env: { BACKUP_DIR: "docs" } }), ({ api }) => api.get("/metrics")),
  ({ text }) => seriesOf(text)
)

layer(Layer.effect(Exported, exported), { excludeTestServices: true })("what is exported", (it) => {
  for (const { expr, from } of queries) {
    it.effect(`has each metric, label and value of "${from}": ${expr}`, () =>
      Effect.gen(function* () {
        const series = yield* Exported
        const selectors = selectorsOf(expr)
        assert.isAbove(selectors.length, 0)
        const grouped = [...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, labels]) => labels!.split(/,\s*/))
        for (const { matchers, metric } of selectors) {
          if (ofPrometheus.metrics.includes(metric) || elsewhere.has(metric)) continue
          const lines = series.get(metric)
          assert.isDefined(lines, `${metric} is not exported`)
          for (const [label, operator, value] of matchers) {
            if (ofPrometheus.labels.includes(label)) continue
            const values = lines!.map((labels) => labels[label])
            assert.notInclude(values, undefined, `${metric} has no label ${label}`)
            const isMatch = (text: string | undefined) =>
              operator.endsWith("~") ? new RegExp(`^(?:${value})$`).test(text!) : text === value
            assert.isTrue(values.some(isMatch), `no series of ${metric} matches ${label}${operator}"${value}"`)
          }
          for (const label of grouped) {
            if (ofPrometheus.labels.includes(label)) continue
            assert.isTrue(
              selectors.some((each) => series.get(each.metric)?.some((labels) => label in labels)),
              `nothing in it has the label ${label}`
            )
          }
        }
      })
    )
  }
})

/** Metrics of ours, a histogram by its own name. */
const basesOf = (series: Series) => {
  const ofHistogram = /_(?:bucket|sum|count)$/
  const names = [...series.keys(), ...elsewhere].filter((name) => name.startsWith("coffer_"))
  return new Set(
    names.map((name) => (series.has(name.replace(ofHistogram, "_bucket")) ? name.replace(ofHistogram, "") : name))
  )
}

layer(Layer.effect(Exported, exported), { excludeTestServices: true })("each metric of ours", (it) => {
  it.effect("that is exported has a row in docs/metrics.md, and no other has", () =>
    Effect.gen(function* () {
      const table = readFileSync("docs/metrics.md", "utf8")
        .match(/^\| `(?:coffer|effect)_.*$/gm)!
        .join("\n")
      const told = Array.from(table.matchAll(/`(coffer_[a-z_]+)/g), ([, name]) => name!)
      assert.sameMembers([...new Set(told)], [...basesOf(yield* Exported)])
    })
  )

  it.effect("has as many series as docs/metrics.md says, to a tenth", () =>
    Effect.gen(function* () {
      const count = [...(yield* Exported).values()].reduce((sum, { length }) => sum + length, 0)
      const [, told] = /A runner exports some ([\d,]+) series/.exec(readFileSync("docs/metrics.md", "utf8"))!
      const ratio = Number(told!.replace(",", "")) / count
      assert.isTrue(ratio > 0.9 && ratio < 1.1, `docs/metrics.md says ${told}, and there are ${count}`)
    })
  )

  it.effect("that is exported is on a panel of the dashboard", () =>
    Effect.gen(function* () {
      const asked = JSON.stringify(panels.map(({ targets }) => targets))
      const missing = [...basesOf(yield* Exported)].filter(
        (name) => !new RegExp(`\\b${name}(_bucket|_sum|_count)?\\b`).test(asked)
      )
      assert.deepStrictEqual(missing, [])
    })
  )
})

describe("an alert", () => {
  const text = readFileSync("docs/alerts.md", "utf8")
  const pages = [...text.matchAll(/^### (\w+)$/gm)].map(([, heading]) => heading!)

  it("has a page in docs/alerts.md, and each page is of an alert, in the same order", () => {
    assert.deepStrictEqual(
      pages,
      alerts.map(({ alert }) => alert)
    )
  })

  for (const { alert, annotations, labels } of alerts) {
    it(`${alert} leads to its page, which says what it means, what to look at and what to do`, () => {
      assert.strictEqual(
        annotations.runbook_url,
        `{{ $externalLabels.coffer_url }}/operator/alerts#${alert.toLowerCase()}`
      )
      assert.isNotEmpty(annotations.summary)
      assert.include(["critical", "warning", "info"], labels.severity)
      const page = text.split(`### ${alert}\n`)[1]!.split(/^##/m)[0]!
      for (const part of ["**What it means.**", "**Look at**", "**Do"]) assert.include(page, part)
    })
  }
})

it.live("/operator/alerts, where runbook_url leads, has the page of each alert and all of its text", () =>
  Effect.gen(function* () {
    const { api } = yield* start()
    const { headers, status, text } = yield* api.get("/operator/alerts")
    assert.strictEqual(status, 200)
    assert.match(headers.get("content-security-policy")!, /^default-src 'none'; style-src/)
    const document = readFileSync("docs/alerts.md", "utf8")
    const [ids, targets] = [/ id="([^"]*)"/g, / href="#([^"]*)"/g].map((found) =>
      Array.from(text.matchAll(found), ([, id]) => id!)
    )
    assert.includeMembers(
      ids!,
      alerts.map(({ alert }) => alert.toLowerCase())
    )
    assert.strictEqual(new Set(ids).size, ids!.length)
    assert.isEmpty(targets!.filter((id) => !ids!.includes(id)))
    const wordsOf = (from: string) => from.match(/[A-Za-z]{3,}/g)!
    const entities = /&(?:lt|gt|amp|quot|#39);/g
    const shown = text.replace(/<style>.*<\/style>|<title>.*<\/title>|<[^>]*>/gs, " ").replace(entities, " ")
    const written = document.replace(/\]\([^)]*\)/g, "] ")
    assert.deepStrictEqual(wordsOf(shown), wordsOf(written))
    assert.notMatch(shown, /\*\*|`|^\|/m)
  })
)

/** An outage of Postgres does not bring these about: their numbers stay as they were, or come from elsewhere. */
const aloneInAnOutage = `
  Absent BackupOld CertificateEnds ChannelContradicts CheckoutAltered ClockSkew ClockWrong ConnectionsDropped
  CredentialsGuessed DestinationsFail DiskFull DisputesNearEnd Down EventLoopLate HeapNearLimit LedgerBroken
  PaymentsParked PublicCertificateEnds ReconciliationDiffers ReconciliationLate RunnerMessagesRefused RunnerRefused
  StripeDown StripeEventsGivenUp StripeProxyFails StripeRefusesKeys VersionsMixed WalletsBelowZero
  WebhookSecretsUnreadable
`
  .trim()
  .split(/\s+/)
  .map((name) => `Coffer${name}`)

describe("the rules", () => {
  const played: ReadonlyArray<Yaml> = readYaml("ops/prometheus/alerts.test.yaml")[0].tests.flatMap(
    ({ alert_rule_test }: Yaml) => alert_rule_test
  )
  for (const { alert, expr } of alerts) {
    it(`${alert} is played both ways, and tells installations apart`, () => {
      const ofIt = played.filter(({ alertname }) => alertname === alert)
      assert.sameMembers(
        ofIt.map(({ exp_alerts = [] }) => exp_alerts.length > 0),
        [false, true]
      )
      assert.notMatch(expr, /job="/)
      for (const [, labels] of expr.matchAll(/\b(?:sum|max|min|count)\b(?: by \(([^)]*)\))?/g)) {
        assert.match(labels ?? "", /^job\b/)
      }
    })
  }

  it("an outage of Postgres raises no alert but its own", () => {
    const { inhibit_rules } = readYaml("ops/prometheus/alertmanager.yaml")[0]
    const { target_matchers } = inhibit_rules.find(({ source_matchers }: Yaml) =>
      source_matchers.includes('alertname = "CofferDatabaseUnreachable"')
    )
    const [, names] = /^alertname =~ "Coffer\((.*)\)"$/.exec(target_matchers[0])!
    assert.sameMembers(
      alerts.map(({ alert }) => alert),
      ["CofferDatabaseUnreachable", ...aloneInAnOutage, ...names!.split("|").map((name) => `Coffer${name}`)]
    )
  })

  it("Alertmanager's example names alerts that there are, and keeps installations apart", () => {
    const { inhibit_rules } = readYaml("ops/prometheus/alertmanager.yaml")[0]
    const known = new Set(alerts.map(({ alert }) => alert))
    for (const { equal, source_matchers, target_matchers } of inhibit_rules) {
      assert.include(equal, "job")
      for (const matcher of [...source_matchers, ...target_matchers].filter((each) => !each.startsWith("severity "))) {
        const [, text] = /"(.*)"/.exec(matcher)!
        const [, names] = /^Coffer\((.*)\)$/.exec(text!) ?? []
        for (const name of names === undefined ? [text!] : names.split("|").map((each) => `Coffer${each}`)) {
          assert.isTrue(known.has(name), name)
        }
      }
    }
  })
})

describe("the dashboard", () => {
  it("names each panel once, on a grid without overlaps, and reads from the data source that is chosen", () => {
    const cells = new Set<string>()
    for (const { datasource, gridPos, targets } of panels) {
      assert.strictEqual(datasource.uid, "${datasource}")
      assert.isNotEmpty(targets)
      assert.isAtMost(gridPos.x + gridPos.w, 24)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          assert.isFalse(cells.has(`${x} ${y}`), `two panels at ${x}, ${y}`)
          cells.add(`${x} ${y}`)
        }
      }
    }
    const ids = dashboard.panels.map(({ id }: Yaml) => id)
    assert.strictEqual(new Set(ids).size, ids.length)
  })
})

/** Debian's package `prometheus` has it; `.ci/run` installs it. */
const hasPromtool = spawnSync("promtool", ["--version"]).status === 0

describe.skipIf(!hasPromtool)("promtool, of Debian's package prometheus,", () => {
  const promtool = (...words: ReadonlyArray<string>) => execFileSync("promtool", words, { encoding: "utf8" })

  it("finds no mistake in the rules and in the settings of Prometheus", () => {
    assert.include(promtool("check", "rules", rulesFile), "SUCCESS")
    assert.include(promtool("check", "config", "--syntax-only", "ops/prometheus/prometheus.yaml"), "SUCCESS")
  })

  it("sees the alerts come when they should, and stay away when they should not", () => {
    assert.include(promtool("test", "rules", "ops/prometheus/alerts.test.yaml"), "SUCCESS")
  })
})
