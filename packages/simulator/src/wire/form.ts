/** Parses `a[b][0]=x` into nested hashes. Arrays are hashes by index here: only the table of facts tells them apart. */

/** A file as it was sent. */
export class Upload {
  readonly name: string
  readonly data: Uint8Array
  constructor(name: string, data: Uint8Array) {
    this.name = name
    this.data = data
  }
}

export type FormValue = string | Upload | FormHash
export interface FormHash {
  [name: string]: FormValue
}

/** The maximum depth, and the maximum of names in a request. Stripe's deepest parameter has five levels. */
const depthMax = 10
const namesMax = 10_000

const newHash = (): FormHash => Object.create(null)

/** Undefined if it is invalid: too deep, too many, or a text and a hash with the same name. */
export const readForm = (pairs: Iterable<readonly [string, string | Upload]>): FormHash | undefined => {
  const form = newHash()
  let count = 0
  for (const [name, value] of pairs) {
    if (++count > namesMax || !put(form, stepsOf(name), value)) return undefined
  }
  return form
}

/** `a[b][]` is `a`, `b` and the next index. */
const stepsOf = (name: string): ReadonlyArray<string> => {
  const opening = name.indexOf("[")
  if (opening <= 0 || !name.endsWith("]")) return [name]
  return [name.slice(0, opening), ...name.slice(opening + 1, -1).split("][")]
}

const put = (form: FormHash, steps: ReadonlyArray<string>, value: string | Upload): boolean => {
  if (steps.length > depthMax) return false
  let hash = form
  for (const [index, written] of steps.entries()) {
    const step = written === "" && index > 0 ? String(Object.keys(hash).length) : written
    const there = hash[step]
    if (index === steps.length - 1) {
      if (isHash(there)) return false
      hash[step] = value
      return true
    }
    if (there === undefined) hash = hash[step] = newHash()
    else if (isHash(there)) hash = there
    else return false
  }
  return true
}

const isHash = (value: FormValue | undefined): value is FormHash =>
  typeof value === "object" && !(value instanceof Upload)
