/** The bench's options, its raw file, and the report that is made of it. */
import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { BadOption, readOptions } from "../../packages/bench/src/options.ts"
import { filled } from "../../packages/bench/src/report/page.ts"
import { type Head, openRaw, type RawLine, rawText, readRaw, readRawFile } from "../../packages/bench/src/report/raw.ts"
import { sectionsOf } from "../../packages/bench/src/report/sections.ts"
import type { Round } from "../../packages/bench/src/Scenario.ts"
import type { SideName } from "../../packages/bench/src/stage/Sides.ts"

const names = ["create", "create-keyed", "curve", "soak"]
const read = (...words: ReadonlyArray<string>) => readOptions(words, names)!
const refusal = (...words: ReadonlyArray<string>) => {
  try {
    read(...words)
    return undefined
  } catch (cause) {
    assert.instanceOf(cause, BadOption)
    return (cause as BadOption).message
  }
}

describe("bench: options", () => {
  it("a bad one is refused by its name", () => {
    for (const [name, ...bad] of [
      ["rounds", "0", "1.5", "x", "", "-1", "Infinity"],
      ["seconds", "0", "x", "NaN"],
      ["warmup", "-1"],
      ["connections", "0", "2.5"],
      ["bound", "-1"],
      ["hours", "0"],
      ["rate", "0"],
      ["every", "0"]
    ] as const) {
      for (const text of bad) assert.match(refusal(`--${name}=${text}`) ?? "", new RegExp(`^--${name} `), text)
    }
  })

  it("an unknown name, an unknown side and a missing folder are refused", () => {
    assert.match(refusal("--only", "creates") ?? "", /^--only .*"creates".* create-keyed/)
    assert.match(refusal("--sides", "service,nobody") ?? "", /^--sides .*"nobody"/)
    assert.match(refusal("--from", "/nowhere/at-all.jsonl") ?? "", /^--from/)
    assert.match(refusal("--before", "/nowhere/at-all") ?? "", /^--before/)
    assert.match(refusal("--roundz", "3") ?? "", /--roundz/)
  })

  it("a soak writes its lines somewhere, and stands alone", () => {
    assert.match(refusal("--only", "soak") ?? "", /^--raw/)
    assert.match(refusal("--only", "soak,curve", "--raw", "raw") ?? "", /^--only soak/)
    assert.strictEqual(read("--only", "soak", "--raw", "raw", "--hours", "0.5").soak.hours, 0.5)
  })

  it("what is measured together with another version needs that version", () => {
    assert.match(refusal("--only", "create", "--together") ?? "", /^--together needs --before/)
    assert.isTrue(read("--only", "create", "--together", "--before", ".").together)
  })

  it("the first part of a name stands for all that begin so", () => {
    assert.deepStrictEqual(read("--only", "create,curve").only, ["create", "curve"])
    assert.strictEqual(refusal("--only", "create-keyed"), undefined)
  })
})

const { before: _, from: _from, raw: _raw, ...options } = read()
const head: Head = {
  at: "2026-11-26T21:00:00.000Z",
  commit: "0123456789abcdef",
  machine: [["Memory", "1 GiB"]],
  options
}

const round = (side: SideName, perSecond: number, micros: number): Round => ({
  side,
  summary: {
    requests: 100,
    perSecond,
    millis: 1_000,
    latencies: [
      [1_000, 98],
      [60_159, 2]
    ],
    driverMicros: 10,
    unavailable: 0
  },
  cpu: { side: micros, postgres: 100, driver: 10 },
  counted: { bytes: 1_000, fibers: Number.NaN, steps: 50 },
  idle: { side: 1, postgres: undefined },
  ledgerRows: 4
})

const minute = (seconds: number) => ({
  kind: "minute" as const,
  seconds,
  rate: 100,
  summary: round("service", 99.5, 1).summary,
  cpu: { side: 300, postgres: undefined },
  memoryBytes: 300_000_000,
  deadRows: 10,
  liveRows: 90,
  tableBytes: 1_048_576,
  indexBytes: 1_048_576,
  diskBytes: 2_097_152,
  logBytes: 1_048_576
})

const lines: ReadonlyArray<RawLine> = [
  { kind: "run", ...head },
  { kind: "round", key: "pay-spread", title: "pay", round: round("service", 2_000, 400) },
  { kind: "round", key: "pay-spread", title: "pay", round: round("script", 1_000, 900) },
  { kind: "round", key: "pay-lonely", title: "pay, 4 connections", round: round("service", 300, 2_400) },
  ...["standby", "flush-3", "runners-pay-2", "engines"].map((key) => ({
    kind: "round" as const,
    key,
    title: key,
    round: round("service", 900, 700)
  })),
  { kind: "point", key: "pay-spread", title: "pay", round: round("service", 2_000, 400) },
  { kind: "point", key: "pay-spread", title: "pay", rate: 2_000, round: round("service", 1_990, 300) },
  {
    kind: "ledger",
    way: "batched",
    isHot: true,
    summary: round("service", 9_000, 1).summary,
    cpu: { side: 20, postgres: 80 }
  },
  { kind: "start", side: "service", millis: 650 },
  { kind: "memory", side: "service", payments: 100_000, before: 200_000_000, after: 300_000_000 },
  {
    kind: "weights",
    weights: [
      {
        side: "service",
        orders: 10,
        create: {
          entries: 9,
          entriesByIndex: new Map([["orders_pkey", 1]]),
          walBytes: 1,
          fullPageBytes: 2,
          cpu: [1, 2]
        },
        pay: { entries: 9, entriesByIndex: new Map(), walBytes: 1, fullPageBytes: 2, cpu: [1, Number.NaN] },
        disk: new Map([["orders", { rows: 800, indexes: new Map([["orders_pkey", 90]]) }]]),
        hot: new Map([["wallets", 0.94]])
      }
    ]
  },
  { kind: "delivery", side: "service", perSecond: 3_000, cpu: { side: 290, store: 124, sink: 52 }, walBytes: 1_648 },
  minute(60),
  minute(120),
  { kind: "soak-books", ledgerRows: 1_000 }
]

const sectionOf = (name: string) => sectionsOf(lines).find((section) => section.name === name)!.text

describe("bench: the report", () => {
  it("is the same when it is made again from the file of the run", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "coffer-bench-raw-"))
    try {
      const { append, file } = openRaw(path.join(folder, "raw"), head)
      for (const line of lines) append(line)
      assert.deepStrictEqual(sectionsOf(readRawFile(file)), sectionsOf(lines))
      // The process was killed while it wrote.
      const whole = lines.map(rawText).join("")
      writeFileSync(file, whole.slice(0, -10))
      assert.deepStrictEqual(readRawFile(file), readRaw(lines.slice(0, -1).map(rawText).join("")))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("begins with payments a core-second: busy, at the knee, and lonely", () => {
    const [first] = sectionsOf(lines)
    assert.strictEqual(first!.name, "payments")
    assert.match(
      first!.text,
      /\*\*2,000\*\* in a closed loop.*\*\*2,500\*\* in an open loop at the knee, 2,000 a second.*\*\*400\*\* with 4/
    )
  })

  it("has medians, and ratios to the rivals", () =>
    assert.match(sectionOf("closed"), /\| pay \| Coffer \| 2,000 \| 2,000 \| 2\.00 × \|/))

  it("names the aims that were measured, and whether they are reached", () => {
    const must = sectionOf("must").split("\n")
    assert.strictEqual(must.length, 2 + 4)
    assert.match(sectionOf("must"), /service and Postgres \| 740 µs \| at most 550 µs \|  \| 500 µs \| yes \|/)
    assert.match(sectionOf("must"), /start to ready.*\| at most 0\.7 s \|  \| 0\.65 s \| yes \|/)
  })

  it("of a soak says whether the books were whole", () => {
    assert.include(sectionOf("soak"), "the books were whole: 1,000 rows")
    const cut = sectionsOf(lines.filter(({ kind }) => kind !== "soak-books"))
    assert.notInclude(cut.find(({ name }) => name === "soak")!.text, "whole")
  })
})

describe("bench: the page", () => {
  it("has a place for each section of a run", () => {
    const places = [...readFileSync("docs/performance.md", "utf8").matchAll(/<!-- bench: ([a-z]+) -->\n/g)]
    assert.sameMembers(
      places.map(([, name]) => name!),
      sectionsOf(lines).map(({ name }) => name)
    )
  })

  const page =
    "# Speed\n\n<!-- bench: curve -->\nold\n<!-- bench end -->\n\nwords\n\n<!-- bench: soak -->\n<!-- bench end -->\n"

  it("gets what was measured between its marks, and keeps the rest", () =>
    assert.strictEqual(
      filled(page, [{ name: "curve", text: "$& new", pictures: [{ name: "curve", title: "Rate", svg: "" }] }]),
      page.replace("\nold\n", () => "\n\n$& new\n\n![Rate](performance/curve.svg)\n\n")
    ))
})
