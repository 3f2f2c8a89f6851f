/** Runners that know each other by certificates instead of a key (docs/decisions/0027). */
import { copyFileSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { type CertificateFiles, ofCertificates } from "@coffer/cluster/RunnerTls"
import { authority, needsOpenssl } from "../kit/servers/Certificates.ts"
import { callerWith, keyed, localPlace, portOf } from "../kit/runners/Peers.ts"
import { application } from "../kit/runners/thisRunner.ts"

const here = "IP:127.0.0.1"
const certificates = (files: CertificateFiles) => ofCertificates(application, files)

describe.skipIf(needsOpenssl !== "")(`runners with certificates${needsOpenssl}`, () => {
  it.live("talk when the same authority has signed both", () =>
    Effect.gen(function* () {
      const { sign } = yield* authority
      const port = yield* portOf(yield* certificates(sign(here, "a")), yield* localPlace)
      const caller = yield* callerWith(yield* certificates(sign(here, "b")))
      assert.strictEqual(yield* caller.call(port.at, "hello"), "heard hello")
      assert.deepStrictEqual([port.refused(), caller.refused()], [{}, {}])
    })
  )

  it.live("refuse one that another authority has signed, and say so", () =>
    Effect.gen(function* () {
      const [ours, theirs] = [yield* authority, yield* authority]
      const port = yield* portOf(yield* certificates(ours.sign(here)), yield* localPlace)
      // It trusts the port; the port does not trust it.
      const stranger = yield* callerWith(yield* certificates({ ...theirs.sign(here), ca: ours.ca }))
      assert.isUndefined(yield* stranger.call(port.at, "from elsewhere"))
      assert.deepStrictEqual([port.received, port.refused()], [[], { "incoming handshake": 1 }])
      assert.match(port.log.join("\n"), /refused: .*\((UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO)/)
    })
  )

  it.live("refuse one that shows no certificate, or a key instead", () =>
    Effect.gen(function* () {
      const { sign } = yield* authority
      const port = yield* portOf(yield* certificates(sign(here)), yield* localPlace)
      const { cert: _, key: __, ...rest } = (yield* certificates(sign(here, "b"))).dialling(port.at)
      const nameless = yield* callerWith({ ...keyed(port.at, "key"), dialling: () => rest })
      assert.isUndefined(yield* nameless.call(port.at, "nobody"))
      const withKey = yield* callerWith(keyed(port.at, "key"))
      assert.isUndefined(yield* withKey.call(port.at, "nobody"))
      assert.deepStrictEqual([port.received, port.refused()], [[], { "incoming handshake": 2 }])
    })
  )

  it.live("send nothing to one whose certificate is for another host, or by another authority", () =>
    Effect.gen(function* () {
      const [ours, theirs] = [yield* authority, yield* authority]
      const caller = yield* callerWith(yield* certificates(ours.sign(here, "caller")))
      const elsewhere = yield* portOf(yield* certificates(ours.sign("DNS:other.example")), yield* localPlace)
      const impostor = yield* portOf(yield* certificates(theirs.sign(here)), yield* localPlace)
      for (const { at, received } of [elsewhere, impostor]) {
        assert.isUndefined(yield* caller.call(at, "a secret"))
        assert.deepStrictEqual(received, [])
      }
      assert.deepStrictEqual(caller.refused(), { "outgoing handshake": 2 })
      assert.lengthOf(caller.log, 1)
    })
  )

  it.effect("use files that were replaced within a minute, without a stop", () =>
    Effect.gen(function* () {
      const [before, after] = [yield* authority, yield* authority]
      const files = before.sign(here)
      const port = yield* portOf(yield* certificates(files), yield* localPlace)
      const newer = yield* callerWith(yield* certificates(after.sign(here, "newer")))
      assert.isUndefined(yield* newer.call(port.at, "too early"))
      const replacement = after.sign(here)
      for (const name of ["cert", "key", "ca"] as const) copyFileSync(replacement[name], files[name])
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* newer.call(port.at, "now"), "heard now")
    })
  )

  it.effect("keep what they have when a file is replaced by something else, and say so", () =>
    Effect.gen(function* () {
      const { sign } = yield* authority
      const files = sign(here)
      const port = yield* portOf(yield* certificates(files), yield* localPlace)
      const caller = yield* callerWith(yield* certificates(sign(here, "caller")))
      writeFileSync(files.key, "no key")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* caller.call(port.at, "still"), "heard still")
      assert.match(port.log.join("\n"), /the runner's certificates stay as they were/)
    })
  )

  it.live("do not start with a file that is missing, or none of its kind", () =>
    Effect.gen(function* () {
      const { sign } = yield* authority
      const files = sign(here)
      const missing = yield* Effect.flip(certificates({ ...files, ca: "/nowhere/ca.pem" }))
      assert.include(missing.message, "ca names /nowhere/ca.pem, which cannot be read: ENOENT: ")
      for (const wrong of [
        { ...files, cert: files.key },
        { ...files, key: sign(here, "other").key },
        { ...files, ca: files.key }
      ]) {
        assert.include((yield* Effect.flip(certificates(wrong))).message, "must be PEM files")
      }
    })
  )
})
