/** A setting that cannot be read, in a sentence that says what it has to be, in place of the schema library's. Pure. */

export const settingProblem = (message: string): string => {
  const [, expected, name] = /^SchemaError\((?:Expected )?(.*) at \["(\w+)"\]\)$/s.exec(message) ?? []
  if (expected === undefined || name === undefined) return `Invalid setting: ${message}`
  if (/(?:^|_)PORT$/.test(name)) return `${name} must be a port, a number from 1 to 65535, such as 8080.`
  const between = /^a value between (\S+) and (\S+)$/.exec(expected)
  if (between !== null) return `${name} must be from ${between[1]} to ${between[2]}.`
  return `${name} must be ${expected.replace("a string representing a finite number", "a number")}.`
}
