/**
 * Null is the same as leaving a field out, for every optional field of every body (silences: G18). The contract is
 * walked, so that a new field is held to it; where null says something of its own stands in {@link meaningful}.
 */
import { assert, describe, it } from "@effect/vitest"
import { Equal, Exit, Schema, SchemaAST } from "effect"
import { endpoints } from "../kit/routes/endpoints.ts"
import { created, inTurn, invalid, ok, order, post, specified } from "./rows.ts"

// oxlint-disable-next-line no-explicit-any -- bodies as they are sent
type Json = any
type Path = ReadonlyArray<string>

/** A body of each endpoint in which whatever holds optional fields is there. */
const bodies: Record<string, Json> = {
  "/v1/orders": { amount: 1 },
  "/v1/orders/:ref": {},
  "/v1/refunds": { trade_no: "1" },
  "/v1/refunds/:ref": {},
  "/v1/disputes/:ref/evidence": { evidence: {}, files: [] },
  "/v1/webhook_endpoints": { url: "https://shop.example/" },
  "/v1/webhook_endpoints/:endpoint_id": {},
  "/v1/orders/:ref/send_receipt": {},
  "/v1/payment_links": { amount: 1 },
  "/v1/payment_links/:link_id": {},
  "/v1/reports": { report: "frozen" },
  "/v1/erasures": {},
  "/operator/v1/erasures": {},
  "/v1/exports": { email: "a@b.example" },
  "/operator/v1/exports": { email: "a@b.example" },
  "/operator/v1/merchants/:merchant_id/exports": { mode: "sandbox" },
  "/v1/orders/:ref/capture": {},
  "/v1/test_helpers/orders/:ref/pay": {},
  "/v1/test_helpers/orders/:ref/authorize": {},
  "/v1/test_helpers/orders/:ref/capture": {},
  "/v1/test_helpers/refunds/:ref/settle": { outcome: "failed" },
  "/v1/test_helpers/orders/:ref/dispute": {},
  "/v1/test_helpers/disputes/:ref/resolve": { outcome: "won" },
  "/v1/test_helpers/channel": { reachable: true },
  "/v1/test_helpers/clock/advance": { by: "1s" },
  "/operator/v1/merchants/:merchant_id/api_keys": { mode: "sandbox", name: "N", scopes: ["orders:read"] },
  "/operator/v1/merchants/:merchant_id/api_keys/:key_id": {},
  "/operator/v1/merchants/:merchant_id/api_keys/:key_id/roll": { overlap_minutes: 1 },
  "/operator/v1/merchants": { name: "N" },
  "/operator/v1/merchants/:merchant_id": {
    fees: [{ basis_points: 1, fixed: 1 }],
    dispute_fee: {},
    payout_fee: {},
    quotas: {},
    sandbox: {},
    live: {}
  },
  "/operator/v1/orders/:trade_no/payments/:payment_id/close": { note: "N" },
  "/operator/v1/stray_sessions/:id/close": { note: "N" },
  "/operator/v1/operators": { name: "N", role: "viewer" },
  "/operator/v1/people": { email: "a@b.example", role: "viewer" },
  "/operator/v1/people/:person_id/remove": {},
  "/operator/v1/merchants/:merchant_id/channels/:mode": { channel: "stripe" },
  "/operator/v1/merchants/:merchant_id/payouts": { mode: "sandbox", currency: "USD", amount: 1 }
}

/** The meaning of null there, beside its absence. */
const meaningful: Record<string, string> = {
  "/v1/orders/:ref metadata": "removes all keys",
  "/v1/orders/:ref receipt_email": "removes the address",
  "/v1/refunds/:ref metadata": "removes all keys",
  "/v1/webhook_endpoints/:endpoint_id description": "removes it",
  "/v1/refunds amount": "is refused: a lost amount is not the whole",
  "/v1/payment_links/:link_id subject": "removes the title",
  "/v1/payment_links/:link_id max_uses": "lifts the limit",
  "/v1/payment_links/:link_id expires_at": "lifts the limit",
  "/v1/payment_links/:link_id metadata": "removes all keys",
  "/v1/test_helpers/orders/:ref/dispute evidence_due_by": "sets no deadline",
  "/operator/v1/merchants/:merchant_id sandbox.default_notify_url": "removes the address",
  "/operator/v1/merchants/:merchant_id live.default_notify_url": "removes the address",
  "/operator/v1/merchants/:merchant_id note": "removes it",
  "/operator/v1/merchants/:merchant_id/channels/:mode account": "names the account of the key itself",
  "/operator/v1/merchants/:merchant_id/channels/:mode rank": "unsets it: the usual place",
  "/operator/v1/merchants/:merchant_id/channels/:mode methods": "unsets them: all that the channel takes",
  "/operator/v1/merchants/:merchant_id logo_url": "removes the logo",
  "/operator/v1/merchants/:merchant_id support_email": "removes the contact",
  "/operator/v1/merchants/:merchant_id support_url": "removes the contact",
  "/operator/v1/merchants/:merchant_id terms_url": "removes the link",
  "/operator/v1/merchants/:merchant_id privacy_url": "removes the link",
  "/operator/v1/merchants/:merchant_id business_address": "removes the address",
  "/operator/v1/merchants/:merchant_id tax_id": "removes the number",
  "/operator/v1/merchants/:merchant_id accent_color": "gives pages the service's colour back",
  "/operator/v1/merchants/:merchant_id checkout_domain": "gives links the address of the service back",
  "/operator/v1/merchants/:merchant_id contact_email": "removes the contact",
  "/operator/v1/merchants/:merchant_id sandbox.payment_methods": "offers all of them",
  "/operator/v1/merchants/:merchant_id live.payment_methods": "offers all of them"
}

const taken = endpoints
  .flatMap(({ path, payload }) => [...payload.values()].map(({ encoding, schemas }) => ({ path, encoding, schemas })))
  .filter(({ encoding }) => encoding._tag === "Json")

/** Where optional fields may stand in a body; `0` is the first of a list. */
const optionalFields = (ast: SchemaAST.AST, at: Path = []): ReadonlyArray<Path> => {
  if (SchemaAST.isObjects(ast)) {
    return ast.propertySignatures.flatMap(({ name, type }) => {
      const here = [...at, String(name)]
      return [...(SchemaAST.isOptional(type) ? [here] : []), ...optionalFields(type, here)]
    })
  }
  if (SchemaAST.isArrays(ast)) return ast.rest.flatMap((each) => optionalFields(each, [...at, "0"]))
  return SchemaAST.isUnion(ast) ? ast.types.flatMap((each) => optionalFields(each, at)) : []
}

/** The body with another value at that place, or without any. */
const replaced = (body: Json, [name, ...rest]: Path, value: unknown): Json => {
  const copy = Array.isArray(body) ? [...body] : { ...body }
  if (rest.length > 0) return Object.assign(copy, { [name!]: replaced(body[name!], rest, value) })
  if (value === undefined) delete copy[name!]
  else copy[name!] = value
  return copy
}

const holds = (body: Json, path: Path): boolean => path.reduce((inner, name) => inner?.[name], body) !== undefined

describe("the contract: null is the same as nothing", () => {
  it("every body is known here", () =>
    assert.sameMembers(
      taken.map(({ path }) => path),
      Object.keys(bodies)
    ))

  it("where null means more, there is such a field", () => {
    const known = taken.flatMap(({ path, schemas }) =>
      schemas.flatMap((schema) => optionalFields(Schema.toEncoded(schema).ast).map((at) => `${path} ${at.join(".")}`))
    )
    assert.includeMembers(known, Object.keys(meaningful))
  })

  const fields = taken.flatMap(({ path, schemas }) => {
    const decode = Schema.decodeUnknownExit(Schema.Union(schemas) as Schema.Top as Schema.Codec<unknown>)
    return schemas
      .flatMap((schema) => optionalFields(Schema.toEncoded(schema).ast))
      .map((at) => {
        const body = bodies[path] ?? {}
        const [withNull, without] = [null, undefined].map((value) => decode(replaced(body, at, value)))
        return { name: `${path} ${at.join(".")}`, at, body, withNull: withNull!, without: without! }
      })
  })
  const named = (those: typeof fields) => those.map(({ name }) => name)

  it("every body above has what holds its optional fields, and is taken without them", () =>
    assert.deepStrictEqual(
      named(
        fields.filter(
          ({ at, body, without }) => !(at.length === 1 || holds(body, at.slice(0, -1))) || Exit.isFailure(without)
        )
      ),
      []
    ))

  it("null is read as the field's absence, but where it means something of its own", () =>
    assert.deepStrictEqual(
      named(fields.filter(({ name, withNull, without }) => Equal.equals(withNull, without) === name in meaningful)),
      []
    ))
})

const nothing = (...names: ReadonlyArray<string>) => Object.fromEntries(names.map((name) => [name, null]))
const terms = ["out_trade_no", "currency", "subject", "notify_url", "return_url", "metadata", "receipt_email", "locale"]

specified("null is the same as nothing", [
  [
    "an order of nulls is an order of its amount",
    order(nothing(...terms)),
    created(({ body: { data } }) =>
      assert.deepInclude(data, { out_trade_no: data.trade_no, currency: "USD", subject: null, metadata: {} })
    )
  ],
  [
    "null for receipt_email removes it by an update",
    inTurn(
      order({ out_trade_no: "mailed", receipt_email: "a@b.co" }),
      post("/v1/orders/mailed", { receipt_email: null })
    ),
    ok(({ body }) => assert.isNull(body.data.receipt_email))
  ],
  ["an amount of null is no refund of all", post("/v1/refunds", { trade_no: "paid", amount: null }), invalid("amount")],
  [
    "the buyer pays as if nothing were said",
    inTurn(
      order({ out_trade_no: "bought" }),
      post("/v1/test_helpers/orders/bought/pay", nothing("payment_method", "outcome", "amount"))
    ),
    ok(({ body }) => assert.deepInclude(body.data, { status: "paid", payment_method: "card" }))
  ],
  ["a required field is not optional: null is refused", order({ amount: null }), invalid("amount")],
  [
    "an operator's settings stay where null is sent",
    (at) =>
      at.api.operator("POST", `/merchants/${at.other.merchantId}`, {
        ...nothing("name", "approved", "live_currencies", "fees", "dispute_fee", "payout_fee", "quotas", "live"),
        sandbox: { ip_allowlist: null }
      }),
    ok(({ body: { data } }) =>
      assert.deepInclude(data, { name: "Test merchant", approved: false, live_currencies: [] })
    )
  ]
])
