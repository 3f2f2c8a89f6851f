/** The changes of an environment's endpoints and secrets (spec: Webhook endpoint; silences: W10). */
import { EndpointId } from "@coffer/model/Ids"
import {
  create,
  disableFailing,
  find,
  newEndpoint,
  remove,
  rotate,
  rotateSigning,
  signingNow,
  update
} from "@coffer/rules/webhooks/decide"
import type { WebhookSettings } from "@coffer/rules/webhooks/Settings"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"

const madeAt = DateTime.makeUnsafe("2026-01-01T00:00:00Z")
const hours = (count: number) => DateTime.add(madeAt, { hours: count })
const idOf = (n: number) => EndpointId.make(`whe_${String(n).padStart(26, "0")}`)
const endpoint = (n: number) =>
  newEndpoint({
    id: idOf(n),
    url: `https://shop.example/${n}`,
    description: "the shop",
    types: ["payment.succeeded"],
    secret: `secret ${n}`,
    now: madeAt
  })
const settingsOf = (count: number): WebhookSettings => ({
  signing: { current: "first", rotatedAt: null, old: [] },
  endpoints: Array.from({ length: count }, (_, index) => endpoint(index))
})

const endpoint0 = ({ endpoints: [first] }: WebhookSettings) => first!

describe("an endpoint", () => {
  it("is enabled when it is made, with one secret", () => {
    assert.deepStrictEqual(endpoint(1), {
      id: idOf(1),
      url: "https://shop.example/1",
      description: "the shop",
      types: ["payment.succeeded"],
      status: "enabled",
      secrets: { current: "secret 1", rotatedAt: null, old: [] },
      createdAt: madeAt,
      updatedAt: madeAt
    })
  })

  it("comes last, and is the sixteenth at most", () => {
    const added = Result.getOrThrow(create(settingsOf(15), endpoint(15)))
    assert.deepStrictEqual(added, settingsOf(16))
    const refused = Result.getOrThrow(Result.flip(create(settingsOf(16), endpoint(16))))
    assert.strictEqual(refused._tag, "EndpointLimitReached")
  })

  it("is found by its own number, or not at all", () => {
    assert.deepStrictEqual(Result.getOrThrow(find(settingsOf(3), idOf(1))), endpoint(1))
    const missing = Result.getOrThrow(Result.flip(find(settingsOf(3), idOf(3))))
    assert.deepStrictEqual([missing._tag, missing.id], ["EndpointNotFound", idOf(3)])
  })

  it("changes in what an update names, in its place among the others", () => {
    const before = settingsOf(3)
    const after = Result.getOrThrow(update(before, idOf(1), { status: "disabled", description: null }, hours(1)))
    const expected = { ...endpoint(1), status: "disabled", description: null, updatedAt: hours(1) } as const
    assert.deepStrictEqual(after.endpoint, expected)
    assert.deepStrictEqual(after.settings, { ...before, endpoints: [endpoint(0), expected, endpoint(2)] })
    assert.isTrue(Result.isFailure(update(before, idOf(9), {}, hours(1))))
  })

  it("is enabled and paused while it is paused, and neither when it resumes or is disabled", () => {
    const after = (before: WebhookSettings, status: "enabled" | "paused" | "disabled") =>
      Result.getOrThrow(update(before, idOf(1), { status }, hours(1)))
    const paused = after(settingsOf(3), "paused")
    assert.deepInclude(paused.endpoint, { status: "enabled", isPaused: true })
    const renamed = Result.getOrThrow(update(paused.settings, idOf(1), { description: null }, hours(2)))
    assert.strictEqual(renamed.endpoint.isPaused, true)
    for (const status of ["enabled", "disabled"] as const) {
      const { endpoint } = after(paused.settings, status)
      assert.strictEqual(endpoint.status, status)
      assert.notProperty(endpoint, "isPaused")
    }
  })

  it("is disabled for failing where its merchant wants it and it is enabled, and says so until it is enabled", () => {
    const wanting = { ...endpoint(1), disablesWhenFailing: true }
    const settings = { ...settingsOf(1), endpoints: [endpoint(0), wanting] }
    const failed = Result.getOrThrow(disableFailing(settings, idOf(1), hours(1)))
    assert.deepInclude(failed.endpoint, { status: "disabled", isDisabledForFailing: true, updatedAt: hours(1) })
    assert.strictEqual(Result.getOrThrow(disableFailing(settings, idOf(0), hours(1))).endpoint, endpoint0(settings))
    const { settings: off } = Result.getOrThrow(update(settings, idOf(1), { status: "disabled" }, hours(1)))
    assert.notProperty(Result.getOrThrow(disableFailing(off, idOf(1), hours(2))).endpoint, "isDisabledForFailing")
    const on = Result.getOrThrow(update(failed.settings, idOf(1), { status: "enabled" }, hours(2)))
    assert.notProperty(on.endpoint, "isDisabledForFailing")
    assert.isTrue(on.endpoint.disablesWhenFailing)
  })

  it("is made with the wish to be disabled when it fails, or without one", () => {
    const fields = { id: idOf(1), url: "https://shop.example/", description: null, types: [], secret: "s", now: madeAt }
    assert.strictEqual(newEndpoint({ ...fields, disablesWhenFailing: true }).disablesWhenFailing, true)
    assert.notProperty(newEndpoint({ ...fields, disablesWhenFailing: false }), "disablesWhenFailing")
  })

  it("goes alone when it is removed", () => {
    const before = settingsOf(3)
    const after = Result.getOrThrow(remove(before, idOf(1)))
    assert.deepStrictEqual(after, { ...before, endpoints: [endpoint(0), endpoint(2)] })
    assert.isTrue(Result.isFailure(remove(before, idOf(9))))
  })

  it("signs with a new secret from its rotation on, and for 24 hours with the one before", () => {
    const { endpoint: rotated } = Result.getOrThrow(rotate(settingsOf(1), idOf(0), "fresh", hours(1)))
    assert.deepStrictEqual(rotated, {
      ...endpoint(0),
      secrets: { current: "fresh", rotatedAt: hours(1), old: [{ secret: "secret 0", until: hours(25) }] },
      updatedAt: hours(1)
    })
    assert.deepStrictEqual(signingNow(rotated.secrets, hours(24)), ["fresh", "secret 0"])
    assert.deepStrictEqual(signingNow(rotated.secrets, hours(25)), ["fresh"])
    assert.isTrue(Result.isFailure(rotate(settingsOf(1), idOf(9), "fresh", hours(1))))
  })
})

describe("the account's secret", () => {
  const rotations = (...times: ReadonlyArray<number>) =>
    times.reduce((settings, at, index) => rotateSigning(settings, `secret ${index}`, hours(at)), settingsOf(2))

  it("leaves the endpoints as they are when it is rotated", () => {
    assert.deepStrictEqual(rotations(1), {
      ...settingsOf(2),
      signing: { current: "secret 0", rotatedAt: hours(1), old: [{ secret: "first", until: hours(25) }] }
    })
  })

  it("signs beside the latest five of those before, the latest first", () => {
    const names = signingNow(rotations(1, 2, 3, 4, 5, 6, 7).signing, hours(7))
    assert.deepStrictEqual(names, ["secret 6", "secret 5", "secret 4", "secret 3", "secret 2", "secret 1"])
  })

  it("is forgotten by the next rotation once it signs no more", () => {
    const { old } = rotations(0, 10, 24).signing
    assert.deepStrictEqual(
      old.map(({ secret }) => secret),
      ["secret 1", "secret 0"]
    )
  })
})
