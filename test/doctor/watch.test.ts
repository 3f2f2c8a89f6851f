/** Things that the service watches beside its own work: certificates and the age of the reconciliation, as metrics. */
import { readFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { createServer } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Metric } from "effect"
import { TestClock } from "effect/testing"
import { certificateEnd, makeLook } from "../../src/door/doctor/publicCertificate.ts"
import { ageOfBooks } from "../../src/channels/stripe/ReconciliationStore.ts"
import { authority, needsOpenssl } from "../kit/servers/Certificates.ts"
import { freePort } from "../kit/Service.ts"
import { begins, connected, connectedAs } from "../stripe/kit.ts"

const expires = Metric.gauge("coffer_public_certificate_expires_seconds", {
  description: "Time until the certificate of PUBLIC_URL expires; +Inf without one"
})
const day = 86_400
const open = (publicUrl: string) => ({ noOutbound: false, publicUrl })

/** A place where TLS ends, with a certificate for two days. */
const proxy = Effect.gen(function* () {
  const { sign } = yield* authority
  const { cert, key } = sign("DNS:localhost")
  let handshakes = 0
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) })
  server.on("connection", () => handshakes++)
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => server.close())
  )
  const { port } = server.address() as AddressInfo
  return { server, port, handshakes: () => handshakes }
})

describe(`the certificate of PUBLIC_URL${needsOpenssl}`, { skip: needsOpenssl !== "" }, () => {
  it.effect("is read where TLS ends, once an hour, and counts below zero when it has ended", () =>
    Effect.gen(function* () {
      const { handshakes, port } = yield* proxy
      yield* TestClock.setTime(Date.now())
      const look = makeLook(open(`https://localhost:${port}`))
      const left = Effect.andThen(
        look,
        Effect.map(Metric.value(expires), ({ value }) => Number(value))
      )
      assert.closeTo(yield* left, 2 * day, 600)
      yield* TestClock.adjust("1 day")
      assert.closeTo(yield* left, day, 600)
      yield* TestClock.adjust("2 days")
      assert.closeTo(yield* left, -day, 600)
      assert.strictEqual(handshakes(), 1)
      for (let minute = 3; minute < 60; minute++) yield* look
      assert.strictEqual(handshakes(), 1)
      yield* look
      assert.strictEqual(handshakes(), 2)
    })
  )

  it.effect("says nothing where it was never seen, and is forgotten when it has not been seen for a day", () =>
    Effect.gen(function* () {
      const { port, server } = yield* proxy
      yield* TestClock.setTime(Date.now())
      const look = makeLook(open(`https://localhost:${port}`))
      yield* look
      assert.isBelow((yield* Metric.value(expires)).value, 3 * day)
      server.close()
      for (let hour = 0; hour < 23; hour++) for (let minute = 0; minute < 60; minute++) yield* look
      assert.isBelow((yield* Metric.value(expires)).value, 3 * day)
      for (let minute = 0; minute < 60; minute++) yield* look
      assert.strictEqual((yield* Metric.value(expires)).value, Infinity)
      for (const url of [`https://localhost:${port}`, `https://nobody.invalid`, `http://localhost:${port}`]) {
        yield* makeLook(open(url))
        assert.strictEqual((yield* Metric.value(expires)).value, Infinity, url)
      }
    })
  )

  it.effect("is not looked at where NO_OUTBOUND is set, and the metric says that none is seen", () =>
    Effect.gen(function* () {
      const { handshakes, port } = yield* proxy
      yield* TestClock.setTime(Date.now())
      yield* makeLook({ noOutbound: true, publicUrl: `https://localhost:${port}` })
      assert.strictEqual((yield* Metric.value(expires)).value, Infinity)
      assert.strictEqual(handshakes(), 0)
    })
  )

  it.live("is not seen where nothing listens, and the look ends", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(certificateEnd(`https://127.0.0.1:${yield* freePort}`))
      assert.strictEqual(exit._tag, "Failure")
    })
  )
})

describe("the age of the reconciliation", () => {
  it.live("is that of the account whose books wait longest, by mode", () =>
    Effect.gen(function* () {
      const world = yield* connected()
      yield* connectedAs(world, yield* world.api.newMerchant(), "sk_test_another")
      const later = DateTime.makeUnsafe(begins + 2 * day * 1_000)
      const ages = Effect.all({
        live: ageOfBooks(world.sql, "live", later),
        sandbox: ageOfBooks(world.sql, "sandbox", later)
      })
      yield* world.sql`update stripe_polls set movements_since = '2026-01-01'`
      assert.deepStrictEqual(yield* ages, { live: 0, sandbox: 2 * day })
      const { merchantId } = world.merchant
      yield* world.sql`update stripe_polls set movements_since = '2025-12-31' where merchant_id = ${merchantId}`
      assert.deepStrictEqual(yield* ages, { live: 0, sandbox: 3 * day })
      yield* world.api.operator("POST", world.channelPath, { channel: "sandbox" })
      assert.deepStrictEqual(yield* ages, { live: 0, sandbox: 2 * day })
    })
  )
})
