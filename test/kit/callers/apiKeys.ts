/** Keys with scopes of a test, made by the operator. */
import type { Mode } from "@coffer/model/Ids"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Running } from "../Service.ts"

export interface NewApiKey {
  readonly key: string
  readonly key_id: string
}

/** Makes each set of scopes once. */
export const keysOf = ({ api, merchant }: Pick<Running, "api" | "merchant">) => {
  const known = new Map<string, string>()
  const path = `/merchants/${merchant.merchantId}/api_keys`

  const create = Effect.fnUntraced(function* (terms: object = {}) {
    const whole = { mode: "sandbox", name: "Of a test", scopes: ["balance:read"], ...terms }
    const reply = yield* api.operator("POST", path, whole)
    assert.strictEqual(reply.status, 201, reply.text)
    return reply.body.data as NewApiKey
  })

  return {
    path,
    create,
    of: Effect.fnUntraced(function* (scopes: ReadonlyArray<string>, mode: Mode = "sandbox") {
      const name = `${mode} ${[...scopes].toSorted().join(" ")}`
      const found = known.get(name)
      if (found !== undefined) return found
      const { key } = yield* create({ mode, scopes, name: name.slice(0, 100) })
      known.set(name, key)
      return key
    })
  }
}
export type Keys = ReturnType<typeof keysOf>
