/** docs/cryptography.md names each algorithm that the sources name. */
import { globSync, readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"

/** The names in the sources, and those of the page. */
const names: Readonly<Record<string, string>> = {
  "aes-256-gcm": "AES-256-GCM",
  sha256: "SHA-256",
  "sha3-256": "SHA-3-256",
  "ECDHE-PSK-CHACHA20-POLY1305": "ECDHE-PSK-CHACHA20-POLY1305",
  X25519: "X25519"
}

const named = /"(aes-[\w-]+|des(?:-[\w-]+)?|rc4|md5|sha\d[\w-]*|X25519|chacha20[\w-]*)"|(ECDHE-[A-Z0-9-]+)/g

it("the inventory of cryptography names each algorithm of the sources, and the sources no other", () => {
  const page = readFileSync("docs/cryptography.md", "utf8")
  const found = new Set(
    globSync(["src/**/*.ts", "packages/{cluster,sdk}/src/**/*.ts"]).flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(named)].map(([, quoted, suite]) => quoted ?? suite!)
    )
  )
  assert.isAbove(found.size, 3)
  for (const each of found) {
    assert.isDefined(names[each], `${each} is not in the inventory`)
    assert.include(page, names[each]!)
  }
})
