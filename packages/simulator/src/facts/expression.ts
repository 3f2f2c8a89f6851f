/** The small language of the table's types: `null|string|@Charge`, `[string]`, `*|=visa|=amex`. */

export type Term =
  | { readonly is: "null" | "string" | "number" | "boolean" | "file" }
  /** Any hash; of parameters, a hash of texts. */
  | { readonly is: "hash" }
  /** An object that is not simulated. Only its id may appear. */
  | { readonly is: "unsimulated" }
  | { readonly is: "literal"; readonly value: string }
  | { readonly is: "type"; readonly name: string }
  | { readonly is: "array"; readonly of: ReadonlyArray<Term> }
  | { readonly is: "list"; readonly of: ReadonlyArray<Term> }

const parsed = new Map<string, ReadonlyArray<Term>>()

/** The alternatives of an expression. Each expression is read once. */
export const termsOf = (expression: string): ReadonlyArray<Term> => {
  const known = parsed.get(expression)
  if (known !== undefined) return known
  const alternatives = split(expression)
  const terms = alternatives.flatMap(termOf)
  // `*` means that Stripe may add values to an enumeration. Without values it is free text.
  const all = alternatives.includes("*") && terms.every(({ is }) => is === "null") ? [...terms, text] : terms
  parsed.set(expression, all)
  return all
}

const text: Term = { is: "string" }

/** Splits at bars outside of brackets. */
const split = (expression: string): ReadonlyArray<string> => {
  const parts: Array<string> = [""]
  let depth = 0
  for (const sign of expression) {
    if (sign === "[") depth++
    if (sign === "]") depth--
    if (sign === "|" && depth === 0) parts.push("")
    else parts[parts.length - 1] += sign
  }
  return parts
}

const termOf = (part: string): ReadonlyArray<Term> => {
  if (part === "*") return []
  if (part === "null" || part === "string" || part === "number" || part === "boolean" || part === "file") {
    return [{ is: part }]
  }
  if (part === "{}") return [{ is: "hash" }]
  if (part === "~") return [{ is: "unsimulated" }]
  if (part.startsWith("=")) return [{ is: "literal", value: part.slice(1) }]
  if (part.startsWith("@")) return [{ is: "type", name: part.slice(1) }]
  if (part.startsWith("list:")) return [{ is: "list", of: termsOf(part.slice(5)) }]
  return [{ is: "array", of: termsOf(part.slice(1, -1)) }]
}
