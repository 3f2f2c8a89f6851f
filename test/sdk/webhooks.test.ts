/** Whether a delivery is genuine, by either family of headers; and what is said of one that is not. */
import { randomBytes } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { type VerifyOptions, type WebhookHeaders, webhooks, WebhookVerificationError } from "@coffer/sdk"
import { Effect } from "effect"
import { hooksOf } from "../kit/callers/Hooks.ts"
import { type Received, receiver } from "../kit/Receiver.ts"
import { failureOf } from "../kit/callers/sdk.ts"
import { start } from "../kit/Service.ts"

const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`
const [secret, other] = [newSecret(), newSecret()]
const seconds = 1_800_000_000
const at = (second: number) => ({ now: () => second * 1_000 })
const now = at(seconds)
const body = JSON.stringify({ id: "evt_1", type: "payment.succeeded", data: { object: { subject: "Ä 日本 😀" } } })

const codeOf = async (
  rawBody: unknown,
  headers: WebhookHeaders,
  secrets: string | ReadonlyArray<string> = secret,
  options: VerifyOptions = now
) => (await failureOf(webhooks.verify(rawBody as string, headers, secrets, options), WebhookVerificationError)).code

const isOurs = (name: string) => name.startsWith("x-service")
const only = (headers: object, isKept: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => isKept(name)))

const families = [
  ["X-Service-Signature", isOurs],
  ["Standard Webhooks", (name: string) => !isOurs(name)]
] as const

describe("what the service delivers", () => {
  it.live("is genuine by each family of headers, by the old secret and the new one, and by no other", () =>
    Effect.gen(function* () {
      const running = yield* start()
      const hook = yield* receiver
      const hooks = hooksOf(running, running.merchant)
      const { id, secret: first } = yield* hooks.create({ url: hook.url })
      const { secret: second } = yield* hooks.rotate(id)
      yield* hooks.paid({ subject: "Ä 日本 😀" })
      const { event, headers, raw }: Received = yield* hook.next
      yield* Effect.promise(async () => {
        for (const [, isFamily] of families) {
          const family = only(headers, (name) => !/^(x-service|webhook)-/.test(name) || isFamily(name))
          for (const known of [first, second, [other, first], [second, other]]) {
            assert.deepStrictEqual(await webhooks.verify(raw, family, known), event)
          }
          assert.strictEqual(await codeOf(raw, family, other, {}), "no_match")
          assert.strictEqual(await codeOf(raw.replace("1000", "1001"), family, first, {}), "no_match")
          assert.strictEqual(await codeOf(JSON.stringify(event, null, 1), family, first, {}), "no_match")
        }
      })
    })
  )
})

for (const [name, isFamily] of families) {
  const signed = async (secrets: string | ReadonlyArray<string> = secret) =>
    only(await webhooks.sign(body, secrets, now), isFamily) as Record<string, string>

  describe(`a delivery with ${name}`, () => {
    it("is genuine, whatever its bytes and its headers are kept in", async () => {
      const headers = await signed()
      const bytes = new TextEncoder().encode(body)
      const shared = new Uint8Array(bytes.length + 2)
      shared.set(bytes, 1)
      for (const raw of [body, bytes, bytes.buffer, Buffer.from(body), shared.subarray(1, -1)]) {
        assert.strictEqual((await webhooks.verify(raw, headers, secret, now)).id, "evt_1")
      }
      const upper = Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toUpperCase(), [value]]))
      for (const kept of [new Headers(headers), Object.entries(headers), new Map(Object.entries(headers)), upper]) {
        assert.strictEqual((await webhooks.verify(body, kept, secret, now)).id, "evt_1")
      }
    })

    it("is genuine when one of several signatures fits one of several secrets", async () => {
      assert.strictEqual((await webhooks.verify(body, await signed([other, secret]), secret, now)).id, "evt_1")
      assert.strictEqual((await webhooks.verify(body, await signed(), [other, secret], now)).id, "evt_1")
      assert.strictEqual(await codeOf(body, await signed([other, newSecret()])), "no_match")
    })

    it("may be 300 seconds old or ahead and no more, unless another tolerance is given", async () => {
      const headers = await signed()
      for (const age of [300, -300]) {
        assert.strictEqual((await webhooks.verify(body, headers, secret, at(seconds + age))).id, "evt_1")
      }
      assert.strictEqual(await codeOf(body, headers, secret, at(seconds + 301)), "too_old")
      assert.strictEqual(await codeOf(body, headers, secret, at(seconds - 301)), "too_new")
      assert.strictEqual(await codeOf(body, headers, secret, { ...at(seconds + 11), toleranceSeconds: 10 }), "too_old")
      await failureOf(webhooks.verify(body, headers, secret, { toleranceSeconds: Number.NaN }), TypeError)
    })

    it("that was tampered with is reported as such, and not as too old", async () => {
      assert.strictEqual(await codeOf(`${body} `, await signed(), secret, at(seconds + 9_999)), "no_match")
    })

    it("is not genuine when its time was changed", async () => {
      const later = Object.entries(await signed()).map(([key, value]) => [
        key,
        value.replaceAll(String(seconds), String(seconds + 1))
      ])
      assert.strictEqual(await codeOf(body, Object.fromEntries(later)), "no_match")
    })
  })
}

describe("a failure says exactly", () => {
  const headers = () => webhooks.sign(body, secret, now)

  it("that something has parsed the body, and how each framework is kept from it", async () => {
    for (const parsed of [JSON.parse(body), undefined, null, "[object Object]", 5]) {
      assert.strictEqual(await codeOf(parsed, await headers()), "body_parsed")
    }
    const { message } = await failureOf(
      webhooks.verify({} as string, await headers(), secret),
      WebhookVerificationError
    )
    for (const hint of ["express.raw", "fastify", "request.text()"]) assert.include(message, hint)
  })

  it("that the body is empty", async () => {
    for (const empty of ["", new Uint8Array()]) assert.strictEqual(await codeOf(empty, await headers()), "body_empty")
  })

  it("that no signature came along", async () => {
    assert.strictEqual(
      await codeOf(body, { "content-type": "application/json", "x-service-signature": undefined }),
      "no_header"
    )
  })

  it("that the header cannot be read", async () => {
    const wrong = [
      "",
      "t=1",
      "v1=00",
      `t=x,v1=${"0".repeat(64)}`,
      `t=${seconds},v1=${"0".repeat(63)}`,
      `t=${seconds},v0=${"0".repeat(64)}`
    ]
    for (const header of wrong)
      assert.strictEqual(await codeOf(body, { "x-service-signature": header }), "bad_header", header)
    const standard = { "webhook-id": "evt_1", "webhook-timestamp": String(seconds), "webhook-signature": "v1,AAAA" }
    for (const change of [
      { "webhook-id": undefined },
      { "webhook-timestamp": "soon" },
      { "webhook-signature": "v1a,AAAA" },
      { "webhook-signature": "v1,ä" }
    ]) {
      assert.strictEqual(await codeOf(body, { ...standard, ...change }), "bad_header")
    }
    assert.strictEqual(await codeOf(body, standard), "no_match", "a signature that is too short")
    const right = await headers()
    const longer = `v1,${Buffer.concat([Buffer.from(right["webhook-signature"]!.slice(3), "base64"), Buffer.from([0])]).toString("base64")}`
    const changed = { ...right, "x-service-signature": undefined, "webhook-signature": longer }
    assert.strictEqual(await codeOf(body, changed), "no_match", "a signature that is too long")
  })

  it("that the secret is invalid, so that an unset variable never lets anything pass", async () => {
    const signed = await webhooks.sign(body, secret, now)
    const none: ReadonlyArray<unknown> = [
      undefined,
      null,
      "",
      "undefined",
      [],
      ["", secret],
      "whsec_",
      "svc_test_x",
      ` ${secret}`,
      `${secret}\n`
    ]
    for (const given of none) {
      const { code } = await failureOf(webhooks.verify(body, signed, given as string, now), WebhookVerificationError)
      assert.strictEqual(code, "bad_secret", String(given))
    }
  })

  it("that what is signed is no event", async () => {
    for (const text of ["null", "[]", '{"id": 1}', "hello"]) {
      const signed = await webhooks.sign(`{"id": "evt_1"}`, secret, now)
      assert.strictEqual(await codeOf(text, signed), "no_match", text)
    }
    const text = '{"id": "evt_1"}'
    assert.strictEqual(await codeOf(text, await webhooks.sign(text, secret, now)), "not_an_event")
  })
})
