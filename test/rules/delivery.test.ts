/**
 * When an event is pushed, and how it is signed (spec: Events; silences: W7, W9, W13). Signatures are checked by the
 * receiver that merchants really use, the official `stripe` package.
 */
import { createHmac } from "node:crypto"
import { signatureTolerance, webhookRedeliveryDelays } from "@coffer/model/Limits"
import { attemptsMax, nextAttempt, signatureHeader, standardHeaders } from "@coffer/rules/delivery/attempt"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import { Stripe } from "stripe"

const at = DateTime.makeUnsafe("2026-08-18T09:30:00.999Z")

const hmacHex = (secret: string, message: string) => createHmac("sha256", secret).update(message).digest("hex")

describe("delivery: schedule", () => {
  const firstFailure = at
  const table = [
    [1, "30 seconds"],
    [2, "2 minutes"],
    [3, "10 minutes"],
    [4, "30 minutes"],
    [5, "2 hours"],
    [6, "6 hours"]
  ] as const

  for (const [attemptsMade, delay] of table) {
    it(`attempt ${attemptsMade + 1} follows ${delay} after the failure of attempt ${attemptsMade}`, () => {
      const expected = DateTime.addDuration(firstFailure, Duration.fromInputUnsafe(delay))
      assert.deepStrictEqual(nextAttempt(attemptsMade, firstFailure), expected)
    })
  }

  it("ends after the first push and six redeliveries", () => {
    assert.strictEqual(attemptsMax, 7)
    assert.strictEqual(webhookRedeliveryDelays.length, 6)
    assert.isUndefined(nextAttempt(7, firstFailure))
    assert.isUndefined(nextAttempt(8, firstFailure))
  })

  it("asks for nothing when no attempt was made", () => {
    assert.isUndefined(nextAttempt(0, firstFailure))
  })

  it("takes 8 h 42 m 30 s in all when every attempt fails immediately", () => {
    let last = firstFailure
    let attempts = 1
    for (let next = nextAttempt(1, last); next !== undefined; next = nextAttempt(attempts, last)) {
      last = next
      attempts += 1
    }
    assert.strictEqual(attempts, attemptsMax)
    assert.strictEqual(
      DateTime.toEpochMillis(last) - DateTime.toEpochMillis(firstFailure),
      ((8 * 60 + 42) * 60 + 30) * 1000
    )
  })
})

describe("delivery: signature", () => {
  const { webhooks } = new Stripe("sk_test_x")
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw3Q_x-y0aBcD"
  const old = "whsec_C2FVsBQIhrscChlQIMV-b5sSYspob7oD_zYxWvUtSrQ"
  const body = `{"object":"event","id":"evt_1","data":{"subject":"Größe 42 — 靴"},"spaced" :  1}`
  const t = DateTime.toEpochSeconds(at)
  const tolerance = Duration.toSeconds(signatureTolerance)
  const header = signatureHeader({ at, body, secrets: [secret] }, hmacHex)

  const accepted = (value: string, key: string, text = body, receivedAt = t) =>
    webhooks.constructEvent(text, value, key, tolerance, undefined, receivedAt * 1000).id === "evt_1"

  it("is the seconds, rounded down, and the HMAC of seconds, dot and body", () => {
    assert.strictEqual(t, 1_787_045_400)
    assert.strictEqual(header, `t=1787045400,v1=${hmacHex(secret, `1787045400.${body}`)}`)
    assert.match(header, /^t=\d{10},v1=[0-9a-f]{64}$/)
  })

  it("is what stripe-node itself would have sent", () => {
    assert.strictEqual(header, webhooks.generateTestHeaderString({ payload: body, secret, timestamp: t }))
  })

  it("is accepted by stripe-node with the whole secret as the key", () => {
    assert.isTrue(accepted(header, secret))
    assert.throws(() => accepted(header, secret.slice("whsec_".length)), /signature/)
  })

  it("is accepted under the new and under the old secret while both sign", () => {
    const both = signatureHeader({ at, body, secrets: [secret, old] }, hmacHex)
    assert.match(both, /^t=\d{10},v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
    assert.isTrue(accepted(both, secret))
    assert.isTrue(accepted(both, old))
    assert.throws(() => accepted(both, "whsec_other"), /signature/)
  })

  it("is refused when the body was serialized again", () => {
    assert.throws(() => accepted(header, secret, JSON.stringify(JSON.parse(body))), /signature/)
  })

  it("is accepted 300 seconds later and refused after that", () => {
    assert.isTrue(accepted(header, secret, body, t + tolerance))
    assert.throws(() => accepted(header, secret, body, t + tolerance + 1), /tolerance/)
  })
})

describe("delivery: the headers of Standard Webhooks", () => {
  const signing = { at, body: '{"id":"evt_1"}', secrets: ["new", "old"] }

  it("are the event's id, the seconds, and for each secret the signature of id, seconds and body", () => {
    assert.deepStrictEqual(
      standardHeaders("evt_1", signing, (secret, message) => `${secret}(${message})`),
      {
        "webhook-id": "evt_1",
        "webhook-timestamp": "1787045400",
        "webhook-signature": 'v1,new(evt_1.1787045400.{"id":"evt_1"}) v1,old(evt_1.1787045400.{"id":"evt_1"})'
      }
    )
  })
})
