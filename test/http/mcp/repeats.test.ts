/**
 * The same tool called again: a tool that makes or moves something does it once, one that sets an object each time
 * (docs/mcp.md). A tool that writes has a row here.
 */
import { tools } from "@coffer/mcp/generated/tools"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Agent, agentOverHttp, sentRaw, textOf, yes } from "../../kit/callers/mcp.ts"
import { start } from "../../kit/Service.ts"

type Args = Readonly<Record<string, unknown>>

// The scenes -------------------------------------------------------------------------

let made = 0
/** Another one, not that of an earlier call. */
const more = (args: Args): Args => ({ ...args, idempotency_key: `scene ${++made}` })

const order = (agent: Agent) =>
  Effect.map(agent.data("orders_create", more({ amount: 1_000 })), ({ trade_no: ref }) => ({ ref }))

const paid = Effect.fnUntraced(function* (agent: Agent, payment_method = "card") {
  const { ref } = yield* order(agent)
  yield* agent.data("testHelpers_orders_pay", { ref, payment_method })
  return { ref: ref as string }
})

const manual = (agent: Agent) =>
  Effect.map(agent.data("orders_create", more({ amount: 1_000, capture: "manual" })), ({ trade_no }) => ({
    ref: trade_no as string
  }))
const held = (agent: Agent) => Effect.tap(manual(agent), (at) => agent.data("testHelpers_orders_authorize", at))

const refund = Effect.fnUntraced(function* (agent: Agent) {
  const { ref: trade_no } = yield* paid(agent, "alipay")
  return { ref: (yield* agent.data("refunds_create", { trade_no, amount: 100 })).refund_no as string }
})

const dispute = Effect.fnUntraced(function* (agent: Agent) {
  const { ref } = yield* paid(agent)
  return { ref: (yield* agent.data("testHelpers_orders_dispute", { ref })).dispute_no as string }
})

const link = (agent: Agent) =>
  Effect.map(agent.data("paymentLinks_create", { amount: 100 }), ({ link_id }) => ({ link_id }))

const endpoint = (agent: Agent) =>
  Effect.map(agent.data("webhookEndpoints_create", { url: "https://shop.example/hook" }), ({ id }) => ({
    endpoint_id: id
  }))

const delivery = Effect.fnUntraced(function* (agent: Agent) {
  yield* endpoint(agent)
  yield* paid(agent)
  return { delivery_id: (yield* agent.data("webhookDeliveries_list")).data[0].id as string }
})

const nothing = () => Effect.succeed({})

// What is set ------------------------------------------------------------------------

interface Setting {
  /** The arguments that all calls share. */
  readonly at: (agent: Agent) => Effect.Effect<Args>
  readonly a: Args
  readonly b: Args
  /** The object's value, read by another tool. */
  readonly seen: (agent: Agent, at: Args) => Effect.Effect<unknown>
}

const settings: Readonly<Record<string, Setting>> = {
  orders_update: {
    at: paid,
    a: { metadata: { shelf: "A" } },
    b: { metadata: { shelf: "B" } },
    seen: (agent, at) => Effect.map(agent.data("orders_get", at), ({ metadata }) => metadata.shelf)
  },
  refunds_update: {
    at: refund,
    a: { metadata: { shelf: "A" } },
    b: { metadata: { shelf: "B" } },
    seen: (agent, at) => Effect.map(agent.data("refunds_get", at), ({ metadata }) => metadata.shelf)
  },
  disputes_submitEvidence: {
    at: dispute,
    a: { evidence: { product_description: "A" } },
    b: { evidence: { product_description: "B" } },
    seen: (agent, at) =>
      Effect.map(agent.data("disputes_getEvidence", at), ({ evidence }) => evidence.product_description)
  },
  paymentLinks_update: {
    at: link,
    a: { status: "inactive" },
    b: { status: "active" },
    seen: (agent, at) => Effect.map(agent.data("paymentLinks_get", at), ({ status }) => status)
  },
  webhookEndpoints_update: {
    at: endpoint,
    a: { status: "paused" },
    b: { status: "enabled" },
    seen: (agent, at) => Effect.map(agent.data("webhookEndpoints_get", at), ({ status }) => status)
  },
  testHelpers_channel_set: {
    at: nothing,
    a: { reachable: true },
    b: { reachable: false },
    seen: (agent) =>
      Effect.flatMap(order(agent), (at) =>
        Effect.map(agent.call("testHelpers_orders_pay", at), ({ isError }) => isError === true)
      )
  }
}

/** Closed or decided objects stay so: a second call changes nothing. */
const endings: Readonly<Record<string, (agent: Agent) => Effect.Effect<Args>>> = {
  orders_expire: order,
  orders_capture: held,
  testHelpers_orders_capture: held,
  disputes_accept: dispute,
  webhookEndpoints_endPreviousSecrets: endpoint,
  webhookSigningSecret_endPrevious: nothing,
  webhookEndpoints_delete: endpoint,
  testHelpers_refunds_settle: (agent) => Effect.map(refund(agent), (at) => ({ ...at, outcome: "succeeded" })),
  testHelpers_disputes_resolve: (agent) => Effect.map(dispute(agent), (at) => ({ ...at, outcome: "won" })),
  erasures_create: () => Effect.succeed({ email: "ann@shop.example" })
}

/** Each call gives another secret, and never an earlier one. */
const rotations: Readonly<Record<string, (agent: Agent) => Effect.Effect<Args>>> = {
  webhookEndpoints_rotateSecret: endpoint,
  webhookSigningSecret_rotate: nothing
}

// What is made -----------------------------------------------------------------------

const makings: Readonly<Record<string, (agent: Agent) => Effect.Effect<Args>>> = {
  orders_create: () => Effect.succeed({ amount: 1_000 }),
  orders_sendReceipt: (agent) => Effect.map(paid(agent), (at) => ({ ...at, email: "reader@example.com" })),
  refunds_create: (agent) => Effect.map(paid(agent), ({ ref: trade_no }) => ({ trade_no, amount: 100 })),
  paymentLinks_create: () => Effect.succeed({ amount: 100 }),
  reports_create: () => Effect.succeed({ report: "frozen" }),
  webhookEndpoints_create: () => Effect.succeed({ url: "https://shop.example/hook" }),
  webhookDeliveries_resend: delivery,
  testHelpers_orders_pay: order,
  testHelpers_orders_authorize: manual,
  testHelpers_orders_dispute: (agent) => Effect.map(paid(agent), (at) => ({ ...at, amount: 100 })),
  testHelpers_clock_advance: () => Effect.succeed({ by: "1h" })
}

const isReplay = ({ structuredContent }: { structuredContent?: unknown }) =>
  (structuredContent as { replayed?: boolean } | undefined)?.replayed === true

const dataIn = ({ structuredContent }: { structuredContent?: unknown }) => (structuredContent as { data: unknown }).data

const sandbox = Effect.gen(function* () {
  const { baseUrl, merchant } = yield* start({ env: { ALLOW_PRIVATE_WEBHOOKS: "true" } })
  return yield* agentOverHttp(baseUrl, merchant.sandboxKey)
})

describe("a tool that is called again", () => {
  it("has a row here if it writes, and a text of its own only where one call may be meant twice", () => {
    const named = [settings, endings, rotations].flatMap(Object.keys)
    const writing = (kind: string) => tools.filter(({ repeat }) => repeat === kind).map(({ name }) => name)
    assert.sameMembers(writing("sets"), named)
    assert.sameMembers(writing("makes"), Object.keys(makings))
    for (const { inputSchema, method, repeat } of tools) {
      assert.strictEqual(repeat === undefined, method === "GET")
      // Only what is done once by its contents can be meant a second time.
      assert.strictEqual("idempotency_key" in inputSchema.properties, repeat === "makes")
    }
  })

  it.live("sets A, B and A again, and A is what the object has", () =>
    Effect.gen(function* () {
      const agent = yield* sandbox
      for (const [name, { a, at, b, seen }] of Object.entries(settings)) {
        const shared = yield* at(agent)
        const states: Array<unknown> = []
        for (const each of [a, b, a, a]) {
          const result = yield* agent.call(name, { ...shared, ...each })
          assert.isFalse(isReplay(result) || result.isError === true, `${name}: ${textOf(result)}`)
          states.push(yield* seen(agent, shared))
        }
        assert.notDeepEqual(states[0], states[1], name)
        assert.deepStrictEqual(states, [states[0], states[1], states[0], states[0]], name)
      }
    }).pipe(Effect.scoped)
  )

  it.live("ends what has ended already without a word of it", () =>
    Effect.gen(function* () {
      const agent = yield* sandbox
      for (const [name, at] of Object.entries(endings)) {
        const args = yield* at(agent)
        for (const time of ["once", "twice"]) {
          const result = yield* agent.call(name, args)
          assert.isFalse(isReplay(result), name)
          if (name !== "webhookEndpoints_delete" || time === "once") {
            assert.notStrictEqual(result.isError, true, `${name} ${time}: ${textOf(result)}`)
          } else assert.include(textOf(result), "endpoint_not_found (404)")
        }
      }
    }).pipe(Effect.scoped)
  )

  it.live("hands out no earlier secret", () =>
    Effect.gen(function* () {
      const agent = yield* sandbox
      for (const [name, at] of Object.entries(rotations)) {
        const args = yield* at(agent)
        const secrets: Array<string> = []
        for (let time = 0; time < 3; time++) secrets.push((yield* agent.data(name, args)).secret)
        assert.strictEqual(new Set(secrets).size, 3, name)
        // An invented key would bring back the earlier answer.
        const own = yield* agent.call(name, { ...args, idempotency_key: "again" })
        assert.include(textOf(own), "Unknown argument idempotency_key", name)
      }
    }).pipe(Effect.scoped)
  )

  it.live("makes and moves nothing the second time, and says so before all else", () =>
    Effect.gen(function* () {
      const agent = yield* sandbox
      for (const [name, at] of Object.entries(makings)) {
        const args = yield* at(agent)
        const first = yield* agent.call(name, args)
        assert.isFalse(isReplay(first) || first.isError === true, `${name}: ${textOf(first)}`)
        const second = yield* agent.call(name, { ...args, idempotency_key: null })
        assert.isTrue(isReplay(second), name)
        assert.match(textOf(second), /^Nothing was done again: .* earlier answer/, name)
        assert.deepStrictEqual(dataIn(second), dataIn(first), name)
        assert.isFalse(isReplay(yield* agent.call(name, { ...args, idempotency_key: `${name} once more` })), name)
      }
    }).pipe(Effect.scoped)
  )

  it.live("and finds what has its number says that nothing was made, and what was not taken", () =>
    Effect.gen(function* () {
      const agent = yield* sandbox
      const terms = { amount: 100, out_trade_no: "cart-1" }
      yield* agent.data("orders_create", terms)
      const again = yield* agent.call("orders_create", more(terms))
      assert.match(textOf(again), /^Nothing was done: an object with this number already exists/)
      const other = yield* agent.call("orders_create", more({ ...terms, receipt_email: "a@b.example" }))
      assert.match(textOf(other), /^Nothing was done: .*\nOf this call these fields were not taken: receipt_email\./)
    }).pipe(Effect.scoped)
  )
})

describe("a live setting that a person confirms", () => {
  it.live("is done with each confirmation, and once with each", () =>
    Effect.gen(function* () {
      const running = yield* start()
      const { api, baseUrl, merchant } = running
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, {
        approved: true,
        live_currencies: ["USD"],
        live: { default_notify_url: "https://example.com/hook" }
      })
      const agent = yield* agentOverHttp(baseUrl, merchant.liveKey, { person: () => yes })
      const { link_id } = yield* agent.data("paymentLinks_create", { amount: 100 })
      for (const status of ["inactive", "active", "inactive"]) {
        const result = yield* agent.call("paymentLinks_update", { link_id, status })
        assert.isFalse(isReplay(result) || result.isError === true, textOf(result))
        assert.strictEqual((yield* agent.data("paymentLinks_get", { link_id })).status, status)
      }

      const send = (more: object = {}) =>
        sentRaw(running, merchant.liveKey, { name: "paymentLinks_update", args: { link_id, max_uses: 5 }, more })
      const { requestState } = yield* send()
      const answer = { requestState, inputResponses: { confirm: yes } }
      assert.isFalse(isReplay(yield* send(answer)))
      assert.isTrue(isReplay(yield* send(answer)))
    }).pipe(Effect.scoped)
  )
})
