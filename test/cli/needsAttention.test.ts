/** Commands of operators: what needs attention, and bulk actions, each of which happens once whatever is lost. */
import { heldKinds as kindsTyped } from "@coffer/cli/held"
import { heldKinds } from "@coffer/contract/HeldUp"
import { assert, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { launchCli, type } from "../kit/callers/cli.ts"
import { faultyLine } from "../kit/faults/FaultyLine.ts"
import { merchantOf, said } from "../kit/Merchant.ts"
import { newOperator } from "../kit/callers/operators.ts"
import { outage } from "../kit/stories/outage.ts"
import { type Running, start } from "../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/cli/heldUp") {}

const operatorEnv = ({ api, baseUrl }: Running, url = baseUrl) => ({
  COFFER_OPERATOR_TOKEN: api.operatorToken,
  COFFER_OPERATOR_URL: `${url}/`
})

const jsonLines = (stdout: string) =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, any>)

const aMerchant = Effect.gen(function* () {
  const service = yield* Service
  const running = { ...service, merchant: yield* service.api.newMerchant() }
  return { running, shop: merchantOf(running), merchantId: running.merchant.merchantId }
})

/** A merchant whose receiver refused three events to the last attempt. */
const afterAnOutage = Effect.gen(function* () {
  const { merchantId, running } = yield* aMerchant
  const { hook } = yield* outage(running)
  hook.all.length = 0
  const amounts = Effect.map(running.atRest, () => hook.all.map(({ event }) => event.data.object.amount as number))
  const words = ["deliveries", "resend", "--failed", "--since", "1970-01-01T00:00:00Z", "--mode", "sandbox"]
  return { running, amounts, words: [...words, "--merchant", merchantId] }
})

const somePayouts = Effect.gen(function* () {
  return yield* payoutsOf(yield* aMerchant)
})

const payoutsOf = Effect.fnUntraced(function* ({ merchantId, running, shop }: Effect.Success<typeof aMerchant>) {
  yield* shop.paid(100_000)
  const numbers: Array<string> = []
  for (const amount of [100, 200, 300]) {
    const terms = { mode: "sandbox", currency: "USD", amount }
    numbers.push((yield* said(running.api.operator("POST", `/merchants/${merchantId}/payouts`, terms)))["payout_no"])
  }
  const states = Effect.map(
    running.sql<{ status: string }>`select status from payouts where merchant_id = ${merchantId} order by payout_no`,
    (rows) => rows.map(({ status }) => status)
  )
  const payouts = (step: string, ...words: ReadonlyArray<string>) =>
    type(["payouts", step, "--mode", "sandbox", ...words], operatorEnv(running))
  return { running, merchantId, numbers, states, payouts }
})

layer(Layer.effect(Service, start({ clock: "test" })), { excludeTestServices: true })("an operator", (it) => {
  it.effect("shows what needs attention as a table and as JSON, by kind and merchant, with the counts", () =>
    Effect.gen(function* () {
      const { merchantId, numbers, running } = yield* somePayouts
      const env = operatorEnv(running)
      const table = yield* type(["held-up", "--merchant", merchantId], env)
      assert.deepStrictEqual([table.code, table.stderr], [0, "Needs attention: 3 payouts.\n"])
      const rows = table.stdout.trimEnd().split("\n")
      assert.strictEqual(
        rows[0]!.replaceAll(/ {2,}/g, "|"),
        "SINCE|KIND|ID|MERCHANT|MODE|STATUS|AMOUNT|DUE BY|TRIES|NEXT|LAST ERROR|WAITING FOR"
      )
      assert.deepStrictEqual(
        rows.slice(1).map((row) => /pyt_\w+/.exec(row)![0]),
        numbers.toReversed()
      )
      assert.include(rows[1]!, "an operator has to approve or reject the payout")
      const two = yield* type(["held-up", "--merchant", merchantId, "--kind", "payout", "--limit", "2", "--json"], env)
      assert.deepStrictEqual(
        jsonLines(two.stdout).map(({ id, object }) => [object, id]),
        [
          ["held_up", numbers[2]],
          ["held_up", numbers[1]]
        ]
      )
      const none = yield* type(["held-up", "--merchant", merchantId, "--kind", "refund"], env)
      assert.deepStrictEqual(kindsTyped, heldKinds, "the kinds that the contract knows")
      assert.strictEqual(none.stdout, "")
    })
  )

  it.effect("says what to do when the token or the address is wrong, and prints no token", () =>
    Effect.gen(function* () {
      const { running } = yield* aMerchant
      const env = operatorEnv(running)
      const wrong = yield* type(["held-up"], { ...env, COFFER_OPERATOR_TOKEN: "opt_wrong" })
      assert.deepStrictEqual([wrong.code, wrong.stderr.includes("COFFER_OPERATOR_TOKEN")], [1, true])
      const root = yield* type(["held-up"], { ...env, COFFER_OPERATOR_URL: `${running.baseUrl}/v1` })
      assert.include(root.stderr, "it ends with /operator/v1")
      const nobody = yield* type(["held-up"], { COFFER_HOME: "/nowhere" })
      assert.deepStrictEqual([nobody.code, nobody.stderr.includes("No operator token found")], [2, true])
      const mode = yield* type(["deliveries", "resend", "--failed", "--since", "2h", "--mode", "live"], env)
      assert.deepStrictEqual([mode.code, mode.stderr.includes("use both --merchant and --mode")], [2, true])
      for (const { stderr, stdout } of [wrong, root, nobody, mode]) {
        assert.notInclude(stderr + stdout, running.api.operatorToken)
      }
    })
  )

  it.effect("sends a merchant's failed deliveries again, oldest first; --dry-run shows them and sends nothing", () =>
    Effect.gen(function* () {
      const { amounts, running, words } = yield* afterAnOutage
      const env = operatorEnv(running)
      const dry = yield* type([...words, "--dry-run"], env)
      assert.strictEqual(dry.stdout.match(/^dlv_\w+ +failed/gm)?.length, 3)
      assert.strictEqual(dry.stderr, "3 deliveries would be resent. Dry run: nothing was changed.\n")
      assert.deepStrictEqual(yield* amounts, [])
      const sent = yield* type([...words, "--rate", "50"], env)
      assert.deepStrictEqual([sent.code, sent.stdout], [0, "3 of 3 deliveries were resent.\n"], sent.stderr)
      assert.sameMembers(yield* amounts, [100, 200, 300])
      const again = yield* type(words, env)
      assert.strictEqual(again.stdout, "0 of 0 deliveries were resent.\n")
    }).pipe(Effect.scoped)
  )

  it.effect(
    "sends none twice when an answer is lost: it is looked for, and an unknown outcome is reported and left",
    () =>
      Effect.gen(function* () {
        const { amounts, running, words } = yield* afterAnOutage
        const line = yield* faultyLine(running.baseUrl, () => {})
        // The list; and of each a look, the act, and a look when no answer came.
        line.plan("pass", "pass", "lose", "pass", "pass", "refuse", "pass")
        const first = yield* type([...words, "--json"], operatorEnv(running, line.url))
        assert.deepStrictEqual(
          jsonLines(first.stdout).map(({ outcome }) => outcome),
          ["done", "unknown", "done"],
          first.stderr
        )
        assert.strictEqual(first.code, 1)
        assert.match(first.stderr, /2 of 3 deliveries were resent\.\n {2}1 unknown: no response/)
        assert.sameMembers(yield* amounts, [100, 300])
        const second = yield* type(words, operatorEnv(running))
        assert.strictEqual(second.stdout, "1 of 1 deliveries were resent.\n")
        assert.sameMembers(yield* amounts, [100, 300, 200])
      }).pipe(Effect.scoped)
  )

  it.effect("may kill the command and begin it again: each is sent once in all", () =>
    Effect.gen(function* () {
      const { amounts, running, words } = yield* afterAnOutage
      const env = operatorEnv(running)
      const cutShort = (signal: NodeJS.Signals, limit: string) =>
        Effect.scoped(
          Effect.gen(function* () {
            const run = yield* launchCli([...words, "--json", "--rate", "1", "--limit", limit], env)
            yield* run.says('"done"')
            run.kill(signal)
            return yield* run.ended
          })
        )
      assert.match((yield* cutShort("SIGINT", "2")).stderr, /^\d of 2 deliveries were resent\.$/m)
      yield* cutShort("SIGKILL", "3")
      const rest = yield* type(words, env)
      assert.strictEqual(rest.code, 0, rest.stderr)
      assert.sameMembers(yield* amounts, [100, 200, 300])
    }).pipe(Effect.scoped)
  )

  it.effect("takes a step of many payouts; refusals are reported, and a lost answer changes nothing twice", () =>
    Effect.gen(function* () {
      const { merchantId, numbers, payouts, running, states } = yield* somePayouts
      const whose = ["--merchant", merchantId]
      const dry = yield* payouts("approve", ...whose, "--dry-run")
      assert.deepStrictEqual(dry.stdout.match(/pyt_\w+/g), numbers, "oldest first")
      assert.deepStrictEqual(dry.stdout.match(/\d+\.\d\d USD/g), ["1.00 USD", "2.00 USD", "3.00 USD"])
      assert.deepStrictEqual(yield* states, ["requested", "requested", "requested"])
      const nobody = yield* payouts("approve")
      assert.deepStrictEqual([nobody.code, nobody.stderr.includes("use either --merchant or --all")], [2, true])
      const one = yield* payouts("approve", ...whose, "--limit", "1")
      assert.strictEqual(one.stdout, "1 of 1 payouts were approved.\n", one.stderr)
      assert.deepStrictEqual(yield* states, ["approved", "requested", "requested"])
      const line = yield* faultyLine(running.baseUrl, () => {})
      line.plan("pass", "lose", "pass", "refuse")
      const env = operatorEnv(running, line.url)
      const others = yield* type(["payouts", "approve", "--mode", "sandbox", ...whose], env)
      assert.strictEqual(others.stdout, "2 of 2 payouts were approved.\n", others.stderr)
      yield* payouts("complete", ...whose)
      assert.deepStrictEqual(yield* states, ["succeeded", "succeeded", "succeeded"])
      const rows =
        yield* running.sql`select 1 from ledger where reference_id = any(${numbers}) and type = 'payout_success'`
      assert.lengthOf(rows, 3)
    }).pipe(Effect.scoped)
  )

  it.effect("who may not do it is refused at the first, and told how many are left", () =>
    Effect.gen(function* () {
      const { merchantId, running, states } = yield* somePayouts
      const { token } = yield* newOperator(running.api, "a viewer", "viewer")
      const env = { ...operatorEnv(running), COFFER_OPERATOR_TOKEN: token }
      const refused = yield* type(["payouts", "approve", "--mode", "sandbox", "--merchant", merchantId], env)
      assert.strictEqual(refused.code, 1)
      assert.match(refused.stdout, /^0 of 3 payouts were approved\.\n {2}3 remaining: the run was interrupted/)
      assert.include(refused.stderr, "use a token with this permission")
      assert.deepStrictEqual(yield* states, ["requested", "requested", "requested"])
    })
  )
})

it.live("a payout that needs two operators is reported as waiting, and the others continue", () =>
  Effect.gen(function* () {
    const running = yield* start({ env: { TWO_OPERATORS: "payouts:300" } })
    const mine = { running, shop: merchantOf(running), merchantId: running.merchant.merchantId }
    const { payouts, states } = yield* payoutsOf(mine)
    const { code, stdout } = yield* payouts("approve", "--all")
    assert.match(stdout, /^2 of 3 payouts were approved\.\n {2}1 waiting: another operator has to run the same command/)
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(yield* states, ["approved", "approved", "requested"])
  })
)
