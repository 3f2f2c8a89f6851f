/**
 * The callers of a world, and their answers. Each has its own order; some send a request twice concurrently, and all
 * retry with the same key until they have an answer.
 */
import { Effect } from "effect"
import { newMerchant } from "../../../testkit/src/newMerchant.ts"
import type { World } from "../World.ts"
import { Readiness } from "./readiness.ts"
import { operatorToken, type Reply, type Runners } from "./Runners.ts"

/** A request that was acknowledged. */
export interface Done {
  readonly key: string
  readonly act: "create" | "pay" | "note" | "name" | "refund" | "expire"
  readonly tradeNo: string
  /** A refund's number, the note, or the name. */
  readonly detail?: string
}

export interface Outcome {
  readonly done: Array<Done>
  /** Merchants' numbers of refunds that were refused. */
  readonly refused: Array<string>
  /** Answers that must not occur. */
  readonly broken: Array<string>
}

interface Envelope {
  readonly data: Readonly<Record<string, unknown>>
}

const textOf = (answer: object, field: string) => JSON.stringify(Reflect.get(answer, field))

const triesMax = 40
/** For an object that another caller is changing. */
const passing = ["buyer_busy", "remaining_changed"]
const reasonOf = ({ headers }: Reply) => headers["coffer-reason"]
/** Whether a retry would get the same answer, unlike that for a key in use. */
const isFinal = (reply: Reply) => {
  const isConflict = reply.text.includes('"error":"conflict"') && !passing.includes(String(reasonOf(reply)))
  if (reply.status === 409) return isConflict
  return reply.status !== 0 && reply.status < 500 && reply.status !== 429
}

/** Its quotas are out of the way. */
export const newSandboxMerchant = (runners: Runners) => {
  const post = (path: string, body: object) =>
    Effect.promise(async () => {
      const headers = { authorization: `Bearer ${operatorToken}` }
      const { status, text } = await runners.call(1, "POST", `/operator/v1${path}`, headers, body)
      if (status >= 300 || status === 0) throw new Error(`${path}: ${status} ${text}`)
      return (JSON.parse(text) as Envelope).data
    })
  return Effect.runPromise(newMerchant(post, "Simulated", { quotas: "raised" }))
}

export class Story {
  readonly outcome: Outcome = { done: [], refused: [], broken: [] }
  private readonly answers = new Map<string, object>()
  readonly readiness: Readiness
  private key = ""
  private readonly world: World
  private readonly runners: Runners

  constructor(world: World, runners: Runners) {
    this.world = world
    this.runners = runners
    this.readiness = new Readiness(world, runners)
  }

  async begin() {
    this.key = (await newSandboxMerchant(this.runners)).sandboxKey
  }

  /** All callers at once. */
  async run(orders: number) {
    const callers = Array.from({ length: orders }, (_, no) => this.caller(no))
    await Promise.all(callers)
  }

  private caller(no: number) {
    if (no % 4 === 2) return this.renaming(no)
    return no % 4 === 3 ? this.expiring(no) : this.paying(no)
  }

  private async paying(no: number) {
    const tradeNo = await this.create(no)
    if (tradeNo === undefined) return
    const [paid] = await Promise.all([
      this.ask(no, `/v1/test_helpers/orders/${tradeNo}/pay`, undefined, {}),
      this.note(no, tradeNo, "first"),
      this.note(no, tradeNo, "second")
    ])
    if (paid.status === 200) this.outcome.done.push({ key: "", act: "pay", tradeNo })
    // The last exceeds the amount of any order here.
    await Promise.all([100, 200, 20_000].map((amount) => this.refund(no, tradeNo, amount)))
  }

  /** It is neither paid nor ended, so it ends once, and its key always gets that answer. */
  private async expiring(no: number) {
    const tradeNo = await this.create(no)
    if (tradeNo === undefined) return
    const key = `expire-${no}`
    const replies = await this.twice(() => this.ask(no, `/v1/orders/${tradeNo}/expire`, key, undefined))
    for (const reply of replies) {
      if (reply.status === 200) this.outcome.done.push({ key, act: "expire", tradeNo })
      else if (reasonOf(reply) === "not_pending") {
        this.outcome.broken.push(`${key}: ${tradeNo} was ended by this key, which is then refused: ${reply.text}`)
      }
    }
  }

  /** The second name stays although the first is sent again: its key was used. */
  private async renaming(no: number) {
    const tradeNo = await this.create(no)
    if (tradeNo === undefined) return
    const rename = (name: string) => this.ask(no, `/v1/orders/${tradeNo}`, `${name}-${no}`, { metadata: { name } })
    const [first] = await this.twice(() => rename("first"))
    if (first?.status !== 200) return
    const second = await rename("second")
    await rename("first")
    if (second.status === 200) this.outcome.done.push({ key: `second-${no}`, act: "name", tradeNo, detail: "second" })
  }

  private async create(no: number): Promise<string | undefined> {
    await this.world.sleep(this.world.dice.below(20))
    const key = `order-${no}`
    const body = { amount: 1_000 + this.world.dice.below(9_000), currency: "USD", subject: `Order ${no}` }
    const replies = await this.twice(() => this.ask(no, "/v1/orders", key, body))
    const made = replies.filter(({ status }) => status === 200 || status === 201)
    const numbers = new Set(made.map(({ text }) => String((JSON.parse(text) as Envelope).data["trade_no"])))
    if (numbers.size > 1) this.outcome.broken.push(`${key} made ${[...numbers].join(" and ")}`)
    const [tradeNo] = numbers
    if (tradeNo !== undefined) this.outcome.done.push({ key, act: "create", tradeNo })
    return tradeNo
  }

  private async note(no: number, tradeNo: string, note: string) {
    const key = `${note}-${no}`
    const { status } = await this.ask(no, `/v1/orders/${tradeNo}`, key, { metadata: { [note]: "yes" } })
    if (status === 200) this.outcome.done.push({ key, act: "note", tradeNo, detail: note })
  }

  private async refund(no: number, tradeNo: string, amount: number) {
    const key = `refund-${no}-${amount}`
    const reply = await this.ask(no, "/v1/refunds", key, { trade_no: tradeNo, out_refund_no: key, amount })
    if (reply.status >= 200 && reply.status <= 202) {
      const detail = String((JSON.parse(reply.text) as Envelope).data["refund_no"])
      this.outcome.done.push({ key, act: "refund", tradeNo, detail })
    } else if (isFinal(reply)) this.outcome.refused.push(key)
  }

  private async twice(ask: () => Promise<Reply>): Promise<ReadonlyArray<Reply>> {
    return this.world.dice.chance(0.4) ? Promise.all([ask(), ask()]) : [await ask()]
  }

  /** Retries until a final answer. Some repeat the call afterwards, like a caller who lost the answer. */
  private async ask(no: number, path: string, key: string | undefined, body: object | undefined): Promise<Reply> {
    const { world } = this
    for (let tries = 1; ; tries++) {
      const place = 1 + world.dice.below(this.runners.places)
      const headers = { "x-api-key": this.key, ...(key === undefined ? {} : { "idempotency-key": key }) }
      const reply = await this.runners.call(place, "POST", path, headers, body)
      world.note(`caller ${no} asks runner ${place} ${path} ${key ?? ""} (${tries}) = ${reply.status} ${reply.text}`)
      this.judge(key, reply)
      this.readiness.hear(place, reply)
      if (reply.headers["idempotent-replayed"] === "true") world.mark("an answer was given again")
      if (reply.status >= 500) world.mark(`a caller got ${reply.status}`)
      if (reply.status === 0) world.mark("a caller got no answer")
      const isLast = isFinal(reply) ? key === undefined || !world.dice.chance(0.2) : tries >= triesMax
      if (isLast) return reply
      await world.sleep(50 + world.dice.below(Math.min(3_000, 400 * tries)))
    }
  }

  /** All successful answers of one key are equal. */
  private judge(key: string | undefined, { status, text }: Reply) {
    if (key === undefined || status < 200 || status > 299) return
    const answer = { status, ...(JSON.parse(text) as Envelope).data }
    const before = this.answers.get(key) ?? answer
    const different = Object.keys(answer).filter((field) => textOf(before, field) !== textOf(answer, field))
    if (different.length > 0) {
      const texts = different.map((field) => `${field} ${textOf(before, field)} and ${textOf(answer, field)}`)
      this.outcome.broken.push(`${key} was answered with ${texts.join(", with ")}`)
    }
    this.answers.set(key, answer)
  }
}
