/** The outcome of a repeated `Idempotency-Key`, and when two bodies say the same (silences: I1 to I6). */
import {
  canonical,
  type Held,
  isIdempotencyKey,
  isShallow,
  judge,
  keptDuration,
  leaseDuration
} from "../../src/shared/idempotency/judge.ts"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"

const createdAt = DateTime.makeUnsafe("2026-01-01T00:00:00Z")
const after = (seconds: number) => DateTime.add(createdAt, { seconds })
const day = 24 * 60 * 60

const held = (state: Held["state"], leaseUntil: DateTime.Utc | null = null): Held => ({
  fingerprint: "same",
  state,
  leaseUntil,
  createdAt
})
const running = held("running", after(30))

describe("a repeated key", () => {
  it("gets the stored answer for the same content, and a refusal for other content", () => {
    assert.strictEqual(judge(held("done"), "same", after(1)), "Replay")
    assert.strictEqual(judge(held("done"), "other", after(1)), "OtherContent")
  })

  it("starts over, whatever the content is, if the first request ended without an answer", () => {
    assert.strictEqual(judge(held("released"), "same", after(1)), "TakeOver")
    assert.strictEqual(judge(held("released"), "other", after(1)), "TakeOver")
  })

  it("waits for a first request that runs, until the lease ends", () => {
    assert.strictEqual(judge(running, "same", after(29)), "InProgress")
    assert.strictEqual(judge(running, "same", after(30)), "TakeOver")
  })

  it("waits for a running request that has no lease", () => {
    assert.strictEqual(judge(held("running"), "same", after(day - 1)), "InProgress")
  })

  it("does not wait if no process runs the first request any more", () => {
    assert.strictEqual(judge(running, "same", after(1), true), "TakeOver")
  })

  it("is refused for other content while the first request runs, even if its lease has ended or it is abandoned", () => {
    assert.strictEqual(judge(running, "other", after(31)), "OtherContent")
    assert.strictEqual(judge(running, "other", after(1), true), "OtherContent")
  })

  it("is free again a day after the first request, and no sooner", () => {
    for (const state of ["done", "running", "released"] as const) {
      assert.strictEqual(judge(held(state), "other", after(day)), "TakeOver", state)
    }
    assert.strictEqual(judge(held("done"), "same", after(day - 1)), "Replay")
    assert.strictEqual(judge(held("done"), "same", after(day + 1)), "TakeOver")
  })

  it("ends a lease by real time, where the clock of the sandbox was moved", () => {
    assert.strictEqual(judge(running, "same", after(3_600), false, after(29)), "InProgress")
    assert.strictEqual(judge(running, "same", after(0), false, after(30)), "TakeOver")
  })
})

describe("the text of a key", () => {
  it("is 1 to 255 printable characters of ASCII", () => {
    for (const key of ["a", " ", "~", "order 42", "k".repeat(255)]) assert.isTrue(isIdempotencyKey(key), key)
    for (const key of ["", "k".repeat(256), "é", "a\tb", "a\n", "\u007f", "a\u001f", "\u{1f600}"]) {
      assert.isFalse(isIdempotencyKey(key), JSON.stringify(key))
    }
  })
})

it("a first request may run for 30 seconds before another takes its place, and its answer is kept for a day", () => {
  assert.deepStrictEqual([leaseDuration, keptDuration], ["30 seconds", "24 hours"])
})

describe("the canonical form of a body", () => {
  const text = (value: unknown) => JSON.stringify(canonical(value))

  it("has the keys in order at every depth, and arrays as they came", () => {
    const sent = { b: [{ d: 1, c: null }, 2, "b", "a"], a: { y: { x: 1, w: 2 }, z: true } }
    assert.strictEqual(text(sent), '{"a":{"y":{"w":2,"x":1},"z":true},"b":[{"c":null,"d":1},2,"b","a"]}')
  })

  it("is the value itself where it is no object", () => {
    for (const value of [null, 1, "text", true]) assert.strictEqual(canonical(value), value)
  })

  it("is made of 32 levels at most", () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : { inner: nested(levels - 1), beside: 1 })
    assert.isTrue(isShallow(nested(32)))
    assert.isFalse(isShallow(nested(33)))
    assert.isFalse(isShallow([1, [nested(31)]]))
    assert.isTrue(isShallow(null, 0))
    assert.isTrue(isShallow("text", 0))
    assert.isFalse(isShallow({}, 0))
  })
})
