/**
 * Which text may have lines and which may not, the same wherever merchants write any (silences: G17). Free text keeps
 * its line breaks and tabs and is read back as it was sent; a number, a name or a title is one line.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { disputed } from "../kit/stories/disputed.ts"
import type { Reply } from "../kit/Api.ts"
import { created, invalid, ok, order, post, type Row, specified, type World } from "./rows.ts"

const lines = "one\ntwo\r\n\tthree"

/** Controls of both sets, a line break of half its length, what is no character, and U+0000. */
const noText = [
  "\u0000",
  "\u0001",
  "\u0008",
  "\u000b",
  "\u000c",
  "a\rb",
  "\u001b",
  "\u007f",
  "\u0085",
  "\u009f",
  "\ud800"
]
/** These are text, and more than one line, or they turn the reading order of what stands beside them. */
const noLine = ["a\nb", "a\r\nb", "a\tb", "a\u2028b", "a\u2029b", "\u202etxt.exe", "\u202a"]
/** Marks and isolates of writing from right to left, joiners, a no-break space. */
const letters = "\u05d0\u200f \u2066a\u2069 \u{1f468}\u200d\u{1f469}\u00a0ß"

/** A wrong text is told before whether there is such an object. */
const refundOfNone = (fields: object) => post("/v1/refunds", { trade_no: "none", ...fields })

const refund = (fields: object) => (at: World) => post("/v1/refunds", { trade_no: at.paid, amount: 1, ...fields })(at)

const evidence = (text: string) => post("/v1/disputes/none/evidence", { evidence: { shipping_address: text } })

const readBack = (text: string) => (at: World) =>
  Effect.flatMap(disputed(at), ({ api, key, path, respond }) =>
    Effect.andThen(respond({ evidence: { shipping_address: text } }), api.get(`${path}/evidence`, key))
  )

const payout = (reference: string) => (at: World) =>
  at.api.operator("POST", `/merchants/${at.merchant.merchantId}/payouts`, {
    mode: "sandbox",
    currency: "USD",
    amount: 1,
    reference
  })

const named = (name: string) => (at: World) => at.api.operator("POST", "/merchants", { name, seed: false })

const reason = (text: string) => post("/v1/test_helpers/orders/none/dispute", { reason: text })

interface Field {
  readonly name: string
  readonly param: string
  readonly send: (text: string) => (at: World) => Effect.Effect<Reply>
}

const free: ReadonlyArray<Field> = [
  { name: "a refund's reason", param: "reason", send: (text) => refundOfNone({ reason: text }) },
  { name: "a text of evidence", param: "evidence.shipping_address", send: evidence },
  { name: "a value of metadata", param: "metadata.note", send: (text) => order({ metadata: { note: text } }) },
  { name: "a refund's metadata", param: "metadata.note", send: (text) => refundOfNone({ metadata: { note: text } }) }
]

const oneLine: ReadonlyArray<Field> = [
  { name: "out_trade_no", param: "out_trade_no", send: (text) => order({ out_trade_no: text }) },
  { name: "subject", param: "subject", send: (text) => order({ subject: text }) },
  { name: "out_refund_no", param: "out_refund_no", send: (text) => refundOfNone({ out_refund_no: text }) },
  { name: "a payout's reference", param: "reference", send: payout },
  { name: "a merchant's name", param: "name", send: named },
  { name: "the reason of a sandbox dispute", param: "reason", send: reason }
]

/** One after the other, each of them refused with the field's name. */
const eachRefused =
  (texts: ReadonlyArray<string>, { param, send }: Field) =>
  (at: World) =>
    Effect.map(
      Effect.forEach(texts, (text) =>
        Effect.tap(send(text)(at), ({ body, status }) =>
          Effect.sync(() =>
            assert.deepStrictEqual(
              [status, body.error, body.param],
              [400, "invalid_request", param],
              JSON.stringify(text)
            )
          )
        )
      ),
      (replies) => replies.at(-1)!
    )

specified("free text and text of one line", [
  [
    "a refund's reason keeps line breaks and tabs",
    refund({ reason: lines }),
    created(({ body }) => assert.strictEqual(body.data.reason, lines))
  ],
  [
    "so does a text of evidence",
    readBack(lines),
    ok(({ body }) => assert.strictEqual(body.data.evidence.shipping_address, lines))
  ],
  [
    "so does a value of metadata",
    order({ metadata: { note: lines } }),
    created(({ body }) => assert.strictEqual(body.data.metadata.note, lines))
  ],
  [
    "a title may be in any writing",
    order({ subject: letters }),
    created(({ body }) => assert.strictEqual(body.data.subject, letters))
  ],
  ...free.map((field): Row => [
    `${field.name} has no other control characters, and nothing that is no character`,
    eachRefused(noText, field),
    invalid(field.param)
  ]),
  ...oneLine.map((field): Row => [
    `${field.name} is one line, without control characters`,
    eachRefused([...noText, ...noLine], field),
    invalid(field.param)
  ]),
  [
    "a key of metadata is one line",
    (at) =>
      Effect.map(
        Effect.forEach([...noText, ...noLine], (key) =>
          Effect.tap(order({ metadata: { [key]: "1" } })(at), ({ status }) =>
            Effect.sync(() => assert.strictEqual(status, 400, JSON.stringify(key)))
          )
        ),
        (replies) => replies[0]!
      ),
    invalid("metadata.\u0000")
  ]
])
