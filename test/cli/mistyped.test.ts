/** A mistyped command: exit code 2, and JSON if JSON was requested. How results read. */
import { json } from "@coffer/cli/frame"
import { printObject } from "@coffer/cli/output"
import { EventType } from "@coffer/model/EventType"
import { assert, describe, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { type } from "../kit/callers/cli.ts"

const mistyped = [
  "orders craete",
  "nothing",
  "orders list --limit many",
  "orders create",
  "orders create --amount 19.999",
  "orders create --amount 1,999",
  "orders create --amount 1999 --currency eur",
  "orders list --colour red",
  "trigger payment.succeded",
  "orders get one two"
]

it.live("trigger --help lists the events", () =>
  Effect.gen(function* () {
    const { stdout } = yield* type(["trigger", "--help"], {})
    for (const event of EventType.literals) assert.include(stdout.replace(/\s+/g, " "), event)
  })
)

it.effect("an object shows people its amounts in its currency, and programs its minor units", () =>
  Effect.gen(function* () {
    const order = { object: "order", amount: 5000, refunded_amount: 0, fee: null, currency: "USD", items: 5 }
    const shownBy = (asJson: boolean) =>
      Effect.gen(function* () {
        const lines: Array<string> = []
        const console = { ...globalThis.console, log: (text: string) => void lines.push(text) }
        yield* printObject(order).pipe(
          Effect.provideService(json, asJson),
          Effect.provideService(Console.Console, console),
          Effect.provideService(TerminalCapabilities.TerminalCapabilities, {
            canColor: false,
            canAnimate: false,
            canPrompt: false
          })
        )
        return lines.join("\n")
      })
    assert.match(
      yield* shownBy(false),
      /^amount +50\.00 USD\nrefunded_amount +0\.00 USD\nfee +-\ncurrency +USD\nitems +5$/
    )
    assert.strictEqual(JSON.parse(yield* shownBy(true)).amount, 5000)
  })
)

describe("a mistyped command", () => {
  it.live.each(mistyped)("%s ends with 2, says what is wrong and where to read on", (words) =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* type(words.split(" "), {})
      assert.deepStrictEqual([code, stdout], [2, ""])
      assert.match(stderr, /\n {2}Next: run coffer.* --help, which lists the arguments with an example\n$/)
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
