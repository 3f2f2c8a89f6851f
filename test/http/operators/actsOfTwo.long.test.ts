/** How many operators an act takes, and what waits for the second one: the table of acts, tried through HTTP. */
import { type ActOfTwo, operatorActs } from "@coffer/contract/acts"
import { Role } from "@coffer/model/Role"
import type { TwoOperators } from "@coffer/model/TwoOperators"
import { mayDo } from "@coffer/rules/people/mayDo"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { merchantOf, said } from "../../kit/Merchant.ts"
import { callAs, newOperator, newOperatorOfTwo } from "../../kit/callers/operators.ts"
import { type Running, start } from "../../kit/Service.ts"

type Word = keyof TwoOperators | "any" | "always"

/** The names in the setting. */
const spelled: Record<keyof TwoOperators, string> = {
  payoutsAbove: "payouts:0",
  liveKeys: "live_keys",
  fees: "fees",
  channels: "channels",
  approvals: "approvals"
}

interface Tried {
  readonly method?: "GET"
  readonly path: string
  readonly body?: object
}

/** A request for each act that takes two, by the word that makes it take two. */
const requests = (running: Running): Readonly<Record<ActOfTwo, Partial<Record<Word, Effect.Effect<Tried>>>>> => {
  const { api, merchant } = running
  const path = `/merchants/${merchant.merchantId}`
  let made = 0
  const aPayout = Effect.map(
    said(api.operator("POST", `${path}/payouts`, { mode: "sandbox", currency: "USD", amount: 100 })),
    (payout): Tried => ({ path: `/payouts/${payout["payout_no"]}/approve` })
  )
  const live = (name: string) => ({ mode: "live", name, scopes: ["orders:read"] })
  /** Written directly: by the API it would need two operators itself. */
  const aLiveKey = Effect.suspend(() => {
    const keyId = `key_${String((made += 1)).padStart(26, "0")}`
    return Effect.as(
      running.sql`insert into api_keys (key_id, merchant_id, mode, name, scopes, ip_allowlist, created_at)
        values (${keyId}, ${merchant.merchantId}, 'live', 'Live', '{orders:read}', '', '2026-01-01T00:00:00Z')`,
      keyId
    )
  }).pipe(Effect.orDie)
  const aPersonOfTheInstallation = Effect.suspend(() => {
    const personId = `per_${String((made += 1)).padStart(26, "0")}`
    return running.sql`with made as (insert into people (person_id, email, name, created_at)
        values (${personId}, ${`${personId.toLowerCase()}@pay.example`}, 'Op', '2026-01-01T00:00:00Z') returning person_id)
      insert into memberships (person_id, belongs_to, role, created_at)
        select person_id, 'installation', 'viewer', '2026-01-01T00:00:00Z' from made`.pipe(Effect.as(personId))
  }).pipe(Effect.orDie)
  // Each request is new: the same one would be a double click, or a second operator's.
  const different = (of: (n: number) => Tried) => Effect.sync(() => of((made += 1)))
  return {
    "merchants.update": {
      fees: different((n) => ({ path, body: { dispute_fee: { USD: n } } })),
      approvals: different((n) => ({ path, body: { approved: true, name: `Shop ${n}` } })),
      liveKeys: different((n) => ({ path, body: { live: { ip_allowlist: `203.0.113.${n}` } } }))
    },
    "merchants.close": {
      any: Effect.map(running.api.operator("POST", "/merchants", { name: "Shop", seed: false }), ({ body }) => ({
        path: `/merchants/${body.data.merchant_id}/close`
      }))
    },
    "merchants.resetKey": { liveKeys: Effect.succeed({ path: `${path}/keys/live/reset` }) },
    "merchants.signingSecret": { liveKeys: Effect.succeed({ method: "GET", path: `${path}/signing_secret/live` }) },
    "api_keys.create": { liveKeys: different((n) => ({ path: `${path}/api_keys`, body: live(`Key ${n}`) })) },
    "api_keys.update": {
      liveKeys: Effect.map(aLiveKey, (keyId): Tried => ({
        path: `${path}/api_keys/${keyId}`,
        body: { ip_allowlist: "203.0.113.7" }
      }))
    },
    "api_keys.roll": {
      liveKeys: Effect.map(aLiveKey, (keyId): Tried => ({
        path: `${path}/api_keys/${keyId}/roll`,
        body: { overlap_minutes: 0 }
      }))
    },
    "channels.set": { channels: Effect.succeed({ path: `${path}/channels/sandbox`, body: { channel: "sandbox" } }) },
    "payouts.approve": { payoutsAbove: aPayout },
    "people.invite": {
      any: different((n) => ({ path: "/people", body: { email: `op${n}@pay.example`, role: "viewer" } })),
      liveKeys: different((n) => ({
        path: "/people",
        body: { email: `owner${n}@shop.example`, merchant_id: merchant.merchantId, role: "owner" }
      }))
    },
    "people.recover": {
      always: Effect.map(aPersonOfTheInstallation, (personId): Tried => ({ path: `/people/${personId}/recover` }))
    },
    "operators.create": { any: different((n) => ({ path: "/operators", body: { name: `No ${n}`, role: "viewer" } })) }
  }
}

const begin = Effect.fnUntraced(function* (words: string) {
  const running = yield* start({ env: words === "" ? {} : { TWO_OPERATORS: words } })
  const root = yield* newOperator(running.api, "Root", "admin")
  yield* merchantOf(running).paid(1_000_000)
  const one = (role: Role) =>
    words === ""
      ? newOperator(running.api, `A ${role}`, role)
      : newOperatorOfTwo(running.api, root.token, `A ${role}`, role)
  const tokens = new Map<Role, string>()
  for (const role of Role.literals) tokens.set(role, (yield* one(role)).token)
  return { running, tokens }
})

it.live("each act takes one or two operators as the table says, as each role and with each word", () =>
  Effect.gen(function* () {
    for (const set of ["", ...Object.values(spelled)]) {
      const { running, tokens } = yield* begin(set)
      const asked = requests(running)
      for (const act of Object.keys(asked) as ReadonlyArray<ActOfTwo>) {
        const words = Object.keys(operatorActs[act].ofTwo) as ReadonlyArray<Word>
        assert.sameMembers([...words], Object.keys(asked[act]), `${act} is tried with each of its words`)
        for (const word of words) {
          // The live key of an approved merchant works, so an approval needs two as well.
          const others: ReadonlyArray<Word> = word === "approvals" ? [word, "liveKeys"] : [word]
          const isOfTwo =
            word === "always" ||
            (word === "any" ? set !== "" : others.some((each) => set === spelled[each as keyof typeof spelled]))
          for (const [role, token] of tokens) {
            const { body, method = "POST", path } = yield* asked[act][word]!
            const { status } = yield* callAs(running.api, token, method, path, body)
            const told = `${act} by ${role} with "${set}" (${word}): ${status}`
            if (!mayDo(role, act)) assert.strictEqual(status, 403, told)
            // Two who may do the same act are two: the second request does it.
            else if (isOfTwo) assert.include(waits(act) ? [202] : [202, 200], status, told)
            else assert.include([200, 201], status, told)
          }
        }
      }
    }
  }).pipe(Effect.scoped)
)

/** Each try requests something else. */
const waits = (act: ActOfTwo) => !["merchants.resetKey", "merchants.signingSecret", "channels.set"].includes(act)

it.live("what waits for a second operator is listed with who asked for what, without secrets, until it is done", () =>
  Effect.gen(function* () {
    const { api, leap, merchant } = yield* start({ env: { TWO_OPERATORS: "channels,fees" }, clock: "test" })
    const root = yield* newOperator(api, "Root", "admin")
    const ada = yield* newOperatorOfTwo(api, root.token, "Ada", "finance")
    const list = Effect.map(said(api.operator("GET", "/approvals")), (page) => page["data"] as ReadonlyArray<any>)
    assert.deepStrictEqual(yield* list, [])

    const path = `/merchants/${merchant.merchantId}`
    const secrets = { secret_key: `sk_test_${"a".repeat(24)}`, webhook_secret: `whsec_${"b".repeat(32)}` }
    const channel = { channel: "stripe", ...secrets }
    const asked = yield* callAs(api, ada.token, "POST", `${path}/channels/sandbox`, channel)
    const waiting = yield* list
    assert.deepStrictEqual([asked.status, asked.body.data], [202, waiting[0]])
    const { created_at, expires_at, ...approval } = waiting[0]
    assert.deepStrictEqual(approval, {
      object: "approval",
      act: "channels.set",
      target: `${merchant.merchantId}/sandbox`,
      content: { channel: "stripe", secret_key: "[redacted]", webhook_secret: "[redacted]" },
      operator_id: ada.operator_id,
      operator: "Ada",
      status: "waiting"
    })
    assert.strictEqual(Date.parse(expires_at) - Date.parse(created_at), 24 * 3_600_000)

    yield* leap("1 second")
    const fees = { dispute_fee: { USD: 7 } }
    assert.strictEqual((yield* callAs(api, root.token, "POST", path, fees)).status, 202)
    assert.deepStrictEqual(
      (yield* list).map(({ act }) => act),
      ["merchants.update", "channels.set"]
    )
    assert.strictEqual((yield* api.operator("POST", path, fees)).status, 200)
    yield* said(api.operator("POST", `/operators/${ada.operator_id}/revoke`))
    assert.deepStrictEqual(yield* list, [])

    assert.strictEqual((yield* api.operator("POST", path, { dispute_fee: { USD: 8 } })).status, 202)
    assert.strictEqual((yield* list).length, 1)
    yield* leap("25 hours")
    assert.deepStrictEqual(yield* list, [])
  }).pipe(Effect.scoped)
)
