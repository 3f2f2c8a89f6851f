/** When an endpoint counts as failing, what is done about it, and when it is looked at again (silences: W24 to W26). */
import { findingOf, type Health, nextLookAt } from "@coffer/rules/webhooks/health"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import * as fc from "fast-check"
import type { LeasedDelivery } from "../../src/webhooks/deliveries/deliveryResults.ts"
import { type HealthMark, makeUnwell } from "../../src/webhooks/deliveries/EndpointHealth.ts"
import { healthOf, type Posted } from "../../src/webhooks/deliveries/postDelivery.ts"

/** Hours since the beginning. */
const at = (hours: number) => DateTime.makeUnsafe(1_767_225_600_000 + hours * 3_600_000)

const failing = (changes: Partial<Health> = {}): Health => ({
  fifthFailedAt: at(0),
  lastFailedAt: at(4),
  failingSince: at(0),
  wellSince: null,
  isTold: false,
  toldAt: null,
  ...changes
})

describe("an endpoint", () => {
  it("is in an outage when five first attempts have failed within a day, and is reported once", () => {
    assert.strictEqual(findingOf(failing(), false, at(4)), "outage")
    assert.strictEqual(findingOf(failing({ fifthFailedAt: null }), false, at(4)), "nothing")
    assert.strictEqual(findingOf(failing({ lastFailedAt: at(24) }), false, at(24)), "nothing")
    assert.strictEqual(findingOf(failing({ isTold: true, toldAt: at(4) }), false, at(5)), "nothing")
  })

  it("is well when it has taken everything for a quarter of an hour, and not before", () => {
    const told = failing({ isTold: true, toldAt: at(4), wellSince: at(6) })
    assert.strictEqual(findingOf(told, false, at(6.2)), "nothing")
    assert.strictEqual(findingOf(told, false, at(6.25)), "well")
    assert.deepStrictEqual(nextLookAt(told, at(6)), at(6.25))
  })

  it("is reported a second time a day after the first at the earliest, if it still fails then", () => {
    const again = failing({ fifthFailedAt: at(10), lastFailedAt: at(12), toldAt: at(4) })
    assert.strictEqual(findingOf(again, false, at(12)), "nothing")
    assert.deepStrictEqual(nextLookAt(again, at(12)), at(28))
    assert.strictEqual(findingOf(again, false, at(28)), "outage")
    assert.notStrictEqual(findingOf({ ...again, wellSince: at(13) }, false, at(28)), "outage")
  })

  it("is forgotten a day after its last failure, and after thirty days of silence where nothing has arrived", () => {
    const few = failing({ fifthFailedAt: null })
    assert.strictEqual(findingOf({ ...few, wellSince: at(5) }, false, at(28)), "forget")
    assert.strictEqual(findingOf(few, false, at(28)), "nothing")
    assert.strictEqual(findingOf(few, false, at(4 + 30 * 24)), "forget")
    const told = failing({ isTold: true, toldAt: at(4) })
    assert.strictEqual(findingOf(told, false, at(4 + 30 * 24 - 1)), "nothing")
    assert.strictEqual(findingOf(told, false, at(4 + 30 * 24)), "forget")
  })

  it("is disabled when it has taken nothing for five days and still fails, where its merchant wants it", () => {
    const lasting = failing({ lastFailedAt: at(5 * 24), isTold: true, toldAt: at(4) })
    assert.strictEqual(findingOf(lasting, true, at(5 * 24)), "disable")
    assert.strictEqual(findingOf(lasting, false, at(5 * 24)), "nothing")
    assert.strictEqual(findingOf({ ...lasting, wellSince: at(121) }, true, at(121)), "nothing")
    assert.strictEqual(findingOf({ ...lasting, lastFailedAt: at(119) }, true, at(130)), "nothing")
  })

  it("that was never told of is looked at when its last failure is old, and one in an outage as soon as it may be", () => {
    assert.deepStrictEqual(nextLookAt(failing(), at(4)), at(4 + 30 * 24))
    assert.deepStrictEqual(nextLookAt(failing({ wellSince: at(5) }), at(5)), at(28))
    const calm = failing({ fifthFailedAt: null, wellSince: at(5), toldAt: at(3) })
    assert.deepStrictEqual(nextLookAt(calm, at(6)), at(28))
    assert.deepStrictEqual(nextLookAt({ ...calm, toldAt: at(20) }, at(21)), at(44))
  })

  it("for which nothing has to be done is checked later than now, so that no check follows another immediately", () => {
    const hours = fc.integer({ min: 0, max: 2_000 }).map(at)
    const health = fc.record({
      fifthFailedAt: fc.option(hours),
      lastFailedAt: hours,
      failingSince: hours,
      wellSince: fc.option(hours),
      isTold: fc.boolean(),
      toldAt: fc.option(hours)
    })
    fc.assert(fc.property(health, hours, (seen, now) => DateTime.isGreaterThan(nextLookAt(seen, now), now)))
  })
})

describe("a first attempt", () => {
  const delivery: LeasedDelivery = {
    id: "dlv_1",
    event_id: "evt_1",
    type: "payment.succeeded",
    merchant_id: "mer_1",
    mode: "live",
    endpoint_id: "whe_1",
    url: "https://shop.example/hook",
    destination: "shop.example",
    attempts: 0,
    is_manual: false,
    body: "{}",
    packed: null
  }
  const markOf = (outcome: Posted["outcome"]) => {
    const posted = { at: at(0), ended: at(0), millis: 5, url: delivery.url, outcome, disables: false }
    return healthOf(delivery, posted, at(0))?.mark
  }
  type Reason = Extract<Posted["outcome"], { readonly _tag: "NotDelivered" }>["reason"]
  const lost = (reason: Reason, detail: string) => ({ _tag: "NotDelivered", reason, detail }) as const

  for (const [why, outcome] of [
    ["the operator's proxy failed", lost("proxy", "the proxy returned 502")],
    ["no server of names answered in time", lost("dns", "ETIMEOUT")],
    ["the server of names refused the connection", lost("dns", "ECONNREFUSED")],
    ["the look-up is to be tried again", lost("dns", "EAI_AGAIN")],
    ["this machine has no network", lost("connect", "ENETUNREACH")],
    ["this machine's network is down", lost("connect", "ENETDOWN")],
    ["this machine has no address to send from", lost("connect", "EADDRNOTAVAIL")],
    ["this process has no room for a socket", lost("connect", "EMFILE")],
    ["no secret of ours opens", { _tag: "Unsigned" }]
  ] as const) {
    it(`says nothing about its endpoint when ${why}`, () => assert.isUndefined(markOf(outcome)))
  }

  for (const [why, outcome] of [
    ["its name does not exist", lost("dns", "ENOTFOUND")],
    ["its own server of names fails", lost("dns", "ESERVFAIL")],
    ["nothing listens there", lost("connect", "ECONNREFUSED")],
    ["nothing answers in time", lost("timeout", "no response within 10 seconds")],
    ["its certificate has expired", lost("tls", "CERT_HAS_EXPIRED")],
    ["its name has a private address", lost("refused_address", "not public")]
  ] as const) {
    it(`counts against its endpoint when ${why}`, () => assert.strictEqual(markOf(outcome), "first"))
  }
})

describe("what a runner writes of an endpoint's health", () => {
  const success: HealthMark = { mark: "success", at: at(1) }
  const failure: HealthMark = { mark: "first", at: at(1) }

  it("is each failure, and a success only where it knows of a failure: an own one, or another runner's", () => {
    const unwell = makeUnwell()
    assert.isNull(unwell.known("own", success))
    assert.strictEqual(unwell.known("own", failure), failure)
    assert.strictEqual(unwell.known("own", success), success)
    unwell.hear(new Set(["heard"]), at(1))
    assert.deepStrictEqual(
      ["own", "heard", "other"].map((id) => unwell.known(id, success)),
      [success, success, null]
    )
  })

  it("is nothing where the address is no endpoint's, or the attempt says nothing", () => {
    const unwell = makeUnwell()
    assert.isNull(unwell.known(null, failure))
    assert.isNull(unwell.known("own", null))
    assert.isNull(unwell.known("own", success))
  })

  it("is remembered of 10,000 endpoints, each by its latest failure", () => {
    const unwell = makeUnwell()
    for (let n = 0; n <= 10_000; n++) unwell.known(String(n), failure)
    assert.isNull(unwell.known("10000", success))
    const later = DateTime.add(at(1), { seconds: 61 })
    unwell.known("0", { mark: "failure", at: later })
    unwell.hear(new Set(), later)
    assert.isNotNull(unwell.known("0", success))
    assert.isNull(unwell.known("1", success))
  })

  it("follows the rows a minute after an own failure: it was written by then", () => {
    const unwell = makeUnwell()
    const later = (seconds: number) => DateTime.add(at(1), { seconds })
    unwell.known("own", failure)
    unwell.hear(new Set(), later(60))
    assert.strictEqual(unwell.known("own", success), success)
    unwell.hear(new Set(), later(61))
    assert.isNull(unwell.known("own", success))
  })
})
