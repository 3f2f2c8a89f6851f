/** `coffer deliveries`: failed deliveries are resent in bulk, and no others. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { envOf, type } from "../kit/callers/cli.ts"
import { hooksOf } from "../kit/callers/Hooks.ts"
import { outage } from "../kit/stories/outage.ts"
import { type Running, start } from "../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/cli/deliveries") {}

/** A merchant whose receiver refused three events to the last attempt, and took a fourth. */
const afterAnOutage = Effect.gen(function* () {
  const service = yield* Service
  const running = { ...service, merchant: yield* service.api.newMerchant() }
  const { hook, shop } = yield* outage(running)
  yield* shop.paid(400)
  yield* running.atRest
  hook.all.length = 0
  const amounts = () => hook.all.map(({ event }) => event.data.object.amount)
  // The command reads this machine's clock, and the service that of the test.
  const resend = (...words: ReadonlyArray<string>) =>
    type(["deliveries", "resend", "--failed", "--since", "1970-01-01T00:00:00Z", ...words], envOf(running))
  return { running, hook, amounts, resend }
})

layer(Layer.effect(Service, start({ clock: "test" })), { excludeTestServices: true })("coffer deliveries", (it) => {
  it.effect("sends again what has failed and has not arrived since, oldest first, each once", () =>
    Effect.gen(function* () {
      const { amounts, hook, resend, running } = yield* afterAnOutage
      hook.answer(500)
      const first = yield* resend("--limit", "1")
      assert.deepStrictEqual([first.code, first.stdout], [0, "1 of 1 deliveries were resent.\n"])
      yield* running.atRest
      assert.deepStrictEqual(amounts(), [100])

      // It was refused once more, so it is still to be sent.
      hook.answer(200)
      const all = yield* resend("--json")
      const lines = all.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      assert.deepStrictEqual(
        lines.map(({ outcome }) => outcome),
        ["done", "done", "done"]
      )
      yield* running.atRest
      assert.sameMembers(amounts().slice(1), [100, 200, 300])

      const none = yield* resend()
      assert.strictEqual(none.stdout, "0 of 0 deliveries were resent.\n")
    }).pipe(Effect.scoped)
  )

  it.effect("says which it could not resend, continues with the others, and exits with 1", () =>
    Effect.gen(function* () {
      const { resend, running } = yield* afterAnOutage
      const hooks = hooksOf(running, running.merchant)
      const [endpoint] = (yield* hooks.list()).data
      yield* hooks.update(endpoint.id, { status: "disabled" })
      const { code, stderr, stdout } = yield* resend()
      assert.match(stdout, /^0 of 3 deliveries were resent\.\n {2}3 refused: [^\n]*disabled[^\n]*\n$/)
      assert.strictEqual(code, 1)
      assert.strictEqual(stderr.split("was not resent: ").length, 4)
    }).pipe(Effect.scoped)
  )

  it.effect("lists and shows deliveries with their last answer, and refuses to send everything again", () =>
    Effect.gen(function* () {
      const { running } = yield* afterAnOutage
      const env = envOf(running)
      const list = yield* type(["deliveries", "list", "--status", "failed"], env)
      assert.match(list.stdout, /^dlv_\w+ +failed +7 +500 +- +payment\.succeeded/m)
      const id = /dlv_\w+/.exec(list.stdout)![0]
      const got = yield* type(["deliveries", "get", id, "--json"], env)
      assert.strictEqual(JSON.parse(got.stdout).attempts.length, 7)
      const all = yield* type(["deliveries", "resend", "--since", "2h"], env)
      assert.deepStrictEqual([all.code, all.stderr.includes("add --failed")], [2, true])
    }).pipe(Effect.scoped)
  )
})
