/**
 * A name that an object of a JSON text has twice (silences: G30). Parsers silently keep the last value, so the text is
 * searched, in one pass that makes no values.
 */
import { Option } from "effect"
import { parseJson } from "../../platform/runtime/codecs.ts"

/** An object or an array that is open. */
interface Open {
  /** The names that an object has so far. */
  readonly names: Set<string> | undefined
  /** The position of its last value. */
  name: string
  index: number
  /** In an object: the next text is a name. */
  isName: boolean
}

const [quote, backslash, comma, bracket, endOfArray, brace, endOfObject] = ['"', "\\", ",", "[", "]", "{", "}"].map(
  (each) => each.charCodeAt(0)
)

/**
 * The path of the first such name, as merchants write it; undefined if there is none. For text that is no JSON
 * the answer means nothing.
 */
export const repeatedName = (json: string): string | undefined => {
  const open: Array<Open> = []
  let top: Open | undefined
  for (let at = 0; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case quote: {
        const end = endOfText(json, at)
        if (top?.isName === true) {
          top.name = textOf(json.slice(at, end + 1))
          if (top.names!.has(top.name)) return pathOf(open)
          top.names!.add(top.name)
          top.isName = false
        }
        at = end
        break
      }
      case comma:
        if (top === undefined) break
        if (top.names === undefined) top.index++
        else top.isName = true
        break
      case brace:
        open.push((top = { names: new Set(), name: "", index: 0, isName: true }))
        break
      case bracket:
        open.push((top = { names: undefined, name: "", index: 0, isName: false }))
        break
      case endOfObject:
      case endOfArray:
        open.pop()
        top = open.at(-1)
    }
  }
  return undefined
}

/** The end of the string that begins here: its closing quote, or the end of the text. */
const endOfText = (json: string, start: number): number => {
  for (let at = start + 1; ; at++) {
    at = json.indexOf('"', at)
    if (at < 0) return json.length
    let slashes = 0
    while (json.charCodeAt(at - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return at
  }
}

/** Names that are written differently may be the same. */
const textOf = (quoted: string): string =>
  quoted.includes("\\") ? String(Option.getOrElse(parseJson(quoted), () => quoted)) : quoted.slice(1, -1)

const pathOf = (open: ReadonlyArray<Open>): string =>
  open.reduce((path, { index, name, names }) => {
    if (names === undefined) return `${path}[${index}]`
    return path === "" ? name : `${path}.${name}`
  }, "")
