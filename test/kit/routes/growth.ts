/** The acts of a merchant with a sandbox key, each with the largest body that cannot be compressed. */
import { randomBytes, randomInt } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as Limits from "@coffer/model/Limits"
import { Effect } from "effect"
import { largestBodies } from "./largest.ts"
import { type Json, merchantOf, said } from "../Merchant.ts"
import type { Running } from "../Service.ts"
import { fileOf, filePart, formOf, uploadOwn } from "../callers/uploads.ts"

/** Planes 2, 15 and 16 of Unicode: four bytes a character, and hardly anything to compress. */
const noiseStarts = [0x20000, 0xf0000, 0x100000]
const wideNoise = () => String.fromCodePoint(noiseStarts[randomInt(3)]! + randomInt(0x9000))
const noise = (length: number) => randomBytes(length).toString("base64url").replaceAll(/[-_]/g, "x").slice(0, length)

const wide = (length: number) => Array.from({ length }, wideNoise).join("")

/** The same with other characters in place of those that are repeated. */
export const noisy = (value: unknown): unknown => {
  if (typeof value === "string")
    return value.replace(/\u{1f600}/gu, wideNoise).replace(/aaaa+/g, (run) => noise(run.length))
  if (Array.isArray(value)) return value.map(noisy)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [noisy(name), noisy(each)]))
}

export type Quota = "writes" | "reads" | "csv" | "helpers"

/** How often a key may do it in a day. */
export const timesADay: Readonly<Record<Quota, number>> = {
  writes: Limits.writesPerMinuteMax * 1_440,
  reads: Limits.readsPerMinuteMax * 1_440,
  csv: Limits.csvExportsPerMinuteMax * 1_440,
  helpers: Limits.helpersPerMinuteMax * 1_440
}

export interface Act {
  readonly name: string
  readonly quota: Quota
  /** In a day, where another limit is lower than the quota. */
  readonly most?: number
  /** How often it is done here at most: it takes long. */
  readonly times?: number
  /** One after the other. */
  readonly inTurn?: true
  /** The objects that each needs first. It is not measured. */
  readonly before?: (times: number) => Effect.Effect<ReadonlyArray<string>>
  readonly act: (prepared: string) => Effect.Effect<{ readonly status: number }>
  /** The work that has to happen before it is over. */
  readonly after?: Effect.Effect<void>
}

/** An endpoint that refuses each event with as many bytes as are kept of an answer. */
export const refusingEndpoint = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
    const server = createServer((request, response) => {
      request.resume().on("end", () => response.writeHead(500).end(noise(1_024)))
    }).listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      const close = () => (server.closeAllConnections(), server.close())
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}/`, close }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

/** As long as an address may be. */
export const longUrl = (url: string) => url + noise(Limits.urlLengthMax - url.length)

// oxlint-disable-next-line max-lines-per-function -- a table of acts
export const actsOf = (running: Running, refusing: string): ReadonlyArray<Act> => {
  const shop = merchantOf(running)
  const { baseUrl, merchant } = running
  const key = merchant.sandboxKey
  const keyed = () => ({ "Idempotency-Key": noise(255) })
  const body = (route: string, more: Json = {}): Json => ({
    ...(noisy(largestBodies({ trade_no: "", files: [] })[route]) as Json),
    ...more
  })
  /** One key of metadata is left, and what is logged of a call is below its limit. */
  const small = () => ({
    metadata: Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`k${index}`, wide(500)]))
  })
  const order = (more: () => Json = () => ({})) =>
    Effect.suspend(() =>
      said(shop.post("/v1/orders", body("POST /v1/orders", { amount: 1_000_000, notify_url: null, ...more() })))
    ).pipe(Effect.map(({ trade_no }) => trade_no as string))
  const helper = (path: string, sent: Json = {}) => shop.post(`/v1/test_helpers/${path}`, sent)
  const sold = (method = "card") =>
    Effect.tap(
      order(() => ({ receipt_email: null })),
      (no) => said(helper(`orders/${no}/pay`, { payment_method: method }))
    )
  const refund = (trade_no: string, headers = {}) =>
    Effect.suspend(() => shop.refund(body("POST /v1/refunds", { trade_no }), headers))
  const dispute = Effect.map(
    Effect.flatMap(sold(), (no) => said(shop.dispute(no, { amount: 100 }))),
    ({ dispute_no }) => dispute_no as string
  )
  const pendingRefund = Effect.map(
    Effect.flatMap(sold("alipay"), (no) => said(refund(no))),
    ({ refund_no }) => refund_no as string
  )
  const link = Effect.map(
    said(shop.post("/v1/payment_links", { amount: 1, ...small() })),
    ({ link_id }) => link_id as string
  )
  const endpoint = (url: string) =>
    Effect.suspend(() =>
      said(shop.post("/v1/webhook_endpoints", body("POST /v1/webhook_endpoints", { url: longUrl(url) })))
    )
  const each = (one: Effect.Effect<string>) => (times: number) => Effect.replicateEffect(one, times, { concurrency: 4 })
  const same = (one: Effect.Effect<string>) => (times: number) =>
    Effect.map(one, (found) => Array.from({ length: times }, () => found))
  const evidence = (no: string) => shop.respond(no, body("POST /v1/disputes/:ref/evidence", { files: [] }))
  const changed = () => ({ metadata: { other: noise(500) } })

  const writes: ReadonlyArray<Omit<Act, "quota">> = [
    { name: "an order", act: () => shop.post("/v1/orders", body("POST /v1/orders")) },
    { name: "a keyed order", act: () => shop.post("/v1/orders", body("POST /v1/orders"), keyed()) },
    { name: "a logged order", act: () => shop.post("/v1/orders", { amount: 1, ...small() }) },
    { name: "a change of an order", before: each(order(small)), act: (no) => shop.post(`/v1/orders/${no}`, changed()) },
    { name: "an end of an order", before: each(order()), act: (no) => shop.post(`/v1/orders/${no}/expire`) },
    { name: "a refund", before: same(sold()), act: refund },
    { name: "a keyed refund", before: same(sold()), act: (no) => refund(no, keyed()) },
    { name: "evidence", before: each(dispute), act: evidence },
    { name: "evidence again", before: same(Effect.tap(dispute, evidence)), act: evidence },
    { name: "a link", act: () => shop.post("/v1/payment_links", body("POST /v1/payment_links")) },
    { name: "a change of a link", before: same(link), act: (id) => shop.post(`/v1/payment_links/${id}`, changed()) },
    { name: "a new signing secret", act: () => shop.post("/v1/webhook_signing_secret/rotate") },
    {
      name: "a receipt on request",
      before: each(sold()),
      act: (no) => shop.post(`/v1/orders/${no}/send_receipt`, { email: `${noise(60)}@${noise(60)}.example` })
    },
    {
      name: "a file of 1 MB",
      most: Limits.filesBytesMax.sandbox / 1_000_000,
      times: 10,
      act: () => uploadOwn(baseUrl, key, formOf(filePart(fileOf("pdf", 1_000_000))))
    }
  ]
  const helpers: ReadonlyArray<Omit<Act, "quota">> = [
    { name: "a payment", most: timesADay.writes, before: each(order()), act: (no) => helper(`orders/${no}/pay`) },
    {
      name: "a declined payment",
      before: each(order(small)),
      act: (no) => helper(`orders/${no}/pay`, { outcome: "decline" })
    },
    { name: "a dispute", before: each(sold()), act: (no) => shop.dispute(no, { amount: 100, reason: wide(255) }) },
    { name: "an end of a dispute", before: each(dispute), act: (no) => shop.resolve(no, "won") },
    {
      name: "a settled refund",
      most: timesADay.writes,
      before: each(pendingRefund),
      act: (no) => shop.settle(no, "succeeded")
    },
    { name: "a switch of the channel", act: () => helper("channel", { reachable: true }) },
    {
      name: "a move of the clock",
      times: 5,
      inTurn: true,
      act: () => Effect.tap(helper("clock/advance", { by: "1s" }), () => running.atRest)
    }
  ]
  const reads: ReadonlyArray<Omit<Act, "quota">> = [
    { name: "a read of a logged order", before: each(order(small)), act: (no) => shop.get(`/v1/orders/${no}`) },
    { name: "a read with the longest head", act: () => shop.get(`/v1/orders?metadata[k]=${noise(500)}&${fillers()}`) },
    { name: "a read of the signing secret", act: () => shop.get("/v1/webhook_signing_secret") }
  ]
  return [
    ...writes.map((act): Act => ({ ...act, quota: "writes" })),
    ...helpers.map((act): Act => ({ ...act, quota: "helpers" })),
    ...reads.map((act): Act => ({ ...act, quota: "reads" })),
    { name: "an export", quota: "csv", times: 2, inTurn: true, act: () => shop.get("/v1/orders?format=csv&limit=1") },
    {
      name: "a dispute that 16 endpoints refuse",
      quota: "helpers",
      times: 5,
      before: (times) =>
        Effect.tap(each(sold())(times), () => Effect.replicateEffect(endpoint(refusing), Limits.endpointsMax)),
      act: (no) => shop.dispute(no, { amount: 100, reason: wide(255) }),
      after: running.pass("10 hours")
    }
  ]
}

const fillers = () => Array.from({ length: 24 }, (_, index) => `metadata[k${index}]=${noise(500)}`).join("&")
