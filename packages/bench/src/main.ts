/**
 * `npm run bench`: starts a real Postgres, Coffer, the baselines and the ceiling, puts one load on each in turn, and
 * prints the results. docs/performance.md explains the figures.
 */
import { type Bench, open } from "./Bench.ts"
import { curves } from "./curve.ts"
import { newEvents } from "./deliveries/newEvent.ts"
import { raceDeliveries } from "./deliveries/race.ts"
import { memory, startUp } from "./extras.ts"
import { raceLedgers } from "./ledgers/race.ts"
import { lonely, lonelyText } from "./lonely.ts"
import { mustScenarios } from "./must.ts"
import { BadOption, isNamed, type Options, readOptions, usage } from "./options.ts"
import { headOf } from "./report/machine.ts"
import { publish } from "./report/page.ts"
import { openRaw, type RawLine, readRawFile } from "./report/raw.ts"
import { sectionsOf, textOf } from "./report/sections.ts"
import { say } from "./say.ts"
import { scenarios } from "./scenarios.ts"
import { soak } from "./soak.ts"
import { isComparable, together, togetherText } from "./together.ts"
import { weigh } from "./weight.ts"

/** Measured if nothing is named; without `deliveries-new`, `lonely` and scenarios that are `byName`. */
const others = ["curve", "ledgers", "start-up", "memory", "weight", "deliveries"]
const names = [
  ...new Set([
    ...scenarios.flatMap(({ also = [], key }) => [key, ...also]),
    ...others,
    "must",
    "deliveries-new",
    "lonely",
    "soak"
  ])
]

const optionsOf = (words: ReadonlyArray<string>): Options | undefined => {
  try {
    return readOptions(words, names)
  } catch (cause) {
    if (!(cause instanceof BadOption)) throw cause
    console.error(cause.message)
    process.exit(2)
  }
}

const lines: Array<RawLine> = []
let append = (_: RawLine): void => undefined
const tell = (line: RawLine) => {
  lines.push(line)
  append(line)
}

/** The first line, which names the file. */
const begin = (options: Options, version: string) => {
  const head = headOf(version, options)
  if (options.raw !== undefined) {
    const raw = openRaw(options.raw, head)
    ;({ append } = raw)
    say(`Writing ${raw.file}`)
  }
  tell({ kind: "run", ...head })
}

const measure = async (bench: Bench, options: Options): Promise<void> => {
  const isWanted = (...keys: ReadonlyArray<string>) =>
    keys.some((key) => options.only.some((name) => isNamed(name, key)))
  const isOther = (key: string) => isWanted(key) || (options.only.length === 0 && others.includes(key))
  const isMust = options.only.includes("must")
  const wanted = scenarios.filter(({ also = [], byName, key }) =>
    options.only.length === 0 ? byName !== true : isWanted(key, ...also)
  )
  if (options.together) {
    console.log(togetherText(await together(bench, options, wanted.filter(isComparable))))
    return
  }
  for (const pair of Map.groupBy(
    [...(isMust ? mustScenarios : []), ...wanted],
    ({ key, pair }) => pair ?? key
  ).values()) {
    say(pair.map(({ title }) => title).join("; "))
    await bench.run(pair, ({ key, title }, round) => tell({ kind: "round", key, title, round }))
  }
  const own = options.before === undefined ? (["service"] as const) : (["before", "service"] as const)
  if (isOther("curve")) {
    say("rate against latency")
    await curves(bench, options, (point) => tell({ kind: "point", ...point }))
  }
  if (isOther("ledgers")) {
    say("ledgers")
    await raceLedgers(bench, options, (leg) => tell({ kind: "ledger", ...leg }))
  }
  if (isOther("start-up") || isMust) {
    say("start-up")
    await startUp(bench, options, isMust ? own : [...own, "script"], (start) => tell({ kind: "start", ...start }))
  }
  if (isOther("memory") || isMust) {
    say("memory under payments")
    for (const side of own) tell({ kind: "memory", ...(await memory(bench, options, side)) })
  }
  if (isOther("weight")) {
    say("what an order and its payment weigh in Postgres")
    tell({ kind: "weights", weights: await weigh(bench, options) })
  }
  if (isWanted("lonely")) {
    say("payments that come alone")
    console.log(lonelyText(await lonely(bench, options)))
  }
  if (isOther("deliveries")) {
    say("deliveries")
    // A round takes most of a minute: two are enough when everything is measured.
    const rounds = isWanted("deliveries") ? options.rounds : Math.min(2, options.rounds)
    await raceDeliveries(bench.postgres, { ...options, rounds }, (leg) => tell({ kind: "delivery", ...leg }))
  }
  if (isWanted("deliveries-new")) {
    say("new events")
    tell({ kind: "new-events", ...(await newEvents(bench.postgres)) })
  }
}

const ended = new AbortController()
const isEnded = new Promise<void>((resolve) => ended.signal.addEventListener("abort", () => resolve()))

const perform = async (options: Options): Promise<void> => {
  if (options.from !== undefined) {
    lines.push(...readRawFile(options.from))
    return
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => ended.abort())
  if (options.only.includes("soak")) {
    await soak(options, {
      ended: ended.signal,
      started: (version) => begin(options, version),
      tell: (minute) => tell({ kind: "minute", ...minute }),
      whole: (ledgerRows) => tell({ kind: "soak-books", ledgerRows })
    })
    return
  }
  const began = performance.now()
  const bench = await open(options)
  begin(options, bench.postgres.version)
  try {
    await Promise.race([measure(bench, options), isEnded])
  } finally {
    say(`Stopping, after ${Math.round((performance.now() - began) / 1_000)} s`)
    await bench.close()
  }
}

const options = optionsOf(process.argv.slice(2))
if (options === undefined) console.log(usage)
else {
  try {
    await perform(options)
  } finally {
    // After a failure or Ctrl-C, the results so far are still worth printing.
    console.log(textOf(sectionsOf(lines)))
  }
  // A soak may end early; any other run is then incomplete.
  if (ended.signal.aborted && !options.only.includes("soak")) process.exit(1)
  if (options.write) await publish(sectionsOf(lines))
}
