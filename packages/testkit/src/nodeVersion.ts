/** The oldest Node that runs the service. The same stands in the package's `engines`. Imports nothing that is newer. */

const oldest = [22, 19] as const

/** Fails in one line on a Node that is too old, which would else name a part of Node that it does not have. */
export const checkNode = (): void => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return
  throw new Error(`@coffer/testkit needs Node ${oldest.join(".")} or newer. This is Node ${process.versions.node}.`)
}
