/**
 * The callers of a world, and their answers. Each has its own order; some send a request twice concurrently, and all
 * retry with the same key until they have an answer. What each kind of caller does is in `acts/`.
 */
import { Effect } from "effect"
import { newMerchant } from "../../../testkit/src/newMerchant.ts"
import { type Dice, diceOf } from "../dice.ts"
import type { Kind } from "../Weather.ts"
import type { World } from "../World.ts"
import type { Act } from "./acts/kinds.ts"
import { KeysInUse } from "./keysInUse.ts"
import { Readiness } from "./readiness.ts"
import type { Receiver } from "./Receiver.ts"
import { operatorToken, type Reply, type Runners } from "./Runners.ts"

/** A request that was acknowledged. */
export interface Done {
  readonly key: string
  readonly act:
    | "create"
    | "pay"
    | "note"
    | "name"
    | "refund"
    | "expire"
    | "dispute"
    | "payout"
    | "link"
    | "erase"
    | "capture"
    | "cancel"
  readonly tradeNo: string
  /** What the act made or set: a number, the note, the name, or the status. */
  readonly detail?: string
}

export interface Outcome {
  readonly done: Array<Done>
  /** Merchants' numbers of refunds that were refused. */
  readonly refused: Array<string>
  /** Answers that must not occur. */
  readonly broken: Array<string>
}

export type Data = Readonly<Record<string, unknown>>
interface Envelope {
  readonly data: Data
}

export interface Request {
  readonly path: string
  readonly method?: "GET" | "POST"
  readonly key?: string
  /** A text is the form of a page. */
  readonly body?: object | string
  /** With the merchant's key unless it is another's. */
  readonly of?: "operator" | "buyer"
  /** Another key of a merchant. */
  readonly apiKey?: string
  /** It is not sent again, whatever the answer. */
  readonly once?: boolean
}

const work: ReadonlyArray<readonly [path: RegExp, name: string]> = [
  [/\/refunds$/, "a refund"],
  [/\/pay$/, "a payment"],
  [/\/orders$/, "a creation"],
  [/\/disputes?(\/|$)/, "a dispute"],
  [/\/payouts(\/|$)/, "a payout"],
  [/^\/(checkout|pay|l)\//, "a buyer's visit"]
]

const textOf = (answer: object, field: string) => JSON.stringify(Reflect.get(answer, field))

const triesMax = 40
/** For an object that another caller is changing. */
const passing = ["buyer_busy", "remaining_changed"]
export const reasonOf = ({ headers }: Reply) => headers["coffer-reason"]
/** Whether a retry would get the same answer, unlike that for a key in use. */
export const isFinal = (reply: Reply) => {
  const isConflict = reply.text.includes('"error":"conflict"') && !passing.includes(String(reasonOf(reply)))
  if (reply.status === 409) return isConflict
  return reply.status !== 0 && reply.status < 500 && reply.status !== 429
}
export const isGood = ({ status }: Reply) => status >= 200 && status < 300
export const dataOf = ({ text }: Reply) => (JSON.parse(text) as Envelope).data

const asOperator = { authorization: `Bearer ${operatorToken}` }

/** Its quotas are out of the way. */
export const newSandboxMerchant = (runners: Runners) => {
  const post = (path: string, body: object) =>
    Effect.promise(async () => {
      const { status, text } = await runners.call(1, "POST", `/operator/v1${path}`, asOperator, body)
      if (status >= 300 || status === 0) throw new Error(`${path}: ${status} ${text}`)
      return (JSON.parse(text) as Envelope).data
    })
  return Effect.runPromise(newMerchant(post, "Simulated", { quotas: "raised" }))
}

interface UnderWay {
  readonly place: number
  readonly path: string
  readonly key: string | undefined
  readonly since: number
}

/** By then a request has arrived at a runner. */
const arrivalMillis = 50
/** So soon after it is told to stop a runner has broken nothing off. */
const breakMillis = 20
/** What may end a request in that very moment without the stop. */
const breaking: ReadonlySet<Kind> = new Set(["cut", "slow", "line", "kill", "pause", "refuse", "lock"])

export class Story {
  readonly outcome: Outcome = { done: [], refused: [], broken: [] }
  readonly readiness: Readiness
  readonly world: World
  merchantId = ""
  /** A merchant whose clock is moved. */
  other = { apiKey: "" }
  /** The orders that somebody has seen who follows the list, and the newest of them. */
  followed: { readonly passed: ReadonlySet<string>; readonly newest: string | undefined } | undefined
  /** Each has a balance that one caller has for itself. */
  readonly ownCurrencies = ["CNY", "HKD"]
  /** How often each address was asked. */
  readonly calls = new Map<string, number>()
  private readonly answers = new Map<string, object>()
  private key = ""
  private readonly runners: Runners
  readonly receiver: Receiver
  /** Requests that are not answered yet. */
  private readonly underWay = new Set<UnderWay>()
  private readonly keysInUse = new KeysInUse()
  /** By slot: when its runner was last told to stop, and the requests that were broken off then. */
  private readonly stops = new Map<number, { readonly at: number; readonly broken: Array<string> }>()

  constructor(world: World, runners: Runners, receiver: Receiver) {
    this.world = world
    this.runners = runners
    this.receiver = receiver
    this.readiness = new Readiness(world, runners)
  }

  async begin() {
    const { merchantId, sandboxKey } = await newSandboxMerchant(this.runners)
    this.key = sandboxKey
    this.merchantId = merchantId
    this.other = { apiKey: (await newSandboxMerchant(this.runners)).sandboxKey }
    this.receiver.listen((text) => this.isAwaited(text))
    const endpoint = { url: this.receiver.url, enabled_events: ["*"] }
    const prepare = async (path: string, headers: Readonly<Record<string, string>>, body: object) => {
      const made = await this.runners.call(1, "POST", path, headers, body)
      if (!isGood(made)) throw new Error(`${path}: ${made.status} ${made.text}`)
    }
    for (const key of [sandboxKey, this.other.apiKey]) {
      await prepare("/v1/webhook_endpoints", { "x-api-key": key }, endpoint)
    }
    await prepare(`/operator/v1/merchants/${merchantId}`, asOperator, { payout_fee: { USD: 25 } })
  }

  /** All callers at once. The kinds of the first ones are the same with fewer callers. */
  async run(kinds: ReadonlyArray<Act>, callers: number) {
    const order = shuffled(kinds, diceOf(this.world.seed ^ 0x1b873593))
    await Promise.all(Array.from({ length: callers }, (_, no) => order[no % order.length]!(this, no)))
  }

  /** An order of the caller. Undefined if it was refused. */
  async create(no: number, terms: object = {}, as: Pick<Request, "apiKey"> = {}): Promise<Data | undefined> {
    const { world } = this
    await world.sleep(world.dice.below(20))
    const key = `order-${no}`
    // Some orders have an address of their own for their events.
    const notify = world.dice.chance(0.3) ? { notify_url: `${this.receiver.url}/order` } : {}
    const amount = 1_000 + world.dice.below(9_000)
    const body = { amount, currency: "USD", subject: `Order ${no}`, ...notify, ...terms }
    const replies = await this.twice(() => this.ask(no, { path: "/v1/orders", key, body, ...as }))
    const made = replies.filter(isGood).map(dataOf)
    const numbers = new Set(made.map((order) => order["trade_no"]))
    if (numbers.size > 1) this.outcome.broken.push(`${key} made ${[...numbers].join(" and ")}`)
    const [order] = made
    if (order !== undefined) this.done("create", String(order["trade_no"]), key)
    return order
  }

  /** An order that is paid by the test helper. */
  async paid(no: number): Promise<string | undefined> {
    const order = await this.create(no)
    if (order === undefined) return undefined
    const tradeNo = String(order["trade_no"])
    const reply = await this.ask(no, { path: `/v1/test_helpers/orders/${tradeNo}/pay`, body: {} })
    if (!isGood(reply)) return undefined
    this.done("pay", tradeNo)
    return tradeNo
  }

  done(act: Done["act"], tradeNo: string, key = "", detail?: string) {
    this.outcome.done.push({ key, act, tradeNo, ...(detail === undefined ? {} : { detail }) })
  }

  async twice(ask: () => Promise<Reply>): Promise<ReadonlyArray<Reply>> {
    return this.world.dice.chance(0.4) ? Promise.all([ask(), ask()]) : [await ask()]
  }

  get places() {
    return this.runners.places
  }

  /** Retries until a final answer. Some repeat the call afterwards, like a caller who lost the answer. */
  async ask(no: number, { apiKey = this.key, body, key, method = "POST", of, once = false, path }: Request) {
    const { world } = this
    for (let tries = 1; ; tries++) {
      const place = 1 + world.dice.below(this.runners.places)
      const who = of === undefined ? { "x-api-key": apiKey } : of === "operator" ? asOperator : asBuyer
      const headers = { ...who, ...(key === undefined ? {} : { "idempotency-key": key }) }
      const waiting = { place, path, key, since: world.now }
      this.calls.set(path, (this.calls.get(path) ?? 0) + 1)
      this.underWay.add(waiting)
      const reply = await this.runners.call(place, method, path, headers, body)
      this.underWay.delete(waiting)
      const shown = of === "buyer" ? reply.text.length : reply.text
      world.note(`caller ${no} asks runner ${place} ${path} ${key ?? ""} (${tries}) = ${reply.status} ${shown}`)
      if (of !== "buyer") this.judge(key, reply)
      this.judgeEnd(waiting, reply)
      this.readiness.hear(place, method, path, reply)
      if (reply.headers["idempotent-replayed"] === "true") world.mark("an answer was given again")
      if (reply.status >= 500) world.mark(`a caller got ${reply.status}`)
      if (reply.status === 0) world.mark("a caller got no answer")
      if (reply.text.includes("idempotency_in_progress")) world.mark("a key was in use")
      const isLast = isFinal(reply) ? key === undefined || !world.dice.chance(0.2) : tries >= triesMax
      if (isLast || once) return reply
      await world.sleep(50 + world.dice.below(Math.min(3_000, 400 * tries)))
    }
  }

  /** What a runner has under way when it is killed or paused. */
  markUnderWay(place: number, what: string) {
    for (const waiting of this.underWay) {
      const name = waiting.place === place ? work.find(([path]) => path.test(waiting.path))?.[1] : undefined
      if (name !== undefined) this.world.mark(`a runner was ${what} in the middle of ${name}`)
    }
  }

  /** A runner is told to stop in good order. */
  stopping(place: number) {
    this.stops.set(place, { at: this.world.now, broken: [] })
  }

  /** What a runner had begun when it was told to stop is answered; a key is free when its requests are. */
  private judgeEnd({ key, path, place, since }: UnderWay, reply: Reply) {
    const { broken } = this.outcome
    const { now } = this.world
    const stop = this.stops.get(place)
    const isBroken = reply.status === 0 || reply.status >= 500
    if (stop !== undefined && isBroken && since + arrivalMillis < stop.at && now - stop.at < breakMillis) {
      stop.broken.push(path)
      const isCalm = !this.receiver.weather.events.some(({ kind }) => breaking.has(kind))
      // One may have come to its end by itself.
      if (isCalm && stop.broken.length === 2) {
        broken.push(`runner ${place} was stopped, and broke off ${stop.broken.join(" and ")}`)
      }
    }
    if (key === undefined) return
    const isAlone = ![...this.underWay].some((other) => other.key === key)
    const inUse = this.keysInUse.hear(key, reply, now, isAlone)
    if (inUse !== undefined) broken.push(inUse)
  }

  /** Whether a request about an object of this event waits for its answer. */
  private isAwaited(event: string) {
    return [...this.underWay].some(({ path }) =>
      path.split("/").some((part) => part.length > 20 && event.includes(part))
    )
  }

  /** All successful answers of one key are equal. */
  private judge(key: string | undefined, reply: Reply) {
    if (key === undefined || !isGood(reply)) return
    const answer = { status: reply.status, ...dataOf(reply) }
    const before = this.answers.get(key) ?? answer
    const different = Object.keys(answer).filter((field) => textOf(before, field) !== textOf(answer, field))
    if (different.length > 0) {
      const texts = different.map((field) => `${field} ${textOf(before, field)} and ${textOf(answer, field)}`)
      this.outcome.broken.push(`${key} was answered with ${texts.join(", with ")}`)
    }
    this.answers.set(key, answer)
  }
}

const asBuyer = {
  host: "coffer.test",
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0",
  accept: "text/html"
}

const shuffled = <A>(things: ReadonlyArray<A>, dice: Dice): ReadonlyArray<A> => {
  const left = [...things]
  return things.map(() => left.splice(dice.below(left.length), 1)[0]!)
}
