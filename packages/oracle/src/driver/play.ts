/** Plays a program on a service and on the oracle, and compares all that a merchant can see after each step. */
import { type Call, Oracle } from "../Oracle.ts"
import { type Account, currencies } from "../state.ts"
import { eventView, isOpen, rowView, statusOf, walletView } from "../views.ts"
import { walletOf } from "../books.ts"
import type { Answer } from "../values.ts"
import { disputeNamed } from "../disputes.ts"
import { named } from "../state.ts"
import { type Difference, differenceOf } from "./compare.ts"
import { actOf, type Step } from "./programs.ts"

export interface Reply {
  readonly status: number
  readonly headers: { readonly get: (name: string) => string | null }
  readonly body: { readonly data?: unknown; readonly error?: string; readonly param?: string }
}

/** A running service whose clock the driver moves. */
export interface Place {
  readonly now: () => number
  /** Moves the clock forward in one step, and lets be done what is due then. */
  readonly leap: (millis: number) => Promise<void>
  /** Lets time pass: all that is due on the way is done. */
  readonly pass: (millis: number) => Promise<void>
  /** Waits until all is done that is due now. */
  readonly rest: () => Promise<void>
  readonly newMerchant: () => Promise<{ readonly merchantId: string; readonly keys: Readonly<Record<string, string>> }>
  readonly send: (request: {
    readonly method: string
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: unknown
  }) => Promise<Reply>
}

/** What a run has met: operations with their answers and the state before. */
export interface Marks {
  readonly signatures: Map<string, number>
  readonly succeeded: Set<string>
  readonly codes: Set<string>
}

export const noMarks = (): Marks => ({ signatures: new Map(), succeeded: new Set(), codes: new Set() })

export interface Failure {
  readonly step: number
  readonly kind: string
  readonly difference: Difference
  readonly story: ReadonlyArray<string>
}

const merchantsPlayed = 2

/** Events, ledger and wallets are read and compared after so many steps, and before time passes. */
export const stepsPerReading = 10

export const play = async (
  place: Place,
  program: ReadonlyArray<Step>,
  marks: Marks,
  stepsBetween = stepsPerReading
): Promise<Failure | undefined> => {
  const merchants: Array<Awaited<ReturnType<Place["newMerchant"]>>> = []
  for (let count = 0; count < merchantsPlayed; count++) merchants.push(await place.newMerchant())
  const oracle = new Oracle(
    merchants.map(({ merchantId }) => merchantId),
    place.now()
  )
  const keyed: Array<Call> = []
  const story: Array<string> = []

  const send = (call: Call) => {
    const key = merchants[call.merchant]!.keys[call.key]
    const headers: Record<string, string> = {}
    if (call.key === "operator") headers["Authorization"] = `Bearer ${key}`
    else if (key !== undefined) headers["X-Api-Key"] = key
    if (call.idempotencyKey !== undefined) headers["Idempotency-Key"] = call.idempotencyKey
    return place.send({ method: call.method, path: call.path, headers, body: call.body })
  }

  /** A bank that stays away would be asked again for ever, in all programs that follow. */
  const leave = async <T>(outcome: T): Promise<T> => {
    const body = { reachable: true }
    for (const merchant of merchants.keys()) {
      await send({ merchant, key: "sandbox", method: "POST", path: "/v1/test_helpers/channel", body })
    }
    return outcome
  }

  const readBooks = async (): Promise<Difference | undefined> => {
    await place.rest()
    for (const [merchant, account] of oracle.accounts.entries()) {
      const read = async (path: string) => (await send({ merchant, key: "sandbox", method: "GET", path })).body.data
      const difference = await booksDiffer(account, read)
      if (difference !== undefined) return difference
    }
    return undefined
  }

  let unread = 0
  for (const [step, planned] of program.entries()) {
    const failed = (kind: string, difference: Difference): Failure => ({ step, kind, difference, story })
    const booksFailed = async () => {
      unread = 0
      const difference = await readBooks()
      return difference === undefined ? undefined : failed(`books ${difference.at}`, difference)
    }
    // What a step is made of may be a number that only the books have told.
    if (unread > 0 && (unread >= stepsBetween || needsBooks.has(planned.does))) {
      const failure = await booksFailed()
      if (failure !== undefined) return leave(failure)
    }
    const act = actOf(planned, oracle, keyed)
    if ("pass" in act) {
      story.push(`${act.pass / 1000} seconds pass`)
      await passOn(place, oracle, act.pass)
      unread = stepsBetween
    } else {
      const { call } = act
      const name = oracle.operationOf(call) ?? "no operation"
      const before = stateBefore(oracle.accounts[call.merchant]!, call)
      const expected = oracle.answer(call)
      if (call.idempotencyKey !== undefined) keyed.push(call)
      const reply = await send(call)
      story.push(lineOf(call, reply))
      const difference = differenceOfAnswer(expected, reply)
      if (difference !== undefined) return leave(failed(`${name} ${difference.at}`, difference))
      note(marks, name, expected, before)
      unread = isReturning(oracle.accounts[call.merchant]!) ? stepsBetween : unread + 1
    }
    if (step === program.length - 1) {
      const failure = await booksFailed()
      if (failure !== undefined) return leave(failure)
    }
  }
  return leave(undefined)
}

/** A payment goes back to the buyer after the answer, and its event shows the order as it is by then. */
const isReturning = ({ events }: Account) =>
  events.some(({ no, type }) => no.value === undefined && type === "payment.duplicate_refunded")

const needsBooks: ReadonlySet<string> = new Set(["pass", "list", "readEvent"])

/** From one moment at which something is due to the next, and at each until it is clear what was done. */
const passOn = async (place: Place, oracle: Oracle, millis: number) => {
  const end = place.now() + millis
  const go = async (to: number) => {
    await place.leap(to - place.now())
    for (let at = oracle.clearAt(to); at > place.now(); at = oracle.clearAt(at)) await place.pass(at - place.now())
    oracle.passTo(place.now())
  }
  for (let at = oracle.nextDueAt(place.now()); at <= end; at = oracle.nextDueAt(place.now())) await go(at)
  if (place.now() < end) await go(end)
}

const lineOf = ({ body, idempotencyKey, key, merchant, method, path }: Call, { body: answer, status }: Reply) =>
  [
    `merchant ${merchant}${key === "sandbox" ? "" : ` (${key})`}: ${method} ${path}`,
    body === undefined ? "" : ` ${JSON.stringify(body)}`,
    idempotencyKey === undefined ? "" : ` with the key ${idempotencyKey.slice(0, 12)}`,
    ` → ${status}${answer.error === undefined ? "" : ` ${answer.error} ${answer.param ?? ""}`}`
  ].join("")

const differenceOfAnswer = (expected: Answer, { body, headers, status }: Reply): Difference | undefined => {
  const answered = `${status} ${body.error ?? ""} ${body.param ?? ""}`
  const params = expected.params ?? [body.param ?? ""]
  const wanted = `${expected.status} ${expected.error ?? ""} ${params.join(" or ")}`
  const isWanted = params.some((param) => answered === `${expected.status} ${expected.error ?? ""} ${param}`)
  if (!isWanted) return { at: "answer", expected: wanted, actual: answered }
  if (expected.reason !== undefined && headers.get("coffer-reason") !== expected.reason) {
    return { at: "reason", expected: expected.reason, actual: headers.get("coffer-reason") }
  }
  const replayed = headers.get("idempotent-replayed") === "true"
  if (replayed !== (expected.replayed === true))
    return { at: "replayed", expected: expected.replayed, actual: replayed }
  return expected.data === undefined ? undefined : differenceOf(expected.data, body.data)
}

const note = (marks: Marks, name: string, { error, reason, replayed, status }: Answer, before: string) => {
  const signature = [name, status, error ?? "", reason ?? "", replayed === true ? "replayed" : "", before].join(" ")
  marks.signatures.set(signature, (marks.signatures.get(signature) ?? 0) + 1)
  if (status < 300) marks.succeeded.add(name)
  if (error !== undefined) marks.codes.add(error)
}

/** In one word or two, what there was: coarse, since each word multiplies the signatures. */
const stateBefore = (account: Account, { body, path }: Call): string => {
  const inPath = decodeURIComponent(/^\/v1\/(?:test_helpers\/)?[a-z_]+\/([^/?]+)/.exec(path)?.[1] ?? "")
  const ref = inPath === "" ? String((body as Record<string, unknown> | undefined)?.["trade_no"] ?? "") : inPath
  const bank = account.reachable ? "" : "bank away"
  const order = named(account.orders, ref)
  if (order !== undefined) {
    const disputed = account.disputes.some((dispute) => dispute.order === order && isOpen(dispute)) ? "disputed" : ""
    const taken = order.taken.length === 0 ? "" : order.taken.some(({ known }) => !known) ? "unreported" : "taken"
    return [statusOf(order), taken, disputed, bank].join(" ")
  }
  const dispute = disputeNamed(account, ref)
  if (dispute !== undefined) return [dispute.state, dispute.word, bank].join(" ")
  return [named(account.refunds, ref)?.state ?? "", bank].join(" ")
}

type Read = (path: string) => Promise<unknown>
type Shown = Readonly<Record<string, unknown>>

/** New events, new rows of the ledger, and the wallets that they moved. */
const booksDiffer = async (account: Account, read: Read): Promise<Difference | undefined> => {
  const events = await newest(account.events, "/v1/events", read)
  for (const actual of events) {
    const expected = account.events.find(
      ({ no, of, type }) => no.value === undefined && type === actual["type"] && hasNumber(actual, of.no.value)
    )
    if (expected === undefined) return { at: "events", expected: "no such event", actual }
    const difference = differenceOf(eventView(expected), actual, `event ${expected.type}`)
    if (difference !== undefined) return difference
  }
  const lost = account.events.find(({ no }) => no.value === undefined)
  if (lost !== undefined) return { at: "events", expected: `${lost.type} of ${lost.of.no.value}`, actual: "no event" }
  account.events.sort(byNumber)
  return rowsDiffer(account, read)
}

const rowsDiffer = async (account: Account, read: Read): Promise<Difference | undefined> => {
  const balances = new Map(
    account.rows.filter(({ no }) => no.value !== undefined).map((row) => [row.currency, row.after])
  )
  const rows = await newest(account.rows, "/v1/balance_transactions", read)
  for (const actual of rows) {
    const expected = account.rows.find(
      ({ amount, no, of, type }) =>
        no.value === undefined &&
        type === actual["type"] &&
        amount === actual["amount"] &&
        of.no.value === actual["reference_id"]
    )
    if (expected === undefined) return { at: "ledger", expected: "no such row", actual }
    // Of what is due in the same moment either may come first.
    const by = expected.after - expected.before
    expected.before = balances.get(expected.currency) ?? 0
    expected.after = expected.before + by
    balances.set(expected.currency, expected.after)
    const difference = differenceOf(rowView(account, expected), actual, `row ${expected.type}`)
    if (difference !== undefined) return difference
  }
  const lost = account.rows.find(({ no }) => no.value === undefined)
  if (lost !== undefined) return { at: "ledger", expected: `${lost.type} of ${lost.of.no.value}`, actual: "no row" }
  account.rows.sort(byNumber)
  const moved = currencies.filter((currency) => rows.some((row) => row["currency"] === currency))
  for (const currency of moved) {
    const expected = walletView(account, currency, walletOf(account, currency))
    const difference = differenceOf(expected, await read(`/v1/balance?currency=${currency}`), `wallet ${currency}`)
    if (difference !== undefined) return difference
  }
  return undefined
}

const hasNumber = (actual: Shown, no: string | undefined) => {
  const { object } = actual["data"] as { readonly object: Shown }
  return (object["refund_no"] ?? object["dispute_no"] ?? object["trade_no"]) === no
}

const byNumber = <T extends { readonly no: { readonly value: string | undefined } }>(a: T, b: T) =>
  a.no.value! < b.no.value! ? -1 : 1

/** What came after the last one that is known, oldest first. */
const newest = async (
  known: ReadonlyArray<{ readonly no: { readonly value: string | undefined } }>,
  path: string,
  read: Read
): Promise<ReadonlyArray<Shown>> => {
  const last = known.findLast(({ no }) => no.value !== undefined)?.no.value
  const after = last === undefined ? "" : `&ending_before=${last}`
  const list = (await read(`${path}?limit=100${after}`)) as { readonly data: ReadonlyArray<Shown> }
  return list.data.toReversed()
}
