/** Groups of tools, of which a client may choose some: the first word of a name. The documents are always there. */
import { Result } from "effect"
import { tools } from "./generated/tools.ts"
import type { Tool } from "./Tool.ts"

const groupOf = ({ name }: Pick<Tool, "name">): string => name.split("_")[0]!

export const groups: ReadonlyArray<string> = [...new Set(tools.map(groupOf))]

/** `orders,refunds`: whether a tool is in one of these groups. Nothing chosen: all are. A failure names the groups. */
export const chosenBy = (text: string | undefined): Result.Result<(tool: Tool) => boolean, string> => {
  if (text === undefined) return Result.succeed(() => true)
  const names = text.split(",").map((name) => name.trim())
  const unknown = names.find((name) => !groups.includes(name))
  return unknown === undefined
    ? Result.succeed((tool) => names.includes(groupOf(tool)))
    : Result.fail(`There is no group of tools "${unknown.slice(0, 64)}". Groups: ${groups.join(", ")}`)
}
