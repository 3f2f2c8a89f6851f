/**
 * The merchant's allowlist at work, and whose address is looked at when a proxy stands in between (spec:
 * Authentication, 4; silences: G10, U3). Which entry lets which address through: `test/rules/allowlist.test.ts`.
 */
import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Result } from "effect"
import { IpNetwork } from "effect/net"
import { behind } from "../../../src/shared/http/clientAddress.ts"
import type { Api, Merchant } from "../../kit/Api.ts"
import { onOneService, sharedService, start } from "../../kit/Service.ts"

/** The test itself calls from 127.0.0.1, so that is what the service must take for its proxy. */
const proxied = { env: { TRUSTED_PROXIES: "127.0.0.1, 10.0.0.0/8" } }

const callFrom = (api: Api, key: string, from: string) =>
  api.call("GET", "/v1/balance", { key, headers: { "X-Forwarded-For": from } })

const allow = (api: Api, { merchantId }: Merchant, lists: { sandbox?: string; live?: string }) =>
  api.operator(
    "POST",
    `/merchants/${merchantId}`,
    Object.fromEntries(Object.entries(lists).map(([mode, ip_allowlist]) => [mode, { ip_allowlist }]))
  )

onOneService((it) => {
  describe("an allowlist", () => {
    it.effect("refuses calls from elsewhere with 403 ip_not_allowed, from the moment it is set", () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* sharedService
        const key = merchant.sandboxKey
        assert.strictEqual((yield* callFrom(api, key, "203.0.113.8")).status, 200)
        yield* allow(api, merchant, { sandbox: "203.0.113.7, 198.51.100.0/24 2001:db8::1" })

        const refused = yield* callFrom(api, key, "203.0.113.8")
        assert.deepStrictEqual([refused.status, refused.body.error], [403, "ip_not_allowed"])
        for (const from of ["203.0.113.7", "198.51.100.200", "2001:DB8:0::1", "::ffff:203.0.113.7"]) {
          assert.strictEqual((yield* callFrom(api, key, from)).status, 200, from)
        }
        yield* allow(api, merchant, { sandbox: "203.0.113.8" })
        assert.strictEqual((yield* callFrom(api, key, "203.0.113.8")).status, 200)
        assert.strictEqual((yield* callFrom(api, key, "203.0.113.7")).status, 403)
        yield* allow(api, merchant, { sandbox: "" })
        assert.strictEqual((yield* callFrom(api, key, "203.0.113.7")).status, 200)
      })
    )

    it.effect("of one environment says nothing about the other, nor about other merchants", () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* sharedService
        const other = yield* api.newMerchant("Next door")
        const approval = { approved: true, live_currencies: ["USD"] }
        yield* api.operator("POST", `/merchants/${merchant.merchantId}`, approval)
        yield* allow(api, merchant, { live: "203.0.113.7" })
        assert.strictEqual((yield* callFrom(api, merchant.liveKey, "203.0.113.8")).status, 403)
        assert.strictEqual((yield* callFrom(api, merchant.liveKey, "203.0.113.7")).status, 200)
        assert.strictEqual((yield* callFrom(api, merchant.sandboxKey, "203.0.113.8")).status, 200)
        assert.strictEqual((yield* callFrom(api, other.sandboxKey, "203.0.113.8")).status, 200)
      })
    )

    it.effect("is looked at after the key and before the approval", () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* sharedService
        yield* allow(api, merchant, { sandbox: "203.0.113.7", live: "203.0.113.7" })
        const said = (key: string, from: string) => Effect.map(callFrom(api, key, from), ({ body }) => body.error)
        assert.strictEqual(yield* said("svc_live_wrong", "203.0.113.8"), "invalid_api_key")
        assert.strictEqual(yield* said(merchant.liveKey, "203.0.113.8"), "ip_not_allowed")
        assert.strictEqual(yield* said(merchant.liveKey, "203.0.113.7"), "merchant_not_approved")
      })
    )

    it.effect("with a bad entry is refused by the operator's API, which names it, and changes nothing", () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* start()
        yield* allow(api, merchant, { sandbox: "203.0.113.7" })
        for (const [mode, list, entry] of [
          ["sandbox", "203.0.113.7, 2001:db8::/32, nonsense", "2001:db8::/32"],
          ["live", "10.0.0.0/33", "10.0.0.0/33"]
        ] as const) {
          const { body, status } = yield* allow(api, merchant, { [mode]: list })
          assert.deepStrictEqual([status, body.error, body.param], [400, "invalid_request", `${mode}.ip_allowlist`])
          assert.include(body.message, entry)
        }
        const { body } = yield* api.operator("GET", `/merchants/${merchant.merchantId}`)
        assert.strictEqual(body.data.sandbox.ip_allowlist, "203.0.113.7")
        assert.strictEqual(body.data.live.ip_allowlist, "")
      })
    )

    it.effect("that cannot be parsed, written past the API, admits no caller", () =>
      Effect.gen(function* () {
        const { api, merchant, sql } = yield* start()
        yield* sql`update merchant_modes set ip_allowlist = '127.0.0.1, nonsense'`
        assert.strictEqual((yield* api.get("/v1/balance", merchant.sandboxKey)).status, 403)
      })
    )
  })

  describe("X-Forwarded-For", () => {
    it.effect("means nothing when no proxy is trusted", () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* start()
        yield* allow(api, merchant, { sandbox: "203.0.113.7" })
        assert.strictEqual((yield* callFrom(api, merchant.sandboxKey, "203.0.113.7")).status, 403)
        yield* allow(api, merchant, { sandbox: "127.0.0.1" })
        assert.strictEqual((yield* callFrom(api, merchant.sandboxKey, "203.0.113.7")).status, 200)
      })
    )

    it.effect("is not believed where the client wrote it", () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* sharedService
        yield* allow(api, merchant, { sandbox: "203.0.113.7" })
        const { body, status } = yield* callFrom(api, merchant.sandboxKey, "203.0.113.7, 198.51.100.9, 10.1.2.3")
        assert.strictEqual(status, 403)
        assert.include(body.message, "198.51.100.9")
      })
    )

    const proxies = ["127.0.0.1/32", "10.0.0.0/8", "fd00::/8"]
    const client = behind(proxies.map((text) => Result.getOrThrow(IpNetwork.fromString(text))))

    const table = `
    198.51.100.9     |                                        | 198.51.100.9
    198.51.100.9     | 203.0.113.7                            | 198.51.100.9
    ::ffff:127.0.0.1 | 203.0.113.7                            | 203.0.113.7
    127.0.0.1        |                                        | 127.0.0.1
    127.0.0.1        | 203.0.113.7                            | 203.0.113.7
    127.0.0.1        | 203.0.113.7, 10.0.0.1                  | 203.0.113.7
    127.0.0.1        | 203.0.113.7,10.0.0.1,fd00::1,10.9.9.9  | 203.0.113.7
    127.0.0.1        | 6.6.6.6, 203.0.113.7, 10.0.0.1         | 203.0.113.7
    127.0.0.1        | 10.0.0.2, 10.0.0.1                     | 10.0.0.2
    127.0.0.1        | 2001:DB8:0::1                          | 2001:db8::1
    127.0.0.1        | ::ffff:203.0.113.7                     | 203.0.113.7
    127.0.0.1        | 203.0.113.7:49152                      | 203.0.113.7
    127.0.0.1        | [2001:db8::1]:443                      | 2001:db8::1
    127.0.0.1        | [2001:db8::1]                          | 2001:db8::1
    fd00::7          | 203.0.113.7                            | 203.0.113.7
    fe80::7          | 203.0.113.7                            | fe80::7
    127.0.0.1        | unknown                                | 127.0.0.1
    127.0.0.1        | 6.6.6.6, unknown                       | 127.0.0.1
    127.0.0.1        | 6.6.6.6, unknown, 10.0.0.1             | 10.0.0.1
    127.0.0.1        | 6.6.6.6,                               | 127.0.0.1
    127.0.0.1        | , 203.0.113.7                          | 203.0.113.7
    127.0.0.1        | ,,,                                    | 127.0.0.1
    127.0.0.1        | 203.0.113.7.9                          | 127.0.0.1
    127.0.0.1        | 0313.0.113.7                           | 127.0.0.1`
    for (const line of table.trim().split("\n")) {
      const [peer = "", forwarded = "", expected] = line.split("|").map((cell) => cell.trim())
      it(`${forwarded === "" ? "absent" : forwarded} from ${peer} means ${expected}`, () => {
        assert.strictEqual(client(peer, forwarded === "" ? undefined : forwarded), expected)
      })
    }

    it("without trusted proxies leaves the address of the connection, as IPv4 where it is IPv4", () => {
      const plain = behind([])
      for (const [peer, expected] of [
        ["203.0.113.7", "203.0.113.7"],
        ["::ffff:203.0.113.7", "203.0.113.7"],
        ["2001:db8::ffff:1", "2001:db8::ffff:1"],
        ["::ffff:0:cb00:7107", "::ffff:0:cb00:7107"],
        ["::1", "::1"],
        [undefined, ""]
      ] as const) {
        assert.strictEqual(plain(peer, "6.6.6.6"), expected)
      }
    })

    it("of a client that has left matches no entry", () => {
      assert.strictEqual(client(undefined, "203.0.113.7"), "")
    })

    it("of any length and content is read", () => {
      for (const text of ["", ",".repeat(100_000), "10.0.0.1,".repeat(10_000), "x".repeat(100_000), "\u0000,%,[,]"]) {
        assert.isString(client("127.0.0.1", text))
      }
    })
  })

  describe("TRUSTED_PROXIES", () => {
    it.effect("with something that is no address and no range stops the start, and says which", () =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(start({ env: { TRUSTED_PROXIES: "10.0.0.0/8 nonsense" } }))
        assert.isTrue(Exit.isFailure(exit))
        assert.include(String(exit), "TRUSTED_PROXIES: nonsense")
      })
    )
  })
}, proxied)
