/** The table of acts, tried through HTTP, each endpoint as each role. */
import { operatorAct, type OperatorActName } from "@coffer/contract/acts"
import { OperatorApi } from "@coffer/contract/Operator"
import { Role } from "@coffer/model/Role"
import { mayDo } from "@coffer/rules/people/mayDo"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { HttpApiGroup } from "effect/http-api"
import { callAs, entriesOf, newOperator } from "../../kit/callers/operators.ts"
import { invite, signIn } from "../../kit/callers/console.ts"
import { type MailServer, mailServer } from "../../kit/servers/MailServer.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running & { readonly mails: MailServer }>()("test/roles") {}

const place = Effect.gen(function* () {
  const mails = yield* mailServer()
  return { ...(yield* start({ env: { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example" } })), mails }
})

const endpoints = (Object.values(OperatorApi.groups) as unknown as ReadonlyArray<HttpApiGroup.Top>).flatMap((group) =>
  Object.values(group.endpoints).map(({ identifier, method, path }) => ({
    act: `${group.identifier}.${identifier}` as OperatorActName,
    method,
    path: path.replace("/operator/v1", "")
  }))
)

/** Unused numbers, so a permitted caller finds nothing and changes nothing. */
const nothing = (path: string) =>
  path.replace(":mode", "sandbox").replace(/:(\w+)/g, (_, name: string) => `${prefixOf[name]}${"0".repeat(26)}`)
const prefixOf: Record<string, string> = {
  merchant_id: "mer_",
  payout_no: "pyt_",
  delivery_id: "dlv_",
  operator_id: "opr_",
  key_id: "key_",
  person_id: "per_",
  erasure_no: "ers_"
}

describe("the table of acts", () => {
  it("logs whatever is not merely read", () => {
    const unlogged = endpoints.filter(({ act }) => !operatorAct(act).isLogged).map(({ method }) => method)
    assert.deepStrictEqual(new Set(unlogged), new Set(["GET"]))
    assert.isTrue(operatorAct("merchants.signingSecret").isLogged)
  })
})

layer(Layer.effect(Service, place), { excludeTestServices: true })("a token of the role", (it) => {
  for (const role of Role.literals) {
    it.effect(`${role} is let through to what its role may do, and to nothing else`, () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { token } = yield* newOperator(api, role, role)
        for (const { act, method, path } of endpoints) {
          const { body, status } = yield* callAs(api, token, method, nothing(path), method === "POST" ? {} : undefined)
          const isForbidden = status === 403 && body.error === "forbidden"
          assert.strictEqual(!isForbidden, mayDo(role, act), `${role}: ${act} was answered ${status}`)
        }
      })
    )
  }
})

layer(Layer.effect(Service, place), { excludeTestServices: true })("a session of a person with the role", (it) => {
  for (const role of Role.literals) {
    it.effect(`${role} is let through in the console to the same, and what it is refused is in the audit log`, () =>
      Effect.gen(function* () {
        const { api, mails } = yield* Service
        const email = `${role}@pay.example`
        yield* invite(api, mails, { email, role })
        const { operate } = yield* signIn(api, mails, email)
        const refused: Array<string> = []
        for (const { act, method, path } of endpoints) {
          const { body, status } = yield* operate(method, nothing(path), method === "POST" ? {} : undefined)
          const isForbidden = status === 403 && body.error === "forbidden"
          assert.strictEqual(!isForbidden, mayDo(role, act), `${role}: ${act} was answered ${status}`)
          if (isForbidden) refused.push(act)
        }
        const entries = yield* Effect.forEach(refused, (act) => entriesOf(api, `&act=${act}`))
        for (const each of entries) {
          const mine = each.filter(({ actor, phase }) => actor === email && phase === "refused")
          assert.lengthOf(mine, 1)
          assert.match(mine[0]!["target"], /^\/console\/api\/operator\//)
        }
      })
    )
  }
})
