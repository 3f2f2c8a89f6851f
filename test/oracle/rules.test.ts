/** Rules of the oracle that campaigns found missing. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { differenceOf } from "../../packages/oracle/src/driver/compare.ts"
import { noOrderExplains } from "../../packages/oracle/src/driver/together.ts"
import { isKept } from "../../packages/oracle/src/disputes.ts"
import { type Call, Oracle } from "../../packages/oracle/src/Oracle.ts"
import { type Answer, days } from "../../packages/oracle/src/values.ts"

const played = () => {
  const oracle = new Oracle(["mer_1", "mer_2"], 0)
  const account = oracle.accounts[0]!
  const call = (path: string, body: object = {}, more: Partial<Call> = {}) =>
    oracle.answer({ merchant: 0, key: "sandbox", method: "POST", path, body, ...more })
  call("/v1/orders", { amount: 5_000, out_trade_no: "cart-1" })
  const order = account.orders[0]!
  order.no.value = "TRD_SB_1"
  return { oracle, account, call, order }
}

describe("the oracle says that", () => {
  it("a submission that comes again with its key is answered with the dispute, also after a day", () => {
    const { account, call, oracle } = played()
    call("/v1/test_helpers/orders/cart-1/pay")
    call("/v1/test_helpers/orders/cart-1/dispute")
    account.disputes[0]!.no.value = "dsp_1"
    const evidence = { evidence: { customer_name: "Ann" }, submit: true }
    const submit = (idempotencyKey?: string) => call("/v1/disputes/dsp_1/evidence", evidence, { idempotencyKey })
    assert.strictEqual(submit("key-1").status, 200)
    oracle.now += 2 * days
    assert.strictEqual(submit("key-1").status, 200)
    assert.strictEqual(submit("key-2").status, 409)
    assert.strictEqual(submit().status, 409)
  })

  it("an acceptance that comes again with its key is answered with the dispute, also once it is decided", () => {
    const { account, call, oracle } = played()
    call("/v1/test_helpers/orders/cart-1/pay")
    call("/v1/test_helpers/orders/cart-1/dispute")
    account.disputes[0]!.no.value = "dsp_1"
    const accept = (idempotencyKey?: string) => call("/v1/disputes/dsp_1/accept", {}, { idempotencyKey }).status
    assert.strictEqual(accept("key-1"), 200)
    oracle.passTo(2 * days)
    assert.strictEqual(account.disputes[0]!.state, "lost")
    assert.deepStrictEqual([accept("key-1"), accept("key-2"), accept()], [200, 409, 409])
  })

  it("secrets that were ended sign nothing that comes later", () => {
    const { account, call } = played()
    call("/v1/webhook_signing_secret/rotate")
    assert.deepStrictEqual(
      account.signing.map(({ until }) => until),
      [1 * days, Infinity]
    )
    const { data } = call("/v1/webhook_signing_secret/end_previous")
    assert.isUndefined(
      differenceOf(data, {
        object: "webhook_signing_secret",
        mode: "sandbox",
        rotated_at: "1970-01-01T00:00:00.000Z",
        previous_until: null,
        previous_ends: []
      })
    )
    assert.deepStrictEqual(
      account.signing.map(({ until }) => until),
      [0, Infinity]
    )
  })

  it("a suspended and a closed merchant's key may end earlier webhook secrets, and rotate none", () => {
    const { account, call } = played()
    const statuses = () => ["end_previous", "rotate"].map((act) => call(`/v1/webhook_signing_secret/${act}`).status)
    account.suspended = true
    assert.deepStrictEqual(statuses(), [200, 403])
    account.suspended = false
    account.closedAt = 0
    assert.deepStrictEqual(statuses(), [200, 403])
  })

  it("a null in a new object is no other content under an Idempotency-Key, and one in a change of it is", () => {
    const { call } = played()
    const status = (path: string, body: object) => call(path, body, { idempotencyKey: "key-1" }).status
    assert.strictEqual(status("/v1/orders", { amount: 5 }), 201)
    assert.strictEqual(status("/v1/orders", { subject: null, amount: 5 }), 201)
    assert.strictEqual(status("/v1/orders/cart-1", { metadata: {} }), 200)
    assert.strictEqual(status("/v1/orders/cart-1", { metadata: {}, receipt_email: null }), 400)
  })

  it("a payment from before an erasure shows no card, though its report came later", () => {
    const { account, call, oracle, order } = played()
    call("/v1/test_helpers/orders/cart-1/pay", { outcome: "succeed_unreported" })
    call("/v1/erasures", { trade_no: "cart-1" })
    oracle.passTo(2 * days)
    assert.strictEqual(order.state, "paid")
    assert.isNull(account.events.at(-1)!.object["paid_card"])
  })

  it("a file that nothing names is gone after a week, and one that an open draft names is not", () => {
    const { account, call, oracle } = played()
    call("/v1/test_helpers/orders/cart-1/pay")
    call("/v1/test_helpers/orders/cart-1/dispute", { evidence_due_by: null })
    account.disputes[0]!.no.value = "dsp_1"
    for (const name of ["a", "b"]) {
      call("/v1/files", { file: "%PDF-1.4" })
      account.files.at(-1)!.no.value = name
    }
    const name = (...urls: ReadonlyArray<string>) =>
      call("/v1/disputes/dsp_1/evidence", { files: urls.map((url) => ({ type: "receipt", url })) }).status
    assert.strictEqual(name("a"), 200)
    oracle.now += 7 * days
    assert.deepStrictEqual([name("b"), name("a"), name()], [400, 200, 200])
    assert.isTrue(isKept(account, oracle.now, account.files[0]!))
    assert.isUndefined(isKept(account, oracle.now + 2 * days, account.files[0]!))
  })

  it("an erasure takes the files of its orders' evidence, but not those that other evidence names", () => {
    const { account, call } = played()
    for (const [index, ownNo] of ["cart-1", "cart-2"].entries()) {
      call("/v1/orders", { amount: 5_000, out_trade_no: ownNo })
      account.orders[index]!.no.value = `TRD_SB_${index + 1}`
      call(`/v1/test_helpers/orders/${ownNo}/pay`)
      call(`/v1/test_helpers/orders/${ownNo}/dispute`)
      account.disputes[index]!.no.value = `dsp_${index + 1}`
      call("/v1/files", { file: "%PDF-1.4" })
      account.files.at(-1)!.no.value = `file-${index + 1}`
    }
    const name = (no: string, ...urls: ReadonlyArray<string>) =>
      call(`/v1/disputes/${no}/evidence`, { files: urls.map((url) => ({ type: "receipt", url })) })
    name("dsp_1", "file-1", "file-2")
    name("dsp_2", "file-2")
    call("/v1/erasures", { trade_no: "cart-1" })
    assert.deepStrictEqual(account.disputes[0]!.evidence.files, [])
    assert.deepStrictEqual(
      account.files.map(({ erased }) => erased),
      [true, false]
    )
  })

  it("the report of what is frozen ends before this moment", () => {
    const { account, call, oracle, order } = played()
    call("/v1/test_helpers/orders/cart-1/pay", { payment_method: "card" })
    call("/v1/test_helpers/orders/cart-1/dispute", { amount: 300 })
    account.disputes[0]!.no.value = "dsp_1"
    const differs = (lines: ReadonlyArray<object>) =>
      differenceOf(call("/v1/reports/frozen", undefined, { method: "GET" }).data, {
        object: "frozen_report",
        merchant_id: "mer_1",
        mode: "sandbox",
        lines
      })?.at
    const line = { currency: order.currency, kind: "dispute", number: "dsp_1", amount: 300 }
    const both = [line, { ...line, kind: "total", number: null }]
    assert.deepStrictEqual([differs([]), differs(both)], [undefined, "data.lines"])
    oracle.passTo(1)
    assert.deepStrictEqual([differs([]), differs(both)], ["data.lines", undefined])
  })

  it("a visit of a link makes an order of the link's merchant, whoever the buyer visited before", () => {
    const { account, call, oracle } = played()
    call("/v1/payment_links", { amount: 5 }, { merchant: 1 })
    oracle.accounts[1]!.links[0]!.no.value = "plink_1"
    const visited = call("/pay/plink_1", undefined, { key: "buyer", method: "GET" })
    assert.deepStrictEqual([visited.status, oracle.accounts[1]!.orders.length, account.orders.length], [303, 1, 1])
  })

  it.effect(
    "a refund is refused while another one of its order has the amount at the bank, whatever becomes of it",
    () =>
      Effect.gen(function* () {
        const { account, call, oracle } = played()
        // The fee leaves less than the order's amount, so another order pays for it.
        call("/v1/orders", { amount: 5_000, out_trade_no: "cart-2" })
        for (const no of ["cart-1", "cart-2"]) call(`/v1/test_helpers/orders/${no}/pay`)
        const refund = (amount: number): Call => {
          const body = { trade_no: "cart-1", amount }
          return { merchant: 0, key: "sandbox", method: "POST", path: "/v1/refunds", body }
        }
        const explained = (...answers: ReadonlyArray<readonly [amount: number, status: number, error?: string]>) => {
          const answered = answers.map(([amount, status, error]) => ({
            call: refund(amount),
            reply: { status, headers: new Headers(), body: error === undefined ? {} : { error } }
          }))
          const compare = ({ status }: Answer, { reply }: (typeof answered)[number]) =>
            status === reply.status ? undefined : { at: "status", expected: status, actual: reply.status }
          return Effect.promise(() => noOrderExplains(oracle, answered, [], compare, async () => undefined))
        }
        account.reachable = false
        assert.isUndefined(yield* explained([5_000, 502, "processor_error"], [10, 400, "invalid_request"]))
        assert.isDefined(yield* explained([10, 400, "invalid_request"]))
      })
  )

  it("a decision may be refused since another one of its dispute was at a bank that then cannot be reached", async () => {
    const { account, call, oracle } = played()
    call("/v1/test_helpers/orders/cart-1/pay")
    call("/v1/test_helpers/orders/cart-1/dispute")
    account.disputes[0]!.no.value = "dsp_1"
    account.reachable = false
    const asked = (act: string, status: number, error: string) => ({
      call: { merchant: 0, key: "sandbox", method: "POST", path: `/v1/disputes/dsp_1/${act}`, body: {} } as Call,
      reply: { status, headers: new Headers(), body: { error } }
    })
    const compare = ({ status }: Answer, { reply }: ReturnType<typeof asked>) =>
      status === reply.status ? undefined : { at: "status", expected: status, actual: reply.status }
    const explained = (...calls: ReadonlyArray<ReturnType<typeof asked>>) =>
      noOrderExplains(oracle, calls, [], compare, async () => undefined)
    const refused = asked("accept", 409, "conflict")
    assert.isUndefined(await explained(asked("accept", 502, "processor_error"), refused))
    assert.isDefined(await explained(refused))
  })
})
