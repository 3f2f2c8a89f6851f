/** What the oracle answers, against what the contract publishes. */
import { assert, describe, it } from "@effect/vitest"
import { Api } from "@coffer/contract/Api"
import { OperatorApi } from "@coffer/contract/Operator"
import { OpenApi } from "effect/http-api"
import { leftOut } from "../../packages/oracle/src/driver/campaign.ts"
import { type Call, Oracle } from "../../packages/oracle/src/Oracle.ts"

interface Operation {
  readonly method: Call["method"]
  readonly path: string
}

const published = [OpenApi.fromApi(Api), OpenApi.fromApi(OperatorApi)].flatMap(({ paths }) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path }) as Operation)
  )
)

/** Without what the path names. */
const nameOf = ({ method, path }: Operation) => `${method} ${path.replaceAll(/\/\{[^}]+\}/g, "")}`
const isLeftOut = (operation: Operation) => {
  const name = nameOf(operation)
  return Object.keys(leftOut).some(
    (each) => name === each || (name.startsWith(`${each}/`) && each.split("/").length > 2)
  )
}

describe("the oracle", () => {
  const oracle = new Oracle(["mer_1"], 0)
  const isAnswered = ({ method, path }: Operation) =>
    oracle.operationOf({ method, path: path.replaceAll(/\{[^}]+\}/g, "x1") }) !== undefined

  it("answers each operation of both APIs, or says why it is left out", () => {
    const silent = published.filter((operation) => !isAnswered(operation) && !isLeftOut(operation)).map(nameOf)
    assert.deepStrictEqual(silent, [])
  })

  it("leaves out only what is published", () => {
    const names = published.map(nameOf)
    const gone = Object.keys(leftOut).filter(
      (each) => !names.some((name) => name === each || name.startsWith(`${each}/`))
    )
    assert.deepStrictEqual(gone, [])
  })
})
