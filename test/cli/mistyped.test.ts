/** A command that cannot be right as it was typed: exit code 2, and JSON where JSON was asked for. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type } from "../kit/callers/cli.ts"

const mistyped = [
  "orders craete",
  "nothing",
  "orders list --limit many",
  "orders create",
  "orders list --colour red",
  "trigger payment.succeded",
  "orders get one two"
]

describe("a mistyped command", () => {
  it.live.each(mistyped)("%s ends with 2, says what is wrong and where to read on", (words) =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* type(words.split(" "), {})
      assert.deepStrictEqual([code, stdout], [2, ""])
      assert.match(stderr, /\n {2}Next: coffer.* --help\n$/)
    })
  )

  it.live.each(mistyped)("%s --json ends with 2 and one line of JSON", (words) =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* type([...words.split(" "), "--json"], {})
      assert.deepStrictEqual([code, stdout, stderr.trimEnd().split("\n").length], [2, "", 1])
      assert.hasAllKeys(JSON.parse(stderr).error, ["code", "message", "next"])
    })
  )
})
