/** Every operation, by method and path. One from the table of facts that is missing here does not compile. */
import type { RefundFate } from "../acts/refunds.ts"
import type { Operation, OperationName, Operations } from "./Call.ts"
import { disputes } from "./disputes.ts"
import { endpoints } from "./endpoints.ts"
import { intents } from "./intents.ts"
import { methods } from "./methods.ts"
import { others } from "./others.ts"
import { refunds } from "./refunds.ts"
import { sessions } from "./sessions.ts"

export interface Route {
  readonly name: OperationName
  readonly operation: Operation<never>
  readonly id: string
}

/** The operation of a request, and the id in its path; undefined if there is none. */
export const makeRoutes = (nextFate: () => RefundFate | undefined) => {
  const all: Operations<OperationName> = {
    ...disputes,
    ...endpoints,
    ...intents,
    ...methods,
    ...others,
    ...refunds(nextFate),
    ...sessions
  }
  const idless = new Map<string, Operation<never>>(Object.entries(all))

  return (method: string, path: string): Route | undefined => {
    const plain = idless.get(`${method} ${path}`)
    if (plain !== undefined) return { name: `${method} ${path}` as OperationName, operation: plain, id: "" }
    const steps = path.split("/")
    // An id is the last segment, or precedes a verb.
    for (const index of [steps.length - 1, steps.length - 2]) {
      const name = `${method} ${steps.with(index, ":id").join("/")}`
      const operation = idless.get(name)
      const id = decode(steps[index]!)
      if (operation !== undefined && id !== "") return { name: name as OperationName, operation, id }
    }
    return undefined
  }
}

const decode = (step: string) =>
  step.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
