/** To which addresses an event is pushed (spec: Events; silences: W12). */
import { urlLengthMax } from "@coffer/model/Limits"
import { isHttpUrl, isPublicAddress, isPublicHttpsUrl } from "@coffer/rules/delivery/address"
import { assert, describe, it } from "@effect/vitest"

const rows = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()) as [string, string])

const words = (text: string) => text.trim().split(/\s+/)

describe("delivery: public addresses", () => {
  const publicAddresses = rows(`
    1.1.1.1              | a resolver
    8.8.8.8              | a resolver
    93.184.215.14        | a web server
    100.63.255.255       | below CGNAT
    100.128.0.0          | above CGNAT
    172.15.255.255       | below 172.16/12
    172.32.0.0           | above 172.16/12
    169.253.255.255      | below link-local
    192.167.255.255      | below 192.168/16
    198.17.255.255       | below benchmarking
    223.255.255.255      | the last before multicast
    2606:4700:4700::1111 | a resolver
    2a00:1450:4001::1    | a web server
    ::ffff:8.8.8.8       | mapped, judged as the IPv4
    ::ffff:808:808       | the same, in hex
    168.63.129.15        | below Azure's own
    168.63.129.17        | above it
    161.25.255.255       | below IBM's services
    199.36.153.3         | below Google's
    199.36.153.12        | above them
    2606:4700:0:5efe::1  | not where ISATAP writes it
    2606:4700::1:5efe:808:808 | the same
  `)
  for (const [address, what] of publicAddresses) {
    it(`${address} is public: ${what}`, () => assert.isTrue(isPublicAddress(address)))
  }

  const otherAddresses = rows(`
    0.0.0.0                | unspecified
    0.1.2.3                | this network
    10.0.0.1               | private
    10.255.255.255         | private
    100.64.0.1             | CGNAT
    100.127.255.254        | CGNAT
    127.0.0.1              | loopback
    127.255.255.254        | loopback
    169.254.0.1            | link-local
    169.254.169.254        | cloud metadata
    168.63.129.16          | Azure's own, from every machine there
    100.100.100.200        | Alibaba's metadata
    192.0.0.192            | Oracle's metadata, formerly
    161.26.0.10            | IBM's services
    166.8.0.1              | IBM's services
    166.11.255.254         | IBM's services
    199.36.153.4           | Google's APIs from inside
    199.36.153.11          | Google's APIs from inside
    183.60.83.19           | Tencent's name servers
    183.60.82.98           | Tencent's name servers
    172.16.0.1             | private
    172.31.255.255         | private
    192.0.0.1              | protocol assignments
    192.0.2.1              | documentation
    192.88.99.1            | 6to4 relays
    192.168.1.1            | private
    198.18.0.1             | benchmarking
    198.19.255.255         | benchmarking
    198.51.100.7           | documentation
    203.0.113.9            | documentation
    224.0.0.1              | multicast
    239.255.255.250        | multicast
    240.0.0.1              | reserved
    255.255.255.255        | broadcast
    ::                     | unspecified
    ::1                    | loopback
    ::7f00:1               | IPv4-compatible loopback
    ::127.0.0.1            | the same, dotted
    ::8.8.8.8              | IPv4-compatible, deprecated
    2606:4700::8.8.8.8     | a dotted tail that no resolver writes
    ::ffff:127.0.0.1       | mapped loopback
    ::ffff:7f00:1          | mapped loopback, in hex
    ::ffff:169.254.169.254 | mapped metadata
    ::ffff:a00:1           | mapped private
    ::ffff:168.63.129.16   | mapped Azure
    2606:4700::5efe:7f00:1 | ISATAP of loopback
    2606:4700::5efe:808:808 | ISATAP of a public address
    2606:4700::200:5efe:a00:1 | ISATAP with the u bit
    2606:4700::5efe:10.0.0.1 | ISATAP, dotted
    fe80::5efe:a00:1       | ISATAP, link-local
    ::ffff:0:127.0.0.1     | translated loopback
    ::ffff:0:808:808       | translated
    64:ff9b::7f00:1        | NAT64 of loopback
    64:ff9b::808:808       | NAT64 of a public address
    64:ff9b:1::a00:1       | local NAT64
    100::1                 | discard
    2001::1                | Teredo
    2001:0:53aa:64c::1     | Teredo
    2001:2::1              | benchmarking
    2001:10::1             | ORCHID
    2001:20::1             | ORCHIDv2
    2001:db8::1            | documentation
    2002:7f00:1::          | 6to4 of loopback
    2002:808:808::1        | 6to4 of a public address
    3fff::1                | documentation
    4000::1                | outside global unicast
    5f00::1                | segment routing
    fc00::1                | unique local
    fd00:ec2::254          | cloud metadata
    fe80::1                | link-local
    fe80::1%eth0           | link-local with a zone
    2606:4700::1%eth0      | a zone
    fec0::1                | site-local
    ff02::1                | multicast
    127.1                  | short form
    2130706433             | one number
    0x7f.0.0.1             | hexadecimal
    0177.0.0.1             | octal
    8.8.8                  | short form of a public address
    08.8.8.8               | leading zero
    [2606:4700::1]         | brackets
    merchant.example       | a name
    256.1.1.1              | not an address
  `)
  for (const [address, what] of otherAddresses) {
    it(`${address} is not public: ${what}`, () => assert.isFalse(isPublicAddress(address)))
  }

  it("an empty text is not public", () => assert.isFalse(isPublicAddress("")))
})

describe("delivery: URLs", () => {
  const longest = `https://merchant.example/${"a".repeat(urlLengthMax - 25)}`

  const publicUrls = words(`
    https://merchant.example https://merchant.example/ https://merchant.example./hook
    HTTPS://Merchant.Example/Hook https://merchant.example:8443/hook?token=a@b&x=%20#part
    https://merchant.example/@user https://merchant.example?q=1 https://xn--mller-kva.example/
    https://müller.example/grüße https://local.merchant.example/ https://localhost.example/ https://1.1.1.1/hook
    https://0x08080808/ https://[2606:4700:4700::1111]/hook https://[::ffff:8.8.8.8]:8443/
  `)
  for (const url of [...publicUrls, longest]) {
    it(`${url.slice(0, 60)} may be a live endpoint, and a sandbox one`, () => {
      assert.isTrue(isPublicHttpsUrl(url))
      assert.isTrue(isHttpUrl(url))
    })
  }

  const sandboxUrls = words(`
    http://merchant.example/ http://localhost:3000/hook https://localhost/ https://localhost./
    https://LOCALHOST/ https://api.localhost/ https://api.localhost./ https://printer.local/
    https://db.internal/ https://metadata.google.internal/ https://intranet/ https://intranet./
    https://a..example/ https://127.0.0.1/ https://127.0.0.1./ https://127.1/ https://0x7f.1/
    https://0x7f000001/ https://0177.0.0.1/ https://2130706433/ https://017700000001/ https://%31%32%37.0.0.1/
    https://１２７.0.0.1/ https://127。0。0。1/ https://0/ https://10.0.0.1/ https://100.64.0.1/
    https://169.254.169.254/latest/meta-data/ https://2852039166/ https://192.168.0.1:8443/
    https://255.255.255.255/ https://203.0.113.9/ https://[::]/ https://[::1]/ https://[::ffff:127.0.0.1]/
    https://[::ffff:a9fe:a9fe]/ https://[::127.0.0.1]/ https://[64:ff9b::7f00:1]/ https://[2002:7f00:1::]/
    https://[fd00::1]/ https://[fe80::1]/ https://[2001:db8::1]/
  `)
  for (const url of sandboxUrls) {
    it(`${url} may be a sandbox endpoint and not a live one`, () => {
      assert.isFalse(isPublicHttpsUrl(url))
      assert.isTrue(isHttpUrl(url))
    })
  }

  const refusedUrls = [
    "",
    "merchant.example",
    "//merchant.example/",
    "https://",
    "https:///merchant.example/",
    "https:merchant.example",
    "https:\\\\merchant.example\\",
    "https://merchant.example\\@127.0.0.1/",
    " https://merchant.example/",
    "https://merchant.example/ ",
    "https://merchant.example/a b",
    "https://merchant.example/a\nb",
    "https://merchant.exa\tmple/",
    "https://merchant.example/\u0000",
    "https://{TRADE_NO}.merchant.example/",
    "https://merchant.example{OUT_TRADE_NO}/",
    "https://{TRADE_NO}@merchant.example/",
    "https://merchant.example:{TRADE_NO}/",
    "https://%7BTRADE_NO%7D.merchant.example/",
    "https://user@merchant.example/",
    "https://user:secret@merchant.example/",
    "https://@merchant.example/",
    "https://1.1.1.1@127.0.0.1/",
    "https://merchant.example:99999/",
    "https://[::1/",
    "https://[fe80::1%25eth0]/",
    "https://256.256.256.256/",
    "https://exa<mple.example/",
    "ftp://merchant.example/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/plain,x",
    `${longest}a`
  ]
  for (const url of refusedUrls) {
    it(`${JSON.stringify(url).slice(0, 60)} is no endpoint at all`, () => {
      assert.isFalse(isPublicHttpsUrl(url))
      assert.isFalse(isHttpUrl(url))
    })
  }
})
