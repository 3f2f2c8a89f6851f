/**
 * Puts an entry into an object of a JSON file and takes it out again, and leaves every other byte as it is: comments,
 * indents, the order of fields. The entry becomes the first of its object. Pure.
 */
import { indentedJson } from "./json.ts"

export interface Entry {
  /** The field of the whole that holds the entries. */
  readonly group: string
  readonly name: string
  readonly value: object
}

/** Undefined: the file is no JSON object, or its group is none. */
export const withEntry = (text: string, entry: Entry): string | undefined => {
  const found = fieldsOf(text)
  if (found === undefined) return undefined
  const group = found.fields.get(entry.group)
  if (group === undefined) return inserted(text, found, groupText(entry))
  if (group.fields === undefined) return undefined
  const at = { ...group, fields: group.fields }
  return group.fields.has(entry.name) ? text : inserted(text, at, entryText(entry))
}

/** Whether the file has an entry of this name, and whether it is this one. */
export const standingOf = (text: string, entry: Entry): "none" | "ours" | "other" => {
  const group = fieldsOf(text)?.fields.get(entry.group)
  if (group?.fields?.has(entry.name) !== true) return "none"
  return withoutEntry(text, entry) === undefined ? "other" : "ours"
}

/** Undefined: it has not the entry as it was put there. */
export const withoutEntry = (text: string, entry: Entry): string | undefined => {
  for (const added of [groupText(entry), entryText(entry)]) {
    for (const each of [`${added},`, `${added}\n`, added]) {
      const at = text.indexOf(`{${each}`)
      if (at >= 0) return text.slice(0, at + 1) + text.slice(at + 1 + each.length)
    }
  }
  return undefined
}

/** The whole file, where there was none. */
export const fileWith = (entry: Entry): string => `${withEntry("{}", entry)!}\n`

const indented = (text: string, by: string) => text.replaceAll("\n", `\n${by}`)
const entryText = ({ name, value }: Entry) => `\n    "${name}": ${indented(indentedJson(value), "    ")}`
const groupText = (entry: Entry) => `\n  "${entry.group}": {${entryText(entry)}\n  }`

interface Fields {
  /** The place after its brace. */
  readonly begin: number
  readonly fields: ReadonlyMap<string, { readonly begin: number; readonly fields: Fields["fields"] | undefined }>
}

/** An object without fields gets a line break, others a comma. */
const inserted = (text: string, { begin, fields }: Fields, added: string): string =>
  `${text.slice(0, begin)}${added}${fields.size > 0 ? "," : text[begin] === "}" ? "\n" : ""}${text.slice(begin)}`

/** Strings, comments and signs: all that has to be told apart. */
const parts = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\/|[{}[\]:,]/g

/** The fields of the whole object, and of the objects in it. Undefined if it is none. */
const fieldsOf = (text: string): Fields | undefined => {
  type Open = { begin: number; fields: Map<string, Open> | undefined }
  const open: Array<Open> = []
  let [whole, name]: [Open | undefined, string | undefined] = [undefined, undefined]
  let last: string | undefined
  for (const { 0: part, index } of text.matchAll(parts)) {
    if (part.startsWith("/")) continue
    if (part === "{" || part === "[") {
      const made: Open = { begin: index + 1, fields: part === "{" ? new Map() : undefined }
      if (whole === undefined) whole = made
      else if (open.length === 0) return undefined
      if (name !== undefined) open.at(-1)?.fields?.set(name, made)
      name = undefined
      open.push(made)
    } else if (part === "}" || part === "]") open.pop()
    else if (part === ":" && last !== undefined) {
      name = last.slice(1, -1)
      open.at(-1)?.fields?.set(name, { begin: index, fields: undefined })
    } else if (part === ",") name = undefined
    last = part.startsWith('"') ? part : undefined
  }
  return open.length > 0 || whole?.fields === undefined ? undefined : { begin: whole.begin, fields: whole.fields }
}
