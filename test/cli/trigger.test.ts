/** `coffer trigger`: every type of event of the specification can be made to happen (spec: Events). */
import { readFileSync } from "node:fs"
import { flows } from "@coffer/cli/triggers"
import { EventType } from "@coffer/model/EventType"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { envOf, type } from "../kit/callers/cli.ts"
import { merchantOf } from "../kit/Merchant.ts"
import { type Running, start } from "../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/cli/trigger") {}

describe("the table of triggers", () => {
  it("has each type of event, and those that the specification lists are among them", () => {
    const [section] = /## Events[\s\S]*?\nA delivery is/.exec(readFileSync("docs/specification.md", "utf8"))!
    const specified = Array.from(section.matchAll(/^\| ([a-z]+\.[a-z_]+) \|/gm), ([, name]) => name!)
    assert.includeMembers(Object.keys(flows), specified)
    assert.sameMembers(Object.keys(flows), [...EventType.literals])
  })
})

layer(Layer.effect(Service, start()), { excludeTestServices: true })("coffer trigger", (it) => {
  for (const name of EventType.literals) {
    it.effect(`${name} happens, once, and what was done for it is printed`, () =>
      Effect.gen(function* () {
        const service = yield* Service
        const running = { ...service, merchant: yield* service.api.newMerchant() }
        const { code, stderr, stdout } = yield* type(["trigger", name, "--json"], envOf(running))
        assert.deepStrictEqual([code, stderr], [0, ""])
        const { event_id, object_id, steps } = JSON.parse(stdout)
        const shop = merchantOf(running)
        const events = (yield* shop.get(`/v1/events?type=${name}`)).body.data.data
        assert.deepStrictEqual(
          events.map(({ id }: { readonly id: string }) => id),
          [event_id]
        )
        assert.include(yield* shop.events(object_id), name)
        assert.match(steps[0], /created order TRD_/)
      })
    )
  }

  it.effect("prints each step as text, and refuses an unknown type and a live key", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const env = envOf(running)
      const done = yield* type(["trigger", "refund.failed"], env)
      assert.match(
        done.stdout,
        /created order .*\n.*paid by alipay\n.*requested refund rfd_.*\n.*rejected the refund\nrefund\.failed  evt_/
      )
      const unknown = yield* type(["trigger", "payment.lost"], env)
      assert.strictEqual(unknown.code, 2)
      assert.match(unknown.stderr, /payment\.lost[\s\S]*coffer trigger --help/)
      const live = yield* type(["trigger", "payment.succeeded"], { ...env, COFFER_KEY: running.merchant.liveKey })
      assert.deepStrictEqual([live.code, live.stdout], [2, ""])
      assert.match(live.stderr, /svc_test_/)
    })
  )
})
