/**
 * A simulated Adyen in this process: `start({ port: 0 })` returns when it listens. It ends with its scope. Notices are
 * sent when a test says so (`rest`), so that a test decides what comes first.
 */
import { createHmac } from "node:crypto"
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Clock, Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { jsonText, parseJson } from "../json.ts"
import { type Faults, makeFaults } from "../server/faults.ts"
import { answer, refuse, type Reply } from "./api.ts"
import { type Bank, makeBank } from "./Bank.ts"
import type { Batch, Item } from "./wire.ts"

export type { Bank, Dispute, Payment, PayOptions } from "./Bank.ts"

export interface Account {
  readonly apiKey: string
  /** As hexadecimal digits. */
  hmacKey: string
  readonly bank: Bank
  /** Where notices go; none: they wait. */
  webhookUrl: string | undefined
}

export const start = ({ port = 0 }: { readonly port?: number } = {}) =>
  Effect.provide(make(port), NodeHttpServer.layerHttpServices)

/** Idempotency keys are remembered for seven days. */
const keyMillis = 7 * 24 * 3_600_000

const make = Effect.fnUntraced(function* (port: number) {
  const clock = yield* Clock.Clock
  let ahead = 0
  const millis = () => clock.currentTimeMillisUnsafe() + ahead
  const faults = makeFaults()
  const accounts = new Map<string, Account>()
  const listener = createServer().on("error", () => undefined)
  const server = yield* NodeHttpServer.make(() => listener, { host: "127.0.0.1", port })
  const address = server.address as { readonly port: number }

  yield* server.serve(makeApp(accounts, faults, millis))
  yield* Effect.addFinalizer(() => Effect.sync(() => listener.closeAllConnections()))
  const rest = makeRest(accounts, faults)

  return {
    url: `http://127.0.0.1:${address.port}`,
    faults,
    /** An account that this key opens. */
    account: (apiKey: string, name: string, hmacKey: string): Account => {
      const made: Account = { apiKey, hmacKey, bank: makeBank(name, millis), webhookUrl: undefined }
      accounts.set(apiKey, made)
      return made
    },
    /** Another key for the same account; the one before opens nothing any more. */
    roll: (account: Account, apiKey: string): Account => {
      const rolled: Account = { ...account, apiKey }
      accounts.delete(account.apiKey)
      accounts.set(apiKey, rolled)
      return rolled
    },
    rest,
    /** Adyen's clock goes before ours by so many milliseconds. */
    goAhead: (by: number) => void (ahead = by),
    /** The key opens nothing, until it is opened again. */
    close: ({ apiKey }: Account) => void accounts.delete(apiKey),
    open: (account: Account) => void accounts.set(account.apiKey, account),
    /** A batch as Adyen signs it, to post by hand. */
    batchOf,
    post
  }
})

type Accounts = ReadonlyMap<string, Account>

const makeApp = (accounts: Accounts, faults: Faults, millis: () => number) => {
  const answered = new Map<string, { readonly call: string; readonly reply: Reply; readonly at: number }>()

  /** One request, in one step. A repeat of its idempotency key gets the first answer. */
  const act = (
    { apiKey, bank }: Account,
    method: string,
    path: string,
    body: object,
    key: string | undefined
  ): Reply => {
    const call = `${method} ${path}`
    const name = `${apiKey}/${key}`
    const before = key === undefined || method !== "POST" ? undefined : answered.get(name)
    if (before !== undefined && before.at + keyMillis > millis()) {
      return before.call === call ? before.reply : refuse(422, "702", "The idempotency key was used for another call")
    }
    if (key !== undefined && key.length > 64) return refuse(422, "702", "The idempotency key is too long")
    const reply = answer(bank, method, path, body as Readonly<Record<string, unknown>>)
    if (key !== undefined) answered.set(name, { call, reply, at: millis() })
    return reply
  }

  const app = Effect.gen(function* () {
    const request = yield* HttpServerRequest
    const { headers, method, url } = request
    const path = url.split("?")[0]!
    const account = accounts.get(headers["x-api-key"] ?? "")
    const text = method === "GET" ? "" : yield* request.text
    if (account === undefined) return respond(refuse(401, "000", "HTTP Status Response - Unauthorized"))
    const body = Option.getOrElse(parseJson(text), () => ({})) as object
    const fault = faults.strike(`${method} ${path}`, account.bank.account)
    const run = () => act(account, method, path, body, headers["idempotency-key"])
    switch (fault?.kind) {
      case undefined:
        return respond(run())
      case "cut_after":
        run()
        return yield* cut(request)
      case "error_after":
        run()
        return respond(refuse(500, "905", "Internal error"))
      case "error_before":
        return respond(refuse(500, "905", "Internal error"))
      case "rate_limited":
        return respond(refuse(429, "000", "Too many requests"))
      case "refused":
        return respond(refuse(422, fault.code ?? "702", "refused, as a test wants it"))
      default:
        return yield* cut(request)
    }
  })
  return Effect.orElseSucceed(app, () => respond(refuse(400, "702", "The body could not be read")))
}

/** Sends what waits. A batch that is not acknowledged waits for the next time. */
const makeRest = (accounts: Accounts, faults: Faults) => {
  const sendAll = Effect.fnUntraced(function* (account: Account, url: string) {
    const { bank } = account
    const waiting = bank.notices.splice(0)
    const later: Array<Item> = []
    bank.sent.push(...waiting)
    for (let place = 0; place < waiting.length; place++) {
      const item = waiting[place]!
      const fault = faults.strike(`webhook ${item.eventCode}`, bank.account)
      if (fault?.kind === "lose") continue
      if (fault?.kind === "late") later.push(item)
      else if (fault?.kind === "swap" && place + 1 < waiting.length) waiting.push(item)
      else {
        const items = fault?.kind === "twice" ? [item, item] : [item]
        if (!(yield* post(url, batchOf(items, account.hmacKey)))) later.push(item)
      }
    }
    bank.notices.unshift(...later)
  })
  return Effect.gen(function* () {
    for (const account of accounts.values()) {
      if (account.webhookUrl !== undefined) yield* sendAll(account, account.webhookUrl)
    }
  })
}

const respond = ({ body, status }: Reply) =>
  typeof body === "string"
    ? HttpServerResponse.text(body, { status, contentType: "text/csv" })
    : HttpServerResponse.text(jsonText(body), { status, contentType: "application/json" })

const cut = (request: HttpServerRequest) =>
  Effect.sync(() => {
    NodeHttpServerRequest.toServerResponse(request).destroy()
    return HttpServerResponse.empty()
  })

const signatureOf = (item: Item, hmacKey: string): string => {
  const { amount, eventCode, merchantAccountCode, merchantReference, originalReference, pspReference, success } = item
  const signed = [
    pspReference,
    originalReference ?? "",
    merchantAccountCode,
    merchantReference,
    amount.value,
    amount.currency,
    eventCode,
    success
  ]
  return createHmac("sha256", Buffer.from(hmacKey, "hex")).update(signed.join(":")).digest("base64")
}

const batchOf = (items: ReadonlyArray<Item>, hmacKey: string): Batch => ({
  live: "false",
  notificationItems: items.map((item) => ({
    NotificationRequestItem: {
      ...item,
      additionalData: { ...item.additionalData, hmacSignature: signatureOf(item, hmacKey) }
    }
  }))
})

/** Whether the receiver acknowledged it, in Adyen's way. Never fails. */
const post = (url: string, batch: Batch): Effect.Effect<boolean> =>
  Effect.tryPromise(() =>
    fetch(url, {
      method: "POST",
      body: jsonText(batch),
      headers: { "content-type": "application/json" },
      signal: AbortSignal.timeout(10_000)
    }).then((response) => response.text().then((text) => response.ok && text === "[accepted]"))
  ).pipe(Effect.orElseSucceed(() => false))
