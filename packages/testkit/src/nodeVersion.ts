/** The oldest supported Node, as in the package's `engines`. Imports nothing newer. */

const oldest = [22, 19] as const

/** Fails with a clear message on an older Node, which would otherwise complain about a missing part of Node. */
export const checkNode = (): void => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return
  throw new Error(`@coffer/testkit needs Node ${oldest.join(".")} or newer. This is Node ${process.versions.node}.`)
}
