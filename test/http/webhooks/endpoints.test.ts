/** The six operations on webhook endpoints (spec: Endpoints, Webhook endpoints; silences: W2, W4 to W6). */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Logs } from "../../../src/shared/logs/Logs.ts"
import type { Reply } from "../../kit/Api.ts"
import { hooksOf } from "../../kit/callers/Hooks.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/endpoints") {}

const url = "https://shop.example/hooks"
const secretForm = /^whsec_[A-Za-z0-9+/]{43}=$/

const fresh = Effect.gen(function* () {
  const running = yield* Service
  const merchant = yield* running.api.newMerchant()
  return { ...running, merchant, hooks: hooksOf(running, merchant) }
})

const isRefused = (reply: Reply, status: number, error: string, param?: string, what: unknown = "") =>
  assert.deepStrictEqual([reply.status, reply.body.error, reply.body.param], [status, error, param], String(what))

layer(Layer.effect(Service, start()), { excludeTestServices: true })("a webhook endpoint", (it) => {
  it.effect("is created with 201 and takes all events unless told which", () =>
    Effect.gen(function* () {
      const { hooks } = yield* fresh
      const reply = yield* hooks.call("POST", "", { url })
      assert.strictEqual(reply.status, 201)
      const { created_at, id, secret, updated_at, ...rest } = reply.body.data
      assert.match(id, /^whe_[0-9A-Z]{26}$/)
      assert.match(secret, secretForm)
      assert.strictEqual(created_at, updated_at)
      assert.deepStrictEqual(rest, {
        object: "webhook_endpoint",
        mode: "sandbox",
        url,
        description: null,
        enabled_events: ["*"],
        status: "enabled",
        disable_when_failing: false,
        is_default: false,
        rotated_at: null,
        previous_until: null,
        previous_ends: []
      })
      const told = { url, description: "Warehouse", enabled_events: ["refund.failed", "dispute.won"] }
      assert.deepInclude(yield* hooks.create(told), told)
    })
  )

  it.effect("shows its secret on create and rotate only: not when it is read, and not in the API log", () =>
    Effect.gen(function* () {
      const { api, context, hooks, merchant } = yield* fresh
      const { id, secret: first, ...shown } = yield* hooks.create({ url })
      assert.deepStrictEqual(yield* hooks.retrieve(id), { id, ...shown })
      assert.deepStrictEqual((yield* hooks.list()).data, [{ id, ...shown }])
      assert.notProperty(yield* hooks.update(id, { description: "x" }), "secret")
      const { secret: second } = yield* hooks.rotate(id)
      assert.match(second, secretForm)
      assert.notStrictEqual(second, first)
      const rotated = yield* hooks.retrieve(id)
      assert.lengthOf(rotated.previous_ends, 1)
      assert.strictEqual(rotated.previous_until, rotated.previous_ends[0])
      assert.strictEqual(Date.parse(rotated.previous_until) - Date.parse(rotated.rotated_at), 86_400_000)
      const ended = yield* hooks.call("POST", `/${id}/end_previous_secrets`)
      assert.deepInclude(ended.body.data, { id, previous_until: null, previous_ends: [] })
      assert.notProperty(ended.body.data, "secret")
      yield* Effect.flatMap(Logs, ({ flushed }) => flushed).pipe(Effect.provide(context))
      const { text } = yield* api.get("/v1/logs?limit=100", merchant.sandboxKey)
      assert.include(text, "rotate_secret")
      for (const secret of [first, second]) assert.notInclude(text, JSON.stringify(secret).slice(1, -1))
    })
  )

  it.effect("is refused with what no endpoint can have, by the field's name", () =>
    Effect.gen(function* () {
      const { hooks } = yield* fresh
      const { id } = yield* hooks.create({ url })
      for (const [param, fields] of [
        ["url", { url: "shop.example" }],
        ["url", { url: "ftp://shop.example/" }],
        ["url", { url: "https://{host}.example/" }],
        ["url", { url: `https://shop.example/${"a".repeat(2_100)}` }],
        ["url", { url: 7 }],
        ["description", { description: "a".repeat(501) }],
        ["description", { description: "two\nlines" }],
        ["enabled_events", { enabled_events: [] }],
        ["enabled_events", { enabled_events: "payment.succeeded" }]
      ] as const) {
        isRefused(yield* hooks.call("POST", "", { url, ...fields }), 400, "invalid_request", param, param)
        isRefused(yield* hooks.call("POST", `/${id}`, fields), 400, "invalid_request", param, param)
      }
      const unknown = yield* hooks.call("POST", "", { url, enabled_events: ["payment.succeeded", "payment.paid"] })
      isRefused(unknown, 400, "invalid_request", "enabled_events[1]")
      isRefused(yield* hooks.call("POST", "", {}), 400, "invalid_request", "url")
      isRefused(yield* hooks.call("POST", `/${id}`, { status: "off" }), 400, "invalid_request", "status")
      const both = { status: "disabled", disabled: true }
      isRefused(yield* hooks.call("POST", `/${id}`, both), 400, "invalid_request", "disabled")
    })
  )

  it.effect(
    "of the live environment is public HTTPS; one of the sandbox may be private where the operator allows",
    () =>
      Effect.gen(function* () {
        const { api, hooks, merchant, ...running } = yield* fresh
        yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { approved: true })
        const live = hooksOf({ ...running, api, merchant }, merchant, merchant.liveKey)
        for (const bad of ["http://shop.example/", "https://127.0.0.1/", "https://localhost/", "https://10.1.2.3/"]) {
          isRefused(yield* live.call("POST", "", { url: bad }), 400, "invalid_request", "url", bad)
          assert.strictEqual((yield* hooks.create({ url: bad })).url, bad)
        }
        const { id, mode } = yield* live.create({ url })
        assert.strictEqual(mode, "live")
        isRefused(yield* live.call("POST", `/${id}`, { url: "http://shop.example/" }), 400, "invalid_request", "url")
        isRefused(yield* hooks.call("GET", `/${id}`), 404, "endpoint_not_found")
      })
  )

  it.effect("changes only in what is sent, and null removes the description", () =>
    Effect.gen(function* () {
      const { hooks } = yield* fresh
      const { secret: _, updated_at, ...created } = yield* hooks.create({ url, description: "a" })
      const { updated_at: changedAt, ...changed } = yield* hooks.update(created.id, { enabled_events: ["dispute.won"] })
      assert.deepStrictEqual(changed, { ...created, enabled_events: ["dispute.won"] })
      assert.isAtLeast(Date.parse(changedAt), Date.parse(updated_at))
      assert.isNull((yield* hooks.update(created.id, { description: null })).description)
      assert.strictEqual((yield* hooks.update(created.id, { disabled: true })).status, "disabled")
      assert.strictEqual((yield* hooks.update(created.id, { url: `${url}/2` })).status, "disabled")
      assert.strictEqual((yield* hooks.update(created.id, { status: "enabled" })).status, "enabled")
      assert.deepInclude(yield* hooks.retrieve(created.id), { url: `${url}/2`, enabled_events: ["dispute.won"] })
    })
  )

  it.effect("that was deleted, or belongs to another merchant, is 404 endpoint_not_found", () =>
    Effect.gen(function* () {
      const { hooks } = yield* fresh
      const { id } = yield* hooks.create({ url })
      const others = (yield* fresh).hooks
      const isGone = (by: typeof hooks) =>
        Effect.gen(function* () {
          isRefused(yield* by.call("GET", `/${id}`), 404, "endpoint_not_found")
          isRefused(yield* by.call("POST", `/${id}`, { disabled: true }), 404, "endpoint_not_found")
          isRefused(yield* by.call("POST", `/${id}/rotate_secret`), 404, "endpoint_not_found")
          isRefused(yield* by.call("DELETE", `/${id}`), 404, "endpoint_not_found")
        })
      yield* isGone(others)
      assert.deepStrictEqual(yield* hooks.remove(id), { object: "webhook_endpoint", id, deleted: true })
      yield* isGone(hooks)
      assert.deepStrictEqual((yield* hooks.list()).data, [])
    })
  )

  it.effect(
    "is one of 16 at most in each environment, also when many are created at once; a deleted one makes room",
    () =>
      Effect.gen(function* () {
        const { hooks } = yield* fresh
        const replies = yield* Effect.replicateEffect(hooks.call("POST", "", { url }), 20, { concurrency: "unbounded" })
        const busy = replies.filter(({ status }) => status === 503).length
        assert.isAtLeast(replies.filter(({ status }) => status === 201).length, 16 - busy)
        yield* Effect.replicateEffect(hooks.call("POST", "", { url }), busy)
        const { data } = yield* hooks.list()
        assert.strictEqual(data.length, 16)
        isRefused(yield* hooks.call("POST", "", { url }), 409, "conflict")
        yield* hooks.remove(data[3].id)
        yield* hooks.create({ url })
        isRefused(yield* hooks.call("POST", "", { url }), 409, "conflict")
      })
  )

  it.effect("is listed newest first, by pages and times as in every list", () =>
    Effect.gen(function* () {
      const { hooks } = yield* fresh
      const ids: Array<string> = []
      for (let count = 0; count < 5; count++) ids.unshift((yield* hooks.create({ url })).id)
      const page = (query: string) =>
        Effect.map(hooks.list(query), ({ data, has_more }) => [
          data.map(({ id }: { readonly id: string }) => ids.indexOf(id)),
          has_more
        ])
      assert.deepStrictEqual(yield* page(""), [[0, 1, 2, 3, 4], false])
      assert.deepStrictEqual(yield* page("?limit=2"), [[0, 1], true])
      assert.deepStrictEqual(yield* page(`?limit=2&starting_after=${ids[1]}`), [[2, 3], true])
      assert.deepStrictEqual(yield* page(`?limit=2&starting_after=${ids[3]}`), [[4], false])
      assert.deepStrictEqual(yield* page(`?limit=2&ending_before=${ids[3]}`), [[1, 2], true])
      assert.deepStrictEqual(yield* page(`?limit=2&ending_before=${ids[1]}`), [[0], false])
      assert.deepStrictEqual(yield* page("?created[lte]=2020-01-01T00:00:00Z"), [[], false])
      assert.deepStrictEqual(yield* page("?created[gte]=2020-01-01T00:00:00Z"), [[0, 1, 2, 3, 4], false])
      const stranger = (yield* (yield* fresh).hooks.create({ url })).id
      for (const [param, query] of [
        ["starting_after", `?starting_after=${stranger}`],
        ["limit", "?limit=0"],
        ["format", "?format=csv"],
        ["status", "?status=enabled"]
      ] as const) {
        isRefused(yield* hooks.call("GET", query), 400, "invalid_request", param)
      }
    })
  )
})

layer(Layer.effect(Service, start()), { excludeTestServices: true })("the account's single address", (it) => {
  it.effect("is listed with is_default, keeps its number, and is changed, deleted and rotated elsewhere", () =>
    Effect.gen(function* () {
      const { hooks } = yield* fresh
      yield* hooks.create({ url })
      yield* hooks.single(url)
      const { data } = yield* hooks.list()
      const [single] = data
      assert.deepInclude(single, {
        object: "webhook_endpoint",
        url,
        enabled_events: ["*"],
        status: "enabled",
        is_default: true
      })
      assert.deepStrictEqual(
        data.map(({ is_default }: { readonly is_default: boolean }) => is_default),
        [true, false]
      )
      assert.deepStrictEqual(yield* hooks.retrieve(single.id), single)
      isRefused(yield* hooks.call("POST", `/${single.id}`, { disabled: true }), 409, "conflict")
      isRefused(yield* hooks.call("DELETE", `/${single.id}`), 409, "conflict")
      const rotated = yield* hooks.call("POST", `/${single.id}/rotate_secret`)
      isRefused(rotated, 409, "default_endpoint_secret_managed")

      yield* hooks.single(null)
      assert.strictEqual((yield* hooks.list()).data.length, 1)
      isRefused(yield* hooks.call("GET", `/${single.id}`), 404, "endpoint_not_found")
      yield* hooks.single(`${url}/2`)
      assert.deepInclude(yield* hooks.retrieve(single.id), { url: `${url}/2`, created_at: single.created_at })
    })
  )
})

layer(Layer.effect(Service, start()), { excludeTestServices: true })("the same request again", (it) => {
  it.effect("with its Idempotency-Key shows the same secret, which is nowhere in the database in plain text", () =>
    Effect.gen(function* () {
      const { api, hooks, merchant, sql } = yield* fresh
      const twice = Effect.fnUntraced(function* (path: string, body: object) {
        const sent = api.call("POST", path, {
          key: merchant.sandboxKey,
          body,
          headers: { "Idempotency-Key": "once" }
        })
        const [first, again] = [yield* sent, yield* sent]
        assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
        assert.deepStrictEqual([again.status, again.body.data], [first.status, first.body.data])
        return first.body.data
      })
      const made = yield* twice("/v1/webhook_endpoints", { url })
      const rotated = yield* twice(`/v1/webhook_endpoints/${made.id}/rotate_secret`, {})
      const signing = yield* twice("/v1/webhook_signing_secret/rotate", {})
      assert.strictEqual((yield* hooks.list()).data.length, 1)
      assert.strictEqual((yield* hooks.secret).secret, signing.secret)
      const stored = yield* sql`select k.data, w.signing, w.endpoints from idempotency_keys k
        join webhook_settings w using (merchant_id, mode) where merchant_id = ${merchant.merchantId}`
      assert.strictEqual(stored.length, 3)
      const text = JSON.stringify(stored)
      for (const { secret } of [made, rotated, signing]) assert.notInclude(text, secret.slice(6, 30))
      assert.notInclude(text, "whsec_")
    })
  )

  it.effect("is changed over the version that the caller names, and 409 where it was changed meanwhile", () =>
    Effect.gen(function* () {
      const { api, hooks, merchant } = yield* fresh
      const made = (yield* hooks.call("POST", "", { url })).body.data
      const path = `/v1/webhook_endpoints/${made.id}`
      const over = (version: string, description: string) =>
        api.call("POST", path, {
          key: merchant.sandboxKey,
          headers: { "If-Match": `"${version}"` },
          body: { description }
        })
      const first = yield* over(made.updated_at, "one")
      assert.strictEqual(first.status, 200, first.text)
      assert.notStrictEqual(first.body.data.updated_at, made.updated_at)
      const stale = yield* over(made.updated_at, "two")
      isRefused(stale, 409, "conflict")
      assert.strictEqual(stale.headers.get("coffer-reason"), "changed_meanwhile")
      assert.strictEqual((yield* over(first.body.data.updated_at, "three")).status, 200)
      assert.strictEqual((yield* hooks.call("POST", `/${made.id}`, { description: "four" })).status, 200)
    })
  )
})
