/**
 * A shop's accent colour on pages for buyers, and whether it can be read there (WCAG 2.2, 1.4.3: 4.5 to 1 for text).
 * It is the ground of the button and the colour of words on the page, so both are looked at. Pure.
 */
import { InvalidField } from "../InvalidField.ts"

/** The least contrast of text to its ground (WCAG AA). */
const contrastMin = 4.5

const white = "#ffffff"
const black = "#000000"

/** From 1 for equal colours to 21 for black on white. Colours are `#rrggbb`. */
export const contrastOf = (one: string, other: string): number => {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

const luminanceOf = (color: string): number => {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const channelsOf = (color: string): ReadonlyArray<number> =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))

/** White or black, whichever is read better on this ground. One of them always has 4.58 to 1 or more. */
export const inkOn = (ground: string): string =>
  contrastOf(white, ground) >= contrastOf(black, ground) ? white : black

/** The worst of the contrasts to these grounds. */
const worst = (color: string, grounds: ReadonlyArray<string>): number =>
  Math.min(...grounds.map((ground) => contrastOf(color, ground)))

/** The colour itself where it is read on all these grounds, else mixed with white until it is. For dark pages. */
export const lightenedFor = (color: string, grounds: ReadonlyArray<string>): string => {
  for (let percent = 0; percent < 100; percent += 5) {
    const mixed = withWhite(color, percent)
    if (worst(mixed, grounds) >= contrastMin) return mixed
  }
  return white
}

const withWhite = (color: string, percent: number): string =>
  `#${channelsOf(color)
    .map((value) => Math.round(value + ((255 - value) * percent) / 100))
    .map((value) => value.toString(16).padStart(2, "0"))
    .join("")}`

/** `grounds`: those of the light page. Dark pages lighten the colour. */
export const accentProblem = (
  color: string | null | undefined,
  grounds: ReadonlyArray<string>
): InvalidField | undefined => {
  if (color === null || color === undefined) return undefined
  const refuse = (problem: string) => new InvalidField({ param: "accent_color", problem })
  if (!/^#[0-9a-f]{6}$/i.test(color)) return refuse("must be a colour such as #17614f")
  const ratio = worst(color, grounds)
  if (ratio >= contrastMin) return undefined
  // Rounded down, so that a refused colour never seems to have enough.
  const shown = (Math.floor(ratio * 100) / 100).toFixed(2)
  return refuse(`has a contrast of ${shown} to 1 to the page, and text needs ${contrastMin} to 1: take a darker colour`)
}
