/** Plays a program on a service and on the oracle, and compares everything that a merchant can see. */
import { type Call, Oracle } from "../Oracle.ts"
import type { Account } from "../state.ts"
import { type Answer, seconds } from "../values.ts"
import { differenceOfAnswer, lineOf } from "./answers.ts"
import { booksDiffer } from "./books.ts"
import { browser } from "./browser.ts"
import type { Difference } from "./compare.ts"
import { type Marks, note, stateBefore } from "./marks.ts"
import { passOn } from "./passing.ts"
import { isRole, peopleOf } from "./people.ts"
import type { Place, Reply } from "./place.ts"
import { actOf, type Meeting, type Step } from "./programs.ts"
import { noOrderExplains } from "./together.ts"

export interface Failure {
  readonly step: number
  readonly kind: string
  readonly difference: Difference
  readonly story: ReadonlyArray<string>
}

const merchantsPlayed = 2

/** Events, ledger and wallets are compared after this many steps, and before time passes. */
const stepsPerReading = 10

export const play = async (
  place: Place,
  program: ReadonlyArray<Step>,
  marks: Marks,
  stepsBetween = stepsPerReading
): Promise<Failure | undefined> => {
  const merchants: Array<Merchant> = []
  for (let count = 0; count < merchantsPlayed; count++) merchants.push(await place.newMerchant())
  const game = new Game(place, merchants, marks, stepsBetween)
  let failure: Failure | undefined
  for (const [step, planned] of program.entries()) {
    const found = await game.step(planned, step === program.length - 1)
    if (found === undefined) continue
    failure = { ...found, step, story: game.story }
    break
  }
  await game.leave()
  return failure
}

type Merchant = Awaited<ReturnType<Place["newMerchant"]>>
type Found = Pick<Failure, "kind" | "difference">

class Game {
  readonly story: Array<string> = []
  private readonly place: Place
  private readonly merchants: ReadonlyArray<Merchant>
  private readonly marks: Marks
  private readonly stepsBetween: number
  private readonly oracle: Oracle
  /** Calls that came with a key. */
  private readonly keyed: Array<Call> = []
  private readonly buyer = browser()
  private readonly people: ReturnType<typeof peopleOf>
  /** Steps since the books were read. */
  private unread = 0

  constructor(place: Place, merchants: ReadonlyArray<Merchant>, marks: Marks, stepsBetween: number) {
    this.place = place
    this.merchants = merchants
    this.marks = marks
    this.stepsBetween = stepsBetween
    this.people = peopleOf(place)
    this.oracle = new Oracle(
      merchants.map(({ merchantId }) => merchantId),
      place.now()
    )
  }

  async step(planned: Step, isLast: boolean): Promise<Found | undefined> {
    // A step may need a number that only the books contain.
    const isTime = this.unread >= this.stepsBetween || needsBooks.has(planned.does)
    const found = (this.unread > 0 && isTime ? await this.readBooks("books") : undefined) ?? (await this.act(planned))
    return found ?? (isLast ? this.readBooks("books") : undefined)
  }

  private async act(planned: Step): Promise<Found | undefined> {
    const act = actOf(planned, this.oracle, this.keyed)
    if ("together" in act) return this.playTogether(act.together)
    if ("pass" in act) {
      this.story.push(`${act.pass / 1000} seconds pass`)
      await passOn(this.place, this.oracle, act.pass)
      this.unread = this.stepsBetween
      return undefined
    }
    return this.call(isRole(act.call.key) ? await this.people.enter(act.call, this.oracle) : act.call)
  }

  private async call(call: Call): Promise<Found | undefined> {
    const { oracle } = this
    const name = oracle.operationOf(call) ?? "no operation"
    const before = stateBefore(oracle.accounts[call.merchant]!, call)
    const expected = oracle.answer(call)
    if (call.idempotencyKey !== undefined) this.keyed.push(call)
    const reply = await this.send(call)
    this.buyer.keep(reply)
    this.story.push(lineOf(call, reply))
    const difference = differenceOfAnswer(expected, reply)
    if (difference !== undefined) return { kind: `${name} ${difference.at}`, difference }
    note(this.marks, name, expected, before)
    this.unread = isReturning(oracle.accounts[call.merchant]!) ? this.stepsBetween : this.unread + 1
    return name === "erasures.create" && expected.status === 202 ? this.afterErasure(call, reply) : undefined
  }

  /** What it removed is compared at once, and so is what it should have kept. */
  private async afterErasure({ merchant }: Call, { body }: Reply): Promise<Found | undefined> {
    this.keyed.length = 0
    const { erasure_no } = body.data as { readonly erasure_no: string }
    const lasting = await this.waitForErasure(merchant, erasure_no)
    if (lasting !== undefined) return { kind: "erasure lasts", difference: lasting }
    const found = await this.readBooks("erasure")
    if (found !== undefined) return found
    for (const list of ["orders", "refunds", "events"]) {
      const call: Call = { merchant, key: "sandbox", method: "GET", path: `/v1/${list}?limit=100` }
      const difference = differenceOfAnswer(this.oracle.answer(call), await this.send(call))
      if (difference !== undefined) return { kind: `erasure ${difference.at}`, difference }
    }
    return undefined
  }

  /** Lets time pass until it is done: minutes, if nothing of the buyer is in progress. */
  private async waitForErasure(merchant: number, erasureNo: string): Promise<Difference | undefined> {
    let status: unknown
    for (let tries = 0; tries < 40; tries++) {
      await passOn(this.place, this.oracle, 20 * seconds)
      const path = `/v1/erasures/${erasureNo}`
      const reply = await this.send({ merchant, key: "sandbox", method: "GET", path })
      status = (reply.body.data as { readonly status?: unknown } | undefined)?.status
      if (status === "done") return undefined
      await this.place.breathe()
    }
    return { at: "erasure", expected: "done", actual: status }
  }

  /** All concurrently; then objects and books are read, and compared with each order that explains the answers. */
  private async playTogether({ calls, reads }: Meeting): Promise<Found | undefined> {
    const answered = await Promise.all(calls.map(async (call) => ({ call, reply: await this.send(call) })))
    const read: Array<(typeof answered)[number]> = []
    for (const call of reads) read.push({ call, reply: await this.send(call) })
    const lines = answered.map(({ call, reply }, index) => `${index === 0 ? "at once" : "and"} ${lineOf(call, reply)}`)
    this.story.push(...lines)
    const names = calls.map((call) => this.oracle.operationOf(call) ?? "no operation")
    const difference = await noOrderExplains(
      this.oracle,
      answered,
      read,
      // The reason of a conflict between two calls depends on timing.
      ({ reason: _, ...expected }: Answer, { reply }) => differenceOfAnswer(expected, reply),
      async () => (await this.readBooks("books"))?.difference
    )
    if (difference !== undefined) return { kind: `together ${difference.at}`, difference }
    for (const { call } of answered) if (call.idempotencyKey !== undefined) this.keyed.push(call)
    const answers = answered.map(({ reply }) => `${reply.status} ${reply.body.error ?? ""}`)
    const signature = ["together", ...names.map((name, index) => `${name} ${answers[index]}`).toSorted()].join(" ")
    this.marks.signatures.set(signature, (this.marks.signatures.get(signature) ?? 0) + 1)
    for (const { reply } of answered) if (reply.body.error !== undefined) this.marks.codes.add(reply.body.error)
    return undefined
  }

  private async readBooks(kind: string): Promise<Found | undefined> {
    this.unread = 0
    await this.place.rest()
    for (const [merchant, account] of this.oracle.accounts.entries()) {
      if (!this.oracle.mayRead(merchant)) continue
      const read = async (path: string) =>
        (await this.send({ merchant, key: "sandbox", method: "GET", path })).body.data
      const difference = await booksDiffer(account, read)
      if (difference !== undefined) return { kind: `${kind} ${difference.at}`, difference }
    }
    return undefined
  }

  private send(call: Call): Promise<Reply> {
    const key =
      typeof call.key === "number"
        ? this.oracle.accounts[call.merchant]!.keys[call.key]!.secret.value
        : this.merchants[call.merchant]!.keys[call.key]
    const headers: Record<string, string> = {}
    if (call.key === "operator") headers["Authorization"] = `Bearer ${key}`
    else if (call.key === "buyer") Object.assign(headers, this.buyer.headers())
    else if (call.since !== undefined) Object.assign(headers, this.people.headersOf(call))
    else if (key !== undefined) headers["X-Api-Key"] = key
    if (call.idempotencyKey !== undefined) headers["Idempotency-Key"] = call.idempotencyKey
    return this.place.send({ method: call.method, path: call.path, headers, body: call.body })
  }

  /** A bank that stays down would be retried for ever, in all later programs. */
  async leave() {
    for (const [merchant, { merchantId }] of this.merchants.entries()) {
      const at = `/operator/v1/merchants/${merchantId}`
      await this.send({ merchant, key: "operator", method: "POST", path: `${at}/resume` })
      await this.send({ merchant, key: "operator", method: "POST", path: at, body: { sandbox: { ip_allowlist: "" } } })
      const body = { reachable: true }
      await this.send({ merchant, key: "sandbox", method: "POST", path: "/v1/test_helpers/channel", body })
    }
  }
}

/** A payment goes back to the buyer after the answer, and its event shows the order as it is by then. */
const isReturning = ({ events }: Account) =>
  events.some(({ no, type }) => no.value === undefined && type === "payment.duplicate_refunded")

const needsBooks: ReadonlySet<string> = new Set(["pass", "list", "readEvent", "together"])
