/** The table of acts: what its types demand of each row. */
import { consoleActs, merchantActs, operatorActs } from "@coffer/contract/acts"
import type { Api } from "@coffer/contract/Api"
import { ConsoleApi } from "@coffer/contract/Console"
import type { OperatorApi } from "@coffer/contract/Operator"
import type { ConsoleAct, MerchantAct, OperatorAct, SayingOf, Table } from "@coffer/contract/actTypes"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type Checked, consoleGroup, type layerConsole } from "../../src/shared/http/granting.ts"

type MerchantTable = Table<typeof Api, MerchantAct>
type ConsoleTable = Table<typeof ConsoleApi, ConsoleAct>
type OperatorTable = Table<typeof OperatorApi, OperatorAct>

const inviting = { by: [], isLogged: true, state: "new" } as const
const reading = { scope: "orders:read", state: "kept", isLogged: false } as const

describe("a table of acts does not compile", () => {
  it("without a row for an endpoint, or with a row for none", () => {
    const { "orders.get": _, ...fewer } = merchantActs
    const without = { ...consoleActs, "people.invite": undefined }
    // @ts-expect-error -- an endpoint of the merchant API has no row
    fewer satisfies MerchantTable
    // @ts-expect-error -- one of the console has none
    without satisfies ConsoleTable
    // @ts-expect-error -- there is no such endpoint
    const more = { ...merchantActs, "orders.forget": reading } satisfies MerchantTable
    assert.isDefined(more)
  })

  it("where a body has a role or scopes, or an answer has a secret, and the row does not say what it gives", () => {
    const rows = [
      // @ts-expect-error -- its body has a role
      inviting satisfies ConsoleTable["people.invite"],
      // @ts-expect-error -- its body has scopes
      inviting satisfies ConsoleTable["api_keys.create"],
      // @ts-expect-error -- its answer has a key
      inviting satisfies ConsoleTable["main_keys.reset"],
      // @ts-expect-error -- its answer has a token, where it is not one of two
      { by: [], isLogged: true } satisfies OperatorTable["operators.create"],
      // @ts-expect-error -- its answer has a secret
      { ...reading, scope: "webhooks:write" } satisfies MerchantTable["webhook_endpoints.signingSecret"]
    ]
    assert.lengthOf(rows, 5)
  })

  it("where an act gives something, and the row does not say from which session", () => {
    const gives = { ...inviting, gives: "its object" } as const
    // @ts-expect-error -- the session is not named
    gives satisfies ConsoleTable["people.invite"]
    // @ts-expect-error -- it gives of its own accord
    gives satisfies ConsoleTable["people.remove"]
    assert.isDefined({ ...gives, fresh: "live" } satisfies ConsoleTable["people.remove"])
  })

  it("where what is given is read from a field that the request does not have", () => {
    // @ts-expect-error -- the field is called `role`
    const misspelt = ({ payload }: Parameters<typeof byRole>[0]) => ({ is: "person", role: payload.rank }) as const
    assert.isFunction(misspelt)
  })
})

const byRole = consoleActs["people.invite"].gives

const get = () => Effect.never
const keys = { create: get, list: get, update: get, roll: get, endPrevious: get, revoke: get }

describe("a group of the console does not compile", () => {
  it("where it is made otherwise than behind the check of its acts", () => {
    const plain = HttpApiBuilder.group(ConsoleApi, "quotas", (handlers) => handlers.handleAll({ get }))
    const checked = consoleGroup("quotas", (handlers) => Effect.succeed(handlers.handleAll({ get })))
    type Routes = Layer.Services<typeof layerConsole>
    const isAsked: Checked<"quotas"> extends Routes ? true : false = true
    // @ts-expect-error -- the routes ask for no group that stands without the check
    const isAskedPlain: Layer.Success<typeof plain> extends Routes ? true : false = true
    const fits: Layer.Success<typeof checked> extends Routes ? true : false = true
    assert.deepStrictEqual([isAsked, isAskedPlain, fits], [true, true, true])
  })

  it("where a handler goes past the check", () => {
    // @ts-expect-error -- only `handleAll` puts the check before the handlers
    const past = consoleGroup("quotas", (handlers) => Effect.succeed(handlers.handle("get", get)))
    assert.isDefined(past)
  })

  it("where an act gives the rights of its object, and the group does not say how they are found", () => {
    // @ts-expect-error -- a key that is rolled gives its rights
    const without = consoleGroup("api_keys", (handlers) => Effect.succeed(handlers.handleAll(keys)))
    const found = consoleGroup(
      "api_keys",
      (handlers) => Effect.succeed(handlers.handleAll(keys)),
      Effect.succeed(() => Effect.undefined)
    )
    assert.lengthOf([without, found], 2)
  })
})

describe("the acts that have to say what they give", () => {
  it("are those whose body has a right, or whose answer has a secret", () => {
    const names: {
      readonly merchant: Readonly<Record<SayingOf<typeof Api>, true>>
      readonly console: Readonly<Record<SayingOf<typeof ConsoleApi>, true>>
      readonly operator: Readonly<Record<SayingOf<typeof OperatorApi>, true>>
    } = {
      merchant: {
        "webhook_endpoints.create": true,
        "webhook_endpoints.rotateSecret": true,
        "webhook_endpoints.rotateSigningSecret": true,
        "webhook_endpoints.signingSecret": true
      },
      console: {
        "people.invite": true,
        "people.setRole": true,
        "api_keys.create": true,
        "api_keys.roll": true,
        "main_keys.reset": true
      },
      operator: {
        "merchants.create": true,
        "merchants.resetKey": true,
        "merchants.signingSecret": true,
        "api_keys.create": true,
        "api_keys.roll": true,
        "operators.create": true,
        "people.invite": true
      }
    }
    for (const [door, table] of [
      ["merchant", merchantActs],
      ["console", consoleActs],
      ["operator", operatorActs]
    ] as const) {
      for (const name of Object.keys(names[door])) {
        const row: { readonly gives?: unknown } = table[name as keyof typeof table]
        assert.isDefined(row.gives, name)
      }
    }
  })
})
