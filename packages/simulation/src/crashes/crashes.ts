/**
 * Kills the runner at each write of a workflow, before Postgres begins with it and after it is done, starts another in
 * its place, and sends the request again. Whatever happened, the end is that of a world without a crash.
 */
import { diceOf } from "../dice.ts"
import type { Client } from "../gate/Client.ts"
import type { Side } from "../gate/Gate.ts"
import { type Unit, writes } from "../gate/units.ts"
import { inWorld, type InWorld, type Place, startReady } from "../play/inWorld.ts"
import { brokenLaws } from "../play/laws.ts"
import { operatorToken, type Reply } from "../play/Runners.ts"
import { newSandboxMerchant } from "../play/Story.ts"
import { calm, Weather } from "../Weather.ts"
import { callers } from "../owners.ts"
import { isFinal, type Request, type Workflow } from "./workflows.ts"

/** Where a runner dies: at which write, counted from the request on, and on which side of it. */
interface Point {
  readonly write: number
  readonly side: Side
}

export interface Row {
  /** The tables that the write changes. */
  readonly tables: string
  readonly side: Side
  /** What is there when another runner has taken over, and before the request comes again. */
  readonly recovered: string
  /** Of the request that is sent again. */
  readonly answer: string
}

const seed = 1
/** Another runner is there after so long, and goes on so long before it is looked at: longer than a lease. */
const downMillis = 1_000
const restMillis = 20_000
const pauseMillis = 500
const pollMillis = 5_000

/** What a merchant can see of money. Requests, logs and what only speeds up are not counted. */
const counted = ["orders", "refunds", "disputes", "payouts", "payment_links", "ledger", "events"]
const written = [
  ...counted,
  "idempotency_keys",
  "wallets",
  "dispute_evidence",
  "sandbox_payments",
  "sandbox_refunds",
  "sandbox_disputes"
]

/** Workers lease what is due, and look for it every second; old keys are dropped. */
const isHousekeeping = (text: string) => /skip locked|delete from idempotency_keys/i.test(text)

const tablesOf = ({ texts }: Unit): ReadonlyArray<string> => {
  const found = texts.flatMap((text) =>
    isHousekeeping(text)
      ? []
      : [...text.matchAll(/\b(?:insert into|update|delete from)\s+"?([a-z_]+)/gi)].map(([, table]) => table!)
  )
  return written.filter((table) => found.includes(table))
}

type State = Readonly<Record<string, string>>

/** What a wallet has in all; several rows may lead to it. */
const sums = ["available", "frozen"]

const stateOf = async (control: Client): Promise<State> => {
  const counts = counted.map((table) => `(select count(*) from ${table})`)
  const amounts = sums.map((name) => `(select coalesce(sum(${name}), 0) from wallets)`)
  const statuses = ["orders", "refunds", "disputes", "payouts"].map(
    (table) => `(select string_agg(status, ', ' order by 1) from ${table})`
  )
  const metadata = "(select string_agg(metadata::text, ', ') from orders where metadata <> '{}')"
  const hold = `(select string_agg(case when hold ? 'captured' then 'captured' when hold ? 'released'
    then hold ->> 'released' when hold ? 'request' then 'asked for' else 'there' end, ', ') from orders
    where hold ? 'payment')`
  const [row] = await control.query(`select ${[...counts, ...amounts, ...statuses, metadata, hold].join()}`)
  const names = [...counted, ...sums, "order", "refund", "dispute", "payout", "metadata", "hold"]
  return Object.fromEntries(names.map((name, place) => [name, row![place] ?? ""]))
}

/** The new status of an object, how many rows there are more, and what the wallet has more or less. */
const changesOf = (before: State, after: State): ReadonlyMap<string, string> =>
  new Map(
    Object.keys(after)
      .filter((name) => before[name] !== after[name])
      .map((name) => {
        if (![...counted, ...sums].includes(name)) return [name, `the ${name} is ${after[name]}`]
        const more = Number(after[name]) - Number(before[name])
        return [name, `${name} ${more > 0 ? "+" : "−"}${Math.abs(more)}`]
      })
  )

const textOf = (changes: ReadonlyMap<string, string>) =>
  changes.size === 0 ? "nothing" : [...changes.values()].join(", ")

/** A refund that waits for its bank is booked in two rows, and one that does not in one. */
const isSameEnd = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>) =>
  [one, other].every((changes) =>
    [...changes].every(([name]) => name === "ledger" || one.get(name) === other.get(name))
  )

interface Ended {
  /** The writes from the request on, by their tables. */
  readonly writes: Array<string>
  recovered: string
  answer: string
  end: ReadonlyMap<string, string>
  /** Whether nothing was sent again, so that all or nothing of it is there. */
  isRead: boolean
  broken: ReadonlyArray<string>
}

const answerIn = ({ headers, status, text }: Reply) => {
  const { error } = JSON.parse(text) as { error?: string }
  const reason = headers["coffer-reason"]
  return [
    String(status),
    ...(error === undefined ? [] : [` \`${error}\``]),
    ...(reason === undefined ? [] : [` (${String(reason)})`]),
    ...(headers["idempotent-replayed"] === "true" ? [", replayed"] : [])
  ].join("")
}

/** Notes the writes from now on, and kills the runner at the point. Resolves when it is dead. */
const watchWrites = ({ gate, world }: InWorld, found: Array<string>, point: Point | undefined) => {
  gate.crashes = (unit, side) => {
    const tables = writes(unit) ? tablesOf(unit) : []
    if (tables.length === 0) return false
    if (side === "before") found.push(tables.join(", "))
    return point !== undefined && found.length - 1 === point.write && side === point.side
  }
  return new Promise<void>((resolve) => {
    world.whenKilled = () => world.task(resolve, callers)
  })
}

/** Requests as the merchant sends them, or its operator. */
const makeAsk =
  ({ runners }: InWorld, merchantKey: string) =>
  ({ body, isOperators, key, path }: Request, method = "POST") => {
    const who = isOperators === true ? { authorization: `Bearer ${operatorToken}` } : { "x-api-key": merchantKey }
    return runners.call(1, method, path, { ...who, ...(key === undefined ? {} : { "idempotency-key": key }) }, body)
  }

const playOne = async (place: Place, { prepare }: Workflow, point: Point | undefined): Promise<Ended> => {
  const ended: Ended = { writes: [], recovered: "", answer: "", end: new Map(), isRead: false, broken: [] }
  const tell = async (made: InWorld) => {
    const { control, gate, runners, world } = made
    await startReady(world, runners, 1)
    const { merchantId, sandboxKey } = await newSandboxMerchant(runners)
    const ask = makeAsk(made, sandboxKey)
    const request = await prepare(async (each) => {
      const { status, text } = await ask(each)
      if (status < 200 || status > 299) throw new Error(`${each.path}: ${status} ${text}`)
      return (JSON.parse(text) as { data: Record<string, unknown> }).data
    }, merchantId)
    const { reads } = request
    ended.isRead = reads !== undefined
    await world.sleep(restMillis)
    const before = await world.holding(() => stateOf(control))
    const changes = async () => changesOf(before, await world.holding(() => stateOf(control)))

    const dead = watchWrites(made, ended.writes, point)
    let reply: Reply | undefined
    const first = ask(request).then((answered) => void (reply = answered))
    if (point === undefined) await first
    else {
      await dead
      gate.crashes = undefined
      await world.sleep(downMillis)
      await runners.replace(1)
      await runners.untilReady(1)
      await world.sleep(restMillis)
      ended.recovered = textOf(await changes())
      const askAgain = () => (reads === undefined ? ask(request) : ask({ path: reads }, "GET"))
      for (reply = await askAgain(); !isFinal(reply); reply = await askAgain()) await world.sleep(pauseMillis)
    }
    await world.sleep(restMillis)
    gate.crashes = undefined
    ended.answer = answerIn(reply!)
    ended.end = await changes()
  }
  const none = { done: [], refused: [], broken: [] }
  const weather = new Weather(diceOf(seed), calm, new Set())
  const { broken } = await inWorld(
    place,
    { seed, places: 1, pollMillis, weather, showsBytes: false },
    tell,
    ({ control, url }) => brokenLaws(url, control, none)
  )
  return { ...ended, broken }
}

export interface Table {
  readonly name: string
  readonly answer: string
  readonly end: string
  readonly rows: ReadonlyArray<Row>
  /** Ends that are not that of a world without a crash, and laws that are broken. */
  readonly broken: ReadonlyArray<string>
}

export const tableOf = async (place: Place, workflow: Workflow): Promise<Table> => {
  const calmly = await playOne(place, workflow, undefined)
  const broken = [...calmly.broken]
  const rows: Array<Row> = []
  for (const [write, tables] of calmly.writes.entries()) {
    for (const side of ["before", "after"] as const) {
      const { answer, broken: laws, end, recovered } = await playOne(place, workflow, { write, side })
      rows.push({ tables, side, recovered, answer })
      const where = `${workflow.name}, ended ${side} ${tables}`
      broken.push(...laws.map((law) => `${where}: ${law}`))
      if (!isSameEnd(end, calmly.end) && !(calmly.isRead && end.size === 0))
        broken.push(`${where}: ${textOf(end)}, and without a crash ${textOf(calmly.end)}`)
    }
  }
  return { name: workflow.name, answer: calmly.answer, end: textOf(calmly.end), rows, broken }
}
