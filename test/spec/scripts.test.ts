/** The inventory of the pages' scripts in docs/pci.md (PCI DSS 6.4.3), held to the hashes that the pages' policies have. */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"

/** In a process of its own: a test's modules are written anew, and the scripts are made of the text of functions. */
const hashIn = (file: string, policy: string): string => {
  const program = `import { ${policy} } from ${JSON.stringify(`./${file}`)}; console.log(${policy}["content-security-policy"])`
  const text = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" })
  return /script-src '(sha256-[^']+)'/.exec(text)![1]!
}

it("the inventory of scripts has the hash of each inline script that a page of buyers or the sign-in page runs", () => {
  const page = readFileSync("docs/pci.md", "utf8")
  for (const [file, policy] of [
    ["src/door/checkout/script.ts", "checkoutHeaders"],
    ["src/door/console/SignInPage.ts", "signInHeaders"]
  ] as const) {
    const [, stated] = new RegExp(`\\(\`${file}\`\\) \\| its hash, \`([^\`]+)\``).exec(page) ?? []
    assert.strictEqual(
      stated,
      hashIn(file, policy),
      `write the hash of ${file} into docs/pci.md, and review the script`
    )
  }
})
