/** Builds paths and queries. */

/** A path with one segment for each parameter. A parameter that would change the path is refused. */
export const path = (parts: TemplateStringsArray, ...values: ReadonlyArray<string>): string =>
  parts.reduce((built, part, index) => built + segment(values[index - 1]) + part)

const segment = (value: unknown): string => {
  if (typeof value !== "string" || value === "") throw new TypeError("expected an object ID, got an empty string")
  // URLs normalize these away, in any spelling.
  if (value === "." || value === "..") throw new TypeError(`"${value}" is not a valid ID`)
  return encodeURIComponent(value)
}

/** An object with the query's fields. */
export type Query = object

/** With a leading question mark, or empty. */
export const queryString = (query: Query): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) add(parameters, name, value)
  const text = parameters.toString()
  return text === "" ? "" : `?${text}`
}

const add = (parameters: URLSearchParams, name: string, value: unknown): void => {
  if (value === undefined || value === null) return
  if (value instanceof Date) parameters.append(name, value.toISOString())
  else if (Array.isArray(value)) for (const each of value) add(parameters, name, each)
  else if (typeof value === "object") {
    for (const [key, inner] of Object.entries(value)) add(parameters, `${name}[${key}]`, inner)
  } else parameters.append(name, String(value))
}
