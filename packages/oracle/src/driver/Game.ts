/** One program's game: its merchants on the service, their oracle, and the comparison of both. */
import { type Call, Oracle } from "../Oracle.ts"
import type { Account } from "../state.ts"
import { type Answer, Part } from "../values.ts"
import { differenceOfAnswer, lineOf } from "./answers.ts"
import { booksDiffer, byNumber, isNew } from "./books.ts"
import { browser } from "./browser.ts"
import { type Difference, differenceOf } from "./compare.ts"
import { csvDiffers } from "./exported.ts"
import { type Delivered, deliveriesDiffer, type Repeated, repeatedIn } from "./deliveries.ts"
import { type Marks, markTogether, note, stateBefore } from "./marks.ts"
import { isRole, peopleOf } from "./people.ts"
import { type Place, type Reply, Unanswered } from "./place.ts"
import { actOf, backOf, type Meeting, type Step } from "./programs.ts"
import { isReturning, noOrderExplains } from "./together.ts"

export interface Found {
  readonly kind: string
  readonly difference: Difference
}

/** Deliveries. */
interface Listed {
  readonly data: ReadonlyArray<{ readonly url: string; readonly attempts: ReadonlyArray<unknown> }>
}

type Merchant = Awaited<ReturnType<Place["newMerchant"]>>

const merchantsPlayed = 2

export class Game {
  readonly story: Array<string> = []
  readonly oracle: Oracle
  /** Steps that were played. */
  played = 0
  /** An erasure that needs time to pass. */
  erasing: { readonly merchant: number; readonly no: string } | undefined
  private readonly place: Place
  private readonly merchants: ReadonlyArray<Merchant>
  private readonly marks: Marks
  /** Calls that came with a key. */
  private readonly keyed: Array<Call> = []
  private readonly buyer = browser()
  private readonly people: ReturnType<typeof peopleOf>
  /** Which list is read as a file next. */
  private files: number
  private readonly delivered: Delivered = new Map()
  /** The newest call of each merchant that the log of calls should have. */
  private readonly logged = new Map<number, { readonly call: Call; readonly reply: Reply }>()

  static async begin(place: Place, marks: Marks, index = 0) {
    const merchants: Array<Merchant> = []
    for (let count = 0; count < merchantsPlayed; count++) merchants.push(await place.newMerchant())
    return new Game(place, merchants, marks, index)
  }

  constructor(place: Place, merchants: ReadonlyArray<Merchant>, marks: Marks, index: number) {
    // A short program reads few files, so each begins with another one.
    this.files = index
    this.place = place
    this.merchants = merchants
    this.marks = marks
    this.people = peopleOf(place)
    this.oracle = new Oracle(
      merchants.map(({ merchantId }) => merchantId),
      place.now(),
      merchants
    )
  }

  async step(planned: Step): Promise<Found | undefined> {
    this.played += 1
    const act = actOf(planned, this.oracle, this.keyed)
    if ("together" in act) return this.playTogether(act.together)
    return this.call(isRole(act.call.key) ? await this.people.enter(act.call, this.oracle) : act.call)
  }

  note(line: string): undefined {
    this.played += 1
    this.story.push(line)
  }

  /**
   * While a bank is down the time of the next retry is unknown, so it is brought up before time passes. An erasure can
   * be followed only while its merchant may call.
   */
  async bringBack(): Promise<Found | undefined> {
    const back = () => backOf(this.oracle, this.erasing?.merchant)
    for (let call = back(); call !== undefined; call = back()) {
      const found = await this.call(call)
      if (found !== undefined) return found
    }
    return undefined
  }

  private async call(call: Call): Promise<Found | undefined> {
    const { oracle } = this
    const account = oracle.accounts[call.merchant]!
    const name = oracle.operationOf(call) ?? "no operation"
    const before = stateBefore(account, call)
    const couldRead = oracle.mayRead(call.merchant)
    const expected = oracle.answer(call)
    if (call.idempotencyKey !== undefined) this.keyed.push(call)
    const reply = await this.send(call)
    this.buyer.keep(reply)
    this.story.push(lineOf(call, reply))
    const difference = differenceOfAnswer(expected, reply)
    if (difference !== undefined) return { kind: `${name} ${difference.at}`, difference }
    const isOfKey = call.key === "sandbox" || typeof call.key === "number"
    if (isOfKey && name !== "no operation" && ![401, 403, 429].includes(reply.status)) {
      this.logged.set(call.merchant, { call, reply })
    }
    note(this.marks, name, expected, before)
    if (name === "erasures.create" && expected.status === 202) {
      this.keyed.length = 0
      this.erasing = { merchant: call.merchant, no: (reply.body.data as { readonly erasure_no: string }).erasure_no }
    }
    // What came due while its books could not be read has a time that is not known yet.
    if (!couldRead && oracle.mayRead(call.merchant)) return this.readBooks("books", true)
    return account.events.some(isReturning) ? this.readReturn(call.merchant) : undefined
  }

  /** Waits for the events of payments that go back. */
  private async readReturn(merchant: number): Promise<Found | undefined> {
    if (!this.oracle.mayRead(merchant)) return undefined
    for (let tries = 0; ; tries++) {
      const found = await this.readBooks("books", true)
      if (found === undefined || found.difference.actual !== "no event" || tries >= 1_000) return found
      await this.place.breathe()
    }
  }

  /** What it removed is compared as soon as it is done, and so is what it should have kept. */
  async readErasure(isLate: boolean): Promise<Found | undefined> {
    if (this.erasing === undefined) return undefined
    const { merchant, no } = this.erasing
    const reply = await this.send({ merchant, key: "sandbox", method: "GET", path: `/v1/erasures/${no}` })
    const status = (reply.body.data as { readonly status?: unknown } | undefined)?.status
    if (status !== "done" && !isLate) return undefined
    this.erasing = undefined
    if (status !== "done") {
      return { kind: "erasure lasts", difference: { at: "erasure", expected: "done", actual: status } }
    }
    const found = (await this.readBooks("erasure")) ?? (await this.readPosts())
    if (found !== undefined) return found
    // What is sent from now on is the erased.
    for (const event of this.oracle.accounts[merchant]!.events) event.former = []
    for (const list of ["orders", "refunds", "events"]) {
      const call: Call = { merchant, key: "sandbox", method: "GET", path: `/v1/${list}?limit=100` }
      const difference = differenceOfAnswer(this.oracle.answer(call), await this.send(call))
      if (difference !== undefined) return { kind: `erasure ${difference.at}`, difference }
    }
    return undefined
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
      ({ reason: _, ...expected }: Answer, { call, reply }) =>
        differenceOfAnswer(isGlance(call) ? { ...expected, data: undefined } : expected, reply),
      async () => (await this.readReturn(calls[0]!.merchant))?.difference
    )
    if (difference !== undefined) {
      return { kind: `together ${names.toSorted().join()} ${difference.at.split(": ").at(-1)}`, difference }
    }
    // Numbers rise in an order of their own where calls came at once.
    for (const { disputes, links, orders, refunds } of this.oracle.accounts) {
      for (const made of [orders, refunds, disputes, links]) made.sort(byNumber)
    }
    for (const { call } of answered) if (call.idempotencyKey !== undefined) this.keyed.push(call)
    for (const [index, { reply }] of answered.entries()) {
      markTogether(this.marks, names, names[index]!, { status: reply.status, error: reply.body.error })
    }
    for (const { reply } of answered) if (reply.body.error !== undefined) this.marks.codes.add(reply.body.error)
    return undefined
  }

  /** `lately`: only books that should have something new. */
  async readBooks(kind: string, lately = false): Promise<Found | undefined> {
    for (const [merchant, account] of this.oracle.accounts.entries()) {
      if (!this.oracle.mayRead(merchant) || (lately && !isNew(account.events) && !isNew(account.rows))) continue
      const read = async (path: string) =>
        (await this.send({ merchant, key: "sandbox", method: "GET", path })).body.data
      const difference = await booksDiffer(account, read, lately)
      if (difference !== undefined) return { kind: `${kind} ${difference.at}`, difference }
    }
    return undefined
  }

  /** After the books: what receivers got. */
  async readPosts(): Promise<Found | undefined> {
    for (const [merchant, account] of this.oracle.accounts.entries()) {
      // The numbers of events of other merchants are not known yet.
      const difference = this.oracle.mayRead(merchant) ? await this.readDeliveries(merchant, account) : undefined
      if (difference !== undefined) return { kind: difference.at, difference }
    }
    return undefined
  }

  /** After the books: a list as a file, the statement of the day, and the log of the last call. */
  async readSurfaces(): Promise<Found | undefined> {
    for (const merchant of this.oracle.accounts.keys()) {
      if (!this.oracle.mayRead(merchant)) continue
      const difference =
        (await this.readFile(merchant)) ?? (await this.readStatement(merchant)) ?? (await this.readLog(merchant))
      if (difference !== undefined) return { kind: difference.at, difference }
    }
    return undefined
  }

  private mark(surface: string): undefined {
    this.marks.succeeded.add(surface)
  }

  private async readDeliveries(merchant: number, account: Account): Promise<Difference | undefined> {
    const { delivered } = this
    const posts = this.place.takePosts(account.hooks)
    const unwritten = await this.readUnwritten(merchant, repeatedIn(posts, delivered))
    const difference = deliveriesDiffer(account, { delivered, events: account.events, posts, unwritten })
    return difference ?? (posts.length === 0 ? undefined : this.mark("a webhook"))
  }

  /** An attempt whose result Postgres did not take in time is made again (docs/decisions/0016): one less is listed. */
  private async readUnwritten(merchant: number, repeated: ReadonlyMap<string, Repeated>) {
    const unwritten = new Map<string, number>()
    for (const [place, { count, post }] of repeated) {
      const path = `/v1/webhook_deliveries?event_id=${post.headers["x-service-event-id"]}`
      const { data } = (await this.send({ merchant, key: "sandbox", method: "GET", path })).body.data as Listed
      const listed = data.filter(({ url }) => url === post.url).reduce((sum, { attempts }) => sum + attempts.length, 0)
      // One may be lost. A service that notes none would post for ever.
      if (listed === count - 1) unwritten.set(place, 1)
      if (listed === count - 1) this.marks.signatures.set("a post came again, as its result was not written", 1)
    }
    return unwritten
  }

  private async readFile(merchant: number): Promise<Difference | undefined> {
    const path = `/v1/${["orders", "refunds", "disputes", "balance_transactions"][this.files++ % 4]}`
    const list: Call = { merchant, key: "sandbox", method: "GET", path: `${path}?limit=100` }
    const reply = await this.send(list)
    const difference = differenceOfAnswer(this.oracle.answer(list), reply)
    if (difference !== undefined) return difference
    const { data, has_more } = reply.body.data as { readonly data: ReadonlyArray<object>; readonly has_more: boolean }
    if (has_more) return undefined
    const file = await this.send({ ...list, path: `${path}?format=csv` })
    const items = data as ReadonlyArray<Readonly<Record<string, unknown>>>
    return (
      csvDiffers(path, items, String(file.body.data)) ?? (items.length === 0 ? undefined : this.mark(`CSV of ${path}`))
    )
  }

  private async readStatement(merchant: number): Promise<Difference | undefined> {
    const day = new Date(this.oracle.now).toISOString().slice(0, 10)
    const path = `/v1/reports/statement?from=${day}&to=${day}`
    const call: Call = { merchant, key: "sandbox", method: "GET", path }
    const expected = this.oracle.answer(call)
    note(this.marks, "reports.statement", expected, "")
    return differenceOfAnswer(expected, await this.send(call))
  }

  private async readLog(merchant: number): Promise<Difference | undefined> {
    const last = this.logged.get(merchant)
    if (last === undefined) return undefined
    this.logged.delete(merchant)
    const { call, reply } = last
    const requestId = reply.headers.get("x-request-id")
    const path = `/v1/logs?request_id=${requestId}`
    const find = async () => {
      const found = await this.send({ merchant, key: "sandbox", method: "GET", path })
      return (found.body.data as { readonly data: ReadonlyArray<unknown> }).data[0]
    }
    let row = await find()
    // A busy service writes its log later.
    for (let tries = 0; row === undefined && tries < 200; tries++) {
      await this.place.breathe()
      row = await find()
    }
    const key = typeof call.key === "number" ? this.oracle.accounts[merchant]!.keys[call.key]!.no : null
    const expected = new Part({
      object: "api_log",
      request_id: requestId,
      mode: "sandbox",
      method: call.method,
      path: call.path.split("?")[0],
      status: reply.status,
      error_code: reply.body.error ?? null,
      ip: this.merchants[merchant]!.address,
      key_id: key,
      idempotency_key: call.idempotencyKey ?? null
    })
    return differenceOf(expected, row, "log") ?? this.mark("a call in the log")
  }

  private async send(call: Call): Promise<Reply> {
    const reply = await this.ask(call)
    // The sandbox's bank is in Postgres, too, and answers a busy machine late.
    const isUnanswered = reply.status === 502 && this.oracle.accounts[call.merchant]!.reachable
    if (isUnanswered) throw new Unanswered(`${call.method} ${call.path} was answered 502`)
    return reply
  }

  private ask(call: Call): Promise<Reply> {
    const merchant = this.merchants[call.merchant]!
    const key =
      typeof call.key === "number"
        ? this.oracle.accounts[call.merchant]!.keys[call.key]!.secret.value
        : merchant.keys[call.key]
    const headers: Record<string, string> = { "X-Forwarded-For": merchant.address }
    if (call.key === "operator") headers["Authorization"] = `Bearer ${key}`
    else if (call.key === "buyer") Object.assign(headers, this.buyer.headers())
    else if (call.since !== undefined) Object.assign(headers, this.people.headersOf(call))
    else if (key !== undefined) headers["X-Api-Key"] = key
    if (call.idempotencyKey !== undefined) headers["Idempotency-Key"] = call.idempotencyKey
    return this.place.send({ method: call.method, path: call.path, headers, body: call.body })
  }

  /** A bank that stays down would be retried for ever, in all later programs. `isKnown`: the oracle knows the state. */
  async leave(isKnown: boolean) {
    for (const [merchant, { merchantId }] of this.merchants.entries()) {
      const { allowlist, reachable, suspended } = this.oracle.accounts[merchant]!
      if (isKnown && reachable && !suspended && allowlist === "") continue
      const at = `/operator/v1/merchants/${merchantId}`
      await this.send({ merchant, key: "operator", method: "POST", path: `${at}/resume` })
      await this.send({ merchant, key: "operator", method: "POST", path: at, body: { sandbox: { ip_allowlist: "" } } })
      const body = { reachable: true }
      await this.send({ merchant, key: "sandbox", method: "POST", path: "/v1/test_helpers/channel", body })
    }
  }
}

/**
 * A buyer's attempt that does not pay the order, perhaps by a wrong amount, changes only the bank, and the answer shows
 * the order as another call may be about to change it. A dispute's answer waits for the bank, and shows the dispute as
 * it is then (silences: D16). The object is read afterwards.
 */
const isGlance = ({ body, path }: Call) => {
  if (/\/(accept|evidence)$/.test(path)) return true
  if (!path.endsWith("/pay")) return false
  const { amount, outcome = "succeed" } = body as { readonly amount?: unknown; readonly outcome?: unknown }
  return amount !== undefined || (outcome !== "succeed" && outcome !== "fail")
}
