/**
 * Which addresses an allowlist lets through (spec: Authentication, 4; silences: U3). Node's own opinion decides which
 * text is an IPv6 address at all.
 */
import { isIPv6 } from "node:net"
import { isAllowed, parseAllowlist } from "@coffer/rules/allowlist"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"

const allows = (list: string, from: string): boolean => isAllowed(Result.getOrThrow(parseAllowlist(list)), from)
const badEntry = (list: string): string | undefined => {
  const parsed = parseAllowlist(list)
  return Result.isFailure(parsed) ? parsed.failure : undefined
}

const rows = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()) as [string, string, string])

describe("an allowlist", () => {
  it("lets every address through when it has no entry", () => {
    for (const list of ["", "  ", ",", " , \n,"]) {
      for (const from of ["203.0.113.7", "2001:db8::1", "", "unknown"]) assert.isTrue(allows(list, from))
    }
  })

  const table = `
    203.0.113.7              | 203.0.113.7                  | yes
    203.0.113.7              | 203.0.113.8                  | no
    203.0.113.7              | ::ffff:203.0.113.7           | yes
    203.0.113.7              | ::ffff:cb00:7107             | yes
    203.0.113.7              | ::FFFF:203.0.113.7           | yes
    203.0.113.7              | ::203.0.113.7                | no
    203.0.113.7              | 64:ff9b::203.0.113.7         | no
    ::ffff:203.0.113.7       | 203.0.113.7                  | yes
    ::ffff:cb00:7107         | 203.0.113.7                  | yes
    198.51.100.0/24          | 198.51.100.0                 | yes
    198.51.100.0/24          | 198.51.100.255               | yes
    198.51.100.0/24          | 198.51.101.0                 | no
    198.51.100.0/24          | 198.51.99.255                | no
    198.51.100.0/24          | ::ffff:198.51.100.1          | yes
    198.51.100.77/24         | 198.51.100.1                 | yes
    198.51.100.64/26         | 198.51.100.127               | yes
    198.51.100.64/26         | 198.51.100.128               | no
    198.51.100.4/31          | 198.51.100.5                 | yes
    198.51.100.4/32          | 198.51.100.5                 | no
    128.0.0.0/1              | 255.255.255.255              | yes
    128.0.0.0/1              | 127.255.255.255              | no
    0.0.0.0/0                | 8.8.8.8                      | yes
    0.0.0.0/0                | 2001:db8::1                  | no
    2001:db8::1              | 2001:db8::1                  | yes
    2001:db8::1              | 2001:DB8:0:0:0:0:0:1         | yes
    2001:0db8:0000::0001     | 2001:db8::1                  | yes
    2001:db8::1              | 2001:db8::2                  | no
    2001:db8::102:304        | 2001:db8::1.2.3.4            | yes
    2001:db8::1.2.3.4        | 2001:db8::102:304            | yes
    ::1                      | 0:0:0:0:0:0:0:1              | yes
    ::1                      | 127.0.0.1                    | no
    203.0.113.7              | 203.0.113.07                 | no
    203.0.113.7              | 203.0.113.7:80               | no
    203.0.113.7              | unknown                      | no
    fe80::1                  | fe80::1%eth0                 | no`
  for (const [entry, from, answer] of rows(table)) {
    it(`${entry} ${answer === "yes" ? "lets through" : "keeps out"} ${from}`, () => {
      assert.strictEqual(allows(entry, from), answer === "yes")
    })
  }

  it("with entries admits no caller whose address is unknown", () => {
    assert.isFalse(allows("0.0.0.0/0", ""))
  })

  it("has commas, spaces and line ends between its entries", () => {
    const list = " 203.0.113.7,198.51.100.0/24  2001:db8::1,\n\t192.0.2.1 ,, 192.0.2.2 "
    for (const from of ["203.0.113.7", "198.51.100.9", "2001:db8::1", "192.0.2.1", "192.0.2.2"]) {
      assert.isTrue(allows(list, from), from)
    }
    for (const from of ["203.0.113.8", "192.0.2.3", "2001:db8::2"]) assert.isFalse(allows(list, from), from)
  })

  it("is refused with its first bad entry by name", () => {
    assert.strictEqual(badEntry("203.0.113.7, 10.0.0.0/33, nonsense"), "10.0.0.0/33")
    assert.strictEqual(badEntry("203.0.113.7 nonsense 10.0.0.0/33"), "nonsense")
  })

  const bad = `
    2001:db8::/32 2001:db8::1/128 ::/0 ::ffff:10.0.0.0/104 10.0.0.0/33 10.0.0.0/-1 10.0.0.0/ 10.0.0.0/8/8 10.0.0.0/08
    10.0.0.0/1e1 10.0.0.0/255.0.0.0 /8 10.0.0 10.0.0.256 10.0.0.1.2 010.0.0.1 0x0a.0.0.1 167772161 10.0.0.* 10.0.0.1-9
    localhost example.com 10.0.0.1:80 [::1] [::1]:80 fe80::1%eth0 ::: 1::2::3 1:2:3:4:5:6:7 1:2:3:4:5:6:7:8:9 12345::
    g::1 : ; 10.0.0.1;10.0.0.2 ::1.2.3 ::1.2.3.256 1.2.3.4::`
  for (const entry of bad.trim().split(/\s+/)) {
    it(`cannot hold ${entry}`, () => assert.strictEqual(badEntry(entry), entry))
  }
})

describe("laws", () => {
  const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255))
  const ipv4 = octets.map((parts) => parts.join("."))
  const number = (address: string) => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0)

  it("an IPv4 range holds the addresses that share its first bits, and no others", () => {
    fc.assert(
      fc.property(ipv4, ipv4, fc.nat(32), (network, from, bits) => {
        const size = 2 ** (32 - bits)
        const same = Math.floor(number(network) / size) === Math.floor(number(from) / size)
        assert.strictEqual(allows(`${network}/${bits}`, from), same)
      })
    )
  })

  it("an IPv4 address and its mapped form are one address", () => {
    fc.assert(
      fc.property(ipv4, ipv4, (entry, from) => {
        assert.strictEqual(allows(entry, `::ffff:${from}`), allows(entry, from))
        assert.strictEqual(allows(`::ffff:${entry}`, from), allows(entry, from))
      })
    )
  })

  it("every spelling of an IPv6 address is the same entry", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }), (parts) => {
        const short = parts.map((part) => part.toString(16)).join(":")
        const long = parts.map((part) => part.toString(16).padStart(4, "0").toUpperCase()).join(":")
        assert.isTrue(allows(short, long))
        assert.isTrue(allows(long, short))
      })
    )
  })

  it("what Node takes for no IPv6 address is no entry either", () => {
    const text = fc.string({ unit: fc.constantFrom(..."0123456789abf:.".split("")), maxLength: 20 })
    fc.assert(
      fc.property(fc.oneof(text, fc.ipV6()), (entry) => {
        if (!entry.includes(":")) return
        assert.strictEqual(badEntry(entry) === undefined, isIPv6(entry), entry)
      }),
      { numRuns: 2_000 }
    )
  })
})
