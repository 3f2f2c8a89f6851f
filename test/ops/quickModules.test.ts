/** The shorter way to the modules of a checkout (`src/quickModules.ts`) leads where Node's own leads. */
import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"

/** All modules that the service loads, each with its form. */
const loaded = (way: "quick" | "nodes") => {
  const program = `
    import { registerHooks } from "node:module"
    import { findQuickly } from "./src/quickModules.ts"
    if (${way === "quick"}) findQuickly()
    const found = new Set()
    registerHooks({
      load: (url, context, next) => {
        found.add(url + " " + context.format)
        return next(url, context)
      }
    })
    await import("./src/serve.ts")
    process.stdout.write([...found].sort().join("\\n"), () => process.exit())`
  const text = execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" })
  return text.split("\n")
}

describe("the short path to modules", () => {
  it("loads the same files in the same forms as Node's own", () => {
    const quick = loaded("quick")
    assert.isAbove(quick.length, 1_000)
    assert.deepStrictEqual(quick, loaded("nodes"))
  })

  it("leaves out what a service needs for an account at Stripe, a mail, a command of merchants or an agent", () => {
    const unneeded =
      /node_modules\/(stripe|nodemailer|@aws-sdk|effect\/dist\/ai)\/|\/packages\/cli\/|\/mcp\/src\/generated\//
    assert.deepStrictEqual(
      loaded("quick").filter((each) => unneeded.test(each)),
      []
    )
  })
})
