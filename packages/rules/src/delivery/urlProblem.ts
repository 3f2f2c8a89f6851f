/**
 * Whether a merchant's URL may be called or linked. Live: public HTTPS. Sandbox: http too; the resolved address is
 * checked when it is called (silences: O18, O19, W12).
 */
import type { Mode } from "@coffer/model/Ids"
import { InvalidField } from "../InvalidField.ts"
import { hasBracesInHost, isHttpUrl, isPublicHttpsUrl, isPublicHttpUrl } from "./address.ts"

export interface Allowance {
  readonly mode: Mode
  /** Sandbox only: addresses of this machine and its network, if the operator allows them. */
  readonly privateAllowed: boolean
}

const example = "with its scheme and host, such as https://shop.example/hook"

export const urlProblem = (
  param: string,
  url: string | null | undefined,
  { mode, privateAllowed }: Allowance
): InvalidField | undefined => {
  if (url === null || url === undefined) return undefined
  if (hasBracesInHost(url))
    return new InvalidField({ param, problem: "may have placeholders only after its host. Write the host out" })
  if (mode === "live") {
    return isPublicHttpsUrl(url)
      ? undefined
      : new InvalidField({ param, problem: `must be a public HTTPS address, ${example}` })
  }
  if (!isHttpUrl(url)) return new InvalidField({ param, problem: `must be an http or https address, ${example}` })
  return privateAllowed || isPublicHttpUrl(url)
    ? undefined
    : new InvalidField({
        param,
        problem: `must be public, ${example}. \`coffer listen\` brings events to your machine`
      })
}
