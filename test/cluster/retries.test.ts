/**
 * The answer to a retried write, for each kind of write after each kind of failure; and that it is done only once. The
 * table is printed. In a cell: the status, `kept` where it is the first request's stored answer, the code of a refusal.
 * `-`: the failure does not happen to this write. No caller gets 409 `idempotency_in_progress`, since the runner that
 * had the key is known to be dead (silences: I6). The caller of evidence without a key learns that it was submitted
 * (silences: D18). A merchant, a key and the address of a file are made again (silences: U11, D6).
 */
import { assert, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { deaths } from "../kit/faults/deaths.ts"
import { failures, type Place, place } from "../kit/faults/failures.ts"
import { killed } from "../kit/runners/killed.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { routeOf, routes } from "../kit/routes/routes.ts"
import { writes } from "../kit/routes/writes.ts"

const expected = `
                                      | dies before | dies midway | dies after             | answer lost            | hangs up               | unknown, written       | unknown, not written   | claim unknown | two at once                 | killed before | killed midway | killed after
create order, keyed                   | 201         | -           | 201 kept               | 201 kept               | 201 kept               | 201 kept               | 201 kept               | -             | 201, 201 kept               | 201           | -             | 201 kept
create order, by its number           | 201         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200, 201                    | -             | -             | 200
update order, keyed                   | 200         | -           | 200 kept               | 200 kept               | 200 kept               | 200 kept               | 200 kept               | -             | 200, 200 kept               | 200           | -             | 200 kept
update order                          | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
expire, keyed                         | 200         | -           | 200 kept               | 200 kept               | 200                    | 200 kept               | 200 kept               | 200           | 200, 200 kept               | 200           | -             | 200 kept
expire                                | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
pay at checkout                       | 303         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200, 303                    | -             | -             | 200
pay, keyed                            | 200         | -           | 200 kept               | 200 kept               | 200                    | 200 kept               | 200 kept               | 200           | 200, 200 kept               | 200           | -             | 200 kept
authorize, keyed                      | 200         | -           | 200 kept               | 200 kept               | 200                    | 200 kept               | 200 kept               | 200           | 200, 200 kept               | 200           | -             | 200 kept
capture, keyed                        | 200         | 200         | 200 kept               | 200 kept               | 200                    | 200 kept               | 200 kept               | 200           | 200, 200 kept               | 200           | 200           | 200 kept
capture                               | 200         | 200         | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | 200           | 200
cancel, keyed                         | 200         | 200         | 200 kept               | 200 kept               | 200                    | 200 kept               | 200 kept               | 200           | 200, 200 kept               | 200           | 200           | 200 kept
cancel                                | 200         | 200         | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | 200           | 200
capture at the bank, keyed            | 200         | -           | 200 kept               | 200 kept               | 200                    | 200 kept               | 200 kept               | 200           | 200, 200 kept               | 200           | -             | 200 kept
capture at the bank                   | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
refund at once, keyed                 | 201         | 200         | 201 kept               | 201 kept               | 201                    | 201 kept               | 201 kept               | 201           | 201, 201 kept               | 201           | 200           | 201 kept
refund at once, by its number         | 201         | 200         | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200, 201                    | -             | 200           | 200
refund that takes time, keyed         | 202         | 200         | 202 kept               | 202 kept               | 202                    | 202 kept               | 202 kept               | 202           | 202, 202 kept               | 202           | 200           | 202 kept
refund that takes time, by its number | 202         | 200         | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200, 202                    | -             | 200           | 200
update refund, keyed                  | 200         | -           | 200 kept               | 200 kept               | 200 kept               | 200 kept               | 200 kept               | -             | 200, 200 kept               | 200           | -             | 200 kept
update refund                         | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
settle refund, keyed                  | 200         | -           | 200                    | 200 kept               | 200                    | 200 kept               | 200 kept               | 200           | 200, 200 kept               | 200           | -             | 200
settle refund                         | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
send receipt, keyed                   | 200         | -           | 200 kept               | 200 kept               | 200 kept               | 200 kept               | 200 kept               | -             | 200, 200 kept               | 200           | -             | 200 kept
create link, keyed                    | 201         | -           | 201 kept               | 201 kept               | 201 kept               | 201 kept               | 201 kept               | -             | 201, 201 kept               | 201           | -             | 201 kept
update link, keyed                    | 200         | -           | 200 kept               | 200 kept               | 200 kept               | 200 kept               | 200 kept               | -             | 200, 200 kept               | 200           | -             | 200 kept
update link                           | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
create report, keyed                  | 202         | -           | 202                    | 202 kept               | 202                    | 202                    | 202                    | 202           | 202, 202 kept               | 202           | -             | 202
save evidence, keyed                  | 200         | -           | 200 kept               | 200 kept               | 200                    | 200 kept               | 200 kept               | 200           | 200, 200 kept               | 200           | -             | 200 kept
save evidence                         | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
submit evidence, keyed                | 200         | 200         | 200                    | 200 kept               | 200                    | 200 kept               | 200 kept               | 200           | 200, 200 kept               | 200           | 200           | 200
submit evidence                       | 200         | 200         | 409 conflict           | 409 conflict           | 200                    | 409 conflict           | 409 conflict           | -             | 200, 409 conflict           | -             | 200           | 409 conflict
accept dispute, keyed                 | 200         | 200         | 200                    | 200 kept               | 200                    | 200 kept               | 200 kept               | 200           | 200, 200 kept               | 200           | 200           | 200
accept dispute                        | 200         | 200         | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | 200           | 200
charge back, keyed                    | 201         | -           | 201                    | 201 kept               | 201                    | 201 kept               | 201 kept               | 201           | 201, 201 kept               | 201           | -             | 201
resolve dispute, keyed                | 200         | -           | 200                    | 200 kept               | 200                    | 200 kept               | 200 kept               | 200           | 200, 200 kept               | 200           | -             | 200
resolve dispute                       | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
switch the channel, keyed             | 200         | -           | 200                    | 200 kept               | 200                    | 200                    | 200                    | 200           | 200, 200 kept               | 200           | -             | 200
switch the channel                    | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
advance the clock, keyed              | 200         | -           | 200                    | 200 kept               | 200                    | 200                    | 200                    | 200           | 200, 200 kept               | 200           | -             | 200
create endpoint, keyed                | 201         | -           | 201 kept               | 201 kept               | 201 kept               | 201 kept               | 201 kept               | -             | 201, 201 kept               | 201           | -             | 201 kept
update endpoint, keyed                | 200         | -           | 200 kept               | 200 kept               | 200 kept               | 200 kept               | 200 kept               | -             | 200, 200 kept               | 200           | -             | 200 kept
update endpoint                       | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
rotate endpoint, keyed                | 200         | -           | 200 kept               | 200 kept               | 200 kept               | 200 kept               | 200 kept               | -             | 200, 200 kept               | 200           | -             | 200 kept
delete endpoint, keyed                | 200         | -           | 200 kept               | 200 kept               | 200 kept               | 200 kept               | 200 kept               | -             | 200, 200 kept               | 200           | -             | 200 kept
delete endpoint                       | 200         | -           | 404 endpoint_not_found | 404 endpoint_not_found | 404 endpoint_not_found | 404 endpoint_not_found | 404 endpoint_not_found | -             | 200, 404 endpoint_not_found | -             | -             | 404 endpoint_not_found
rotate the account's secret, keyed    | 200         | -           | 200 kept               | 200 kept               | 200 kept               | 200 kept               | 200 kept               | -             | 200, 200 kept               | 200           | -             | 200 kept
end an endpoint's old secrets, keyed  | 200         | -           | 200 kept               | 200 kept               | 200 kept               | 200 kept               | 200 kept               | -             | 200, 200 kept               | 200           | -             | 200 kept
end an endpoint's old secrets         | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
end the account's old secrets, keyed  | 200         | -           | 200 kept               | 200 kept               | 200 kept               | 200 kept               | 200 kept               | -             | 200, 200 kept               | 200           | -             | 200 kept
end the account's old secrets         | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
resend delivery, keyed                | 202         | -           | 202 kept               | 202 kept               | 202 kept               | 202 kept               | 202 kept               | -             | 202, 202 kept               | 202           | -             | 202 kept
resend delivery, by the operator      | 202         | -           | 202                    | 202                    | 202                    | 202                    | 202                    | -             | 202                         | -             | -             | 202
hand in a file                        | 201         | -           | 201                    | 201                    | 201                    | 201                    | 201                    | -             | 201                         | -             | -             | 201
merchant: create                      | 201         | -           | 201                    | 201                    | 201                    | 201                    | 201                    | -             | 201                         | -             | -             | 201
merchant: update                      | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
merchant: reset key                   | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
merchant: hand in a file              | 201         | -           | 201                    | 201                    | 201                    | 201                    | 201                    | -             | 201                         | -             | -             | 201
payout: request                       | 201         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200, 201                    | -             | -             | 200
payout: approve                       | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
payout: reject                        | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
payout: complete                      | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
payout: fail                          | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
merchant: suspend                     | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
merchant: resume                      | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
merchant: close                       | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
key: create                           | 201         | -           | 201                    | 201                    | 201                    | 201                    | 201                    | -             | 201                         | -             | -             | 201
key: update                           | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
key: roll                             | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
key: revoke                           | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
buyer: erase                          | 202         | -           | 202                    | 202                    | 202                    | 202                    | 202                    | -             | 202                         | -             | -             | 202
buyer: erase, by the operator         | 202         | -           | 202                    | 202                    | 202                    | 202                    | 202                    | -             | 202                         | -             | -             | 202
operator: create                      | 201         | -           | 201                    | 201                    | 201                    | 201                    | 201                    | -             | 201                         | -             | -             | 201
operator: revoke                      | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
person: give a role                   | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
person: take a role                   | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
person: end sessions                  | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
person: reset access                  | 200         | -           | 200                    | 200                    | 200                    | 200                    | 200                    | -             | 200                         | -             | -             | 200
`

/** For a machine that does other things beside. */
const testTimeout = 180_000

const all = [...deaths, ...failures, killed]
const columns = all.flatMap(({ names }) => names)
/** The answers, by write and column. */
const cells = new Map<string, string>()
const played = new Set<string>()

class Shared extends Context.Service<Shared, Place>()("test/retries") {}

layer(Layer.effect(Shared, place), { excludeTestServices: true })(
  "a write that was not answered, sent again, ends in the right answer and is done once:",
  (it) => {
    for (const { names, play } of all) {
      it.effect(
        `the first one: ${names.join(", ")}`,
        () =>
          Effect.gen(function* () {
            const { service, told } = yield* play(writes, yield* Shared)
            for (const { asked, column, merchantId, reply, told: answer, write } of told) {
              const left = yield* service.sql.unsafe(write.left, [merchantId])
              assert.strictEqual(left.length, 1, `${write.name}, ${column}: ${answer}`)
              if (write.opens !== undefined) {
                const { headers, path } = write.opens(reply.body.data)
                assert.strictEqual((yield* service.api.call("GET", path, { headers })).status, 200, write.name)
              }
              // The end of the write before may be written in this moment, and is lost then instead of the claim.
              const said = column === "claim unknown" ? answer.replace(" kept", "") : answer
              cells.set(`${write.name}/${column}`, said)
              played.add(routeOf(asked.method, asked.path)!)
            }
            yield* assertLedgerWhole(service.sql)
          }),
        testTimeout
      )
    }

    it.effect("whichever route it is for", () =>
      Effect.sync(() => {
        const writing = routes().filter(
          (route) => !route.startsWith("GET ") && !/ \/(console\/api|channels\/:channel)\//.test(route)
        )
        // In test/adyen: notices. In test/stripe: accounts, webhooks, reconciliation, straySessions. In test/http:
        // keys/leakedKeys, links/linkVisits, orders/unappliedPayments, people/roles.
        const elsewhere = [
          "POST /channels/adyen/:token",
          "POST /channels/stripe/:token",
          "POST /leaked_keys",
          "POST /operator/v1/merchants/:merchant_id/channels/:mode",
          "POST /operator/v1/merchants/:merchant_id/channels/:mode/reconciliation",
          "POST /pay/:link_id",
          "POST /operator/v1/orders/:trade_no/payments/:payment_id/close",
          "POST /operator/v1/stray_sessions/:id/close",
          // The second time there is no such runner: cluster/killedRunner.
          "POST /operator/v1/cluster/runners/:instance_id/kill",
          // It is asked once, however often: http/operators/cluster.
          "POST /operator/v1/cluster/runners/:instance_id/drain",
          // They write nothing. A tool's call is one of the API's: test/http/mcp.
          "DELETE /mcp",
          "POST /mcp",
          "POST /v1/exports",
          "POST /operator/v1/exports",
          "POST /operator/v1/merchants/:merchant_id/exports"
        ]
        assert.deepStrictEqual([...played, ...elsewhere].toSorted(), writing)
      })
    )
  }
)

it("a retry of an unanswered write is answered as this table says", () => {
  const rows = [
    ["", ...columns],
    ...writes.map(({ name }) => [name, ...columns.map((column) => cells.get(`${name}/${column}`) ?? "-")])
  ]
  const widths = rows[0]!.map((_, index) => Math.max(...rows.map((row) => row[index]!.length)))
  const table = rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index]!))
      .join(" | ")
      .trimEnd()
  )
  console.log(table.join("\n"))
  assert.deepStrictEqual(table, expected.split("\n").slice(1, -1))
})
