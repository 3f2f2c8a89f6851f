/**
 * A shop's accent colour on pages for buyers, and whether its contrast is sufficient (WCAG 2.2, 1.4.3: 4.5 to 1 for
 * text). It is the background of buttons and the colour of text, so both are checked. Pure.
 */
import { InvalidField } from "../InvalidField.ts"

/** The minimum contrast of text to its background (WCAG AA). */
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

/** White or black, whichever has more contrast with this background. One of them always has 4.58 to 1 or more. */
export const inkOn = (ground: string): string =>
  contrastOf(white, ground) >= contrastOf(black, ground) ? white : black

/** The lowest contrast to these backgrounds. */
const worst = (color: string, grounds: ReadonlyArray<string>): number =>
  Math.min(...grounds.map((ground) => contrastOf(color, ground)))

/**
 * The colour itself if its contrast to these backgrounds is sufficient, otherwise mixed with white until it is. For
 * dark pages.
 */
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

/** `grounds`: the backgrounds of the light page. Dark pages lighten the colour. */
export const accentProblem = (
  color: string | null | undefined,
  grounds: ReadonlyArray<string>
): InvalidField | undefined => {
  if (color === null || color === undefined) return undefined
  const refuse = (problem: string) => new InvalidField({ param: "accent_color", problem })
  if (!/^#[0-9a-f]{6}$/i.test(color)) return refuse("must be a colour such as #17614f")
  const ratio = worst(color, grounds)
  if (ratio >= contrastMin) return undefined
  // Rounded down, so that a refused colour never appears sufficient.
  const shown = (Math.floor(ratio * 100) / 100).toFixed(2)
  return refuse(`has a contrast of ${shown} to 1 to the page, and text needs ${contrastMin} to 1: use a darker colour`)
}
