/** `/.well-known/security.txt` (RFC 9116), as the operator's setting says. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { settingsOf } from "../../kit/program/settings.ts"
import { start } from "../../kit/Service.ts"

const secrets = {
  SECRET_KEY: Buffer.alloc(32, "0123456789abcdef").toString("base64"),
  OPERATOR_TOKEN: "an-operators-token-of-many-characters-0123456789"
}

describe("security.txt", () => {
  it.live("names the contacts, where it stands, and a time within the year until which it holds", () =>
    Effect.gen(function* () {
      const { api } = yield* start({ env: { SECURITY_CONTACT: "mailto:a@pay.example, https://pay.example/report" } })
      const { headers, status, text } = yield* api.get("/.well-known/security.txt")
      assert.deepStrictEqual([status, headers.get("content-type")], [200, "text/plain; charset=utf-8"])
      const fields = text
        .trim()
        .split("\n")
        .map((line) => line.split(": "))
      assert.deepStrictEqual(
        fields.map(([name]) => name),
        ["Contact", "Contact", "Expires", "Preferred-Languages", "Canonical"]
      )
      assert.deepStrictEqual(
        fields.slice(0, 2).map(([, value]) => value),
        ["mailto:a@pay.example", "https://pay.example/report"]
      )
      const days = (Date.parse(fields[2]![1]!) - Date.now()) / 86_400_000
      assert.isTrue(days > 30 && days < 365, String(days))
      assert.match(fields[4]![1]!, /^https?:\/\/[^/]+\/\.well-known\/security\.txt$/)
    })
  )

  it.live("is not there where no contact is set", () =>
    Effect.gen(function* () {
      const { api } = yield* start()
      assert.strictEqual((yield* api.get("/.well-known/security.txt")).status, 404)
    })
  )
})

describe("SECURITY_CONTACT", () => {
  for (const [contact, isTaken] of [
    ["mailto:security@pay.example", true],
    ["mailto:a@pay.example, https://pay.example/report", true],
    ["security@pay.example", false],
    ["http://pay.example", false],
    ["mailto:a@pay.example\nContact: mailto:b@other.example", false]
  ] as const) {
    it.effect(`${isTaken ? "takes" : "refuses"} ${JSON.stringify(contact)}`, () =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(settingsOf({ ...secrets, SECURITY_CONTACT: contact }))
        assert.strictEqual(Exit.isSuccess(exit), isTaken, JSON.stringify(exit))
      })
    )
  }
})
