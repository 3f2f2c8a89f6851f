/** A shop's colour on pages: whether it is read on them, which ink is read on it (silences: K14). */
import { grounds } from "@coffer/console/tokens"
import { accentProblem, contrastOf, inkOn, lightenedFor } from "@coffer/rules/shop/accent"
import { assert, it } from "@effect/vitest"
import fc from "fast-check"

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, "0")}`)

it("a contrast is that of WCAG, in either order", () => {
  assert.strictEqual(contrastOf("#000000", "#ffffff"), 21)
  assert.strictEqual(contrastOf("#ffffff", "#000000"), 21)
  assert.strictEqual(contrastOf("#767676", "#ffffff").toFixed(2), "4.54")
  assert.strictEqual(contrastOf("#777777", "#ffffff").toFixed(2), "4.48")
})

it("the grounds of both pages are found in their colours", () => {
  assert.deepStrictEqual(grounds.light, ["#f5f4f0", "#ffffff", "#eef5f2"])
  assert.lengthOf(grounds.dark, 3)
})

it("white or black is read on every colour, and the better one is taken", () => {
  fc.assert(fc.property(color, (ground) => contrastOf(inkOn(ground), ground) >= 4.5))
})

it("every colour is lightened for a dark page until it is read there, and one that is read stays as it is", () => {
  fc.assert(
    fc.property(color, (accent) => {
      const shown = lightenedFor(accent, grounds.dark)
      return grounds.dark.every((ground) => contrastOf(shown, ground) >= 4.5)
    })
  )
  assert.strictEqual(lightenedFor("#7fd1b9", grounds.dark), "#7fd1b9")
})

it("a colour that is not read on one of the grounds is refused, by its name and with the ratio rounded down", () => {
  const problem = accentProblem("#6e6e6e", ["#ffffff", "#eef5f2"])
  assert.strictEqual(problem, undefined)
  const grey = accentProblem("#747474", ["#ffffff", "#eef5f2"])
  assert.strictEqual(grey?.param, "accent_color")
  assert.include(grey?.problem, "4.2")
  assert.strictEqual(accentProblem("#17614f", grounds.light), undefined)
  assert.include(accentProblem("17614f", grounds.light)?.problem, "must be a colour")
})
