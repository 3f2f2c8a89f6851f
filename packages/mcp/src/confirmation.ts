/**
 * The person at the client confirms an act on live money first: the question shows the amount with its currency, the
 * act, the object, and the merchant. A client asks by `elicitation/create`. In versions of the protocol without
 * sessions the call returns the question, and the client repeats the call with the person's answer and our signature of
 * the question. So the service keeps no state, and any runner may take either call.
 */
import { createHmac, randomUUID, timingSafeEqual } from "node:crypto"
import { twoDecimals } from "@coffer/model/Money"
import { Clock, Effect, Option, Schema } from "effect"
import {
  type CallToolResult,
  ElicitRequestFormParams,
  InputRequired,
  McpRequestContext,
  McpServerClient
} from "effect/ai/McpSchema"
import { answerError } from "./answers.ts"
import { type ApiAnswer, type Arguments, isRef } from "./calls.ts"
import { hashOf, isRecord, jsonText } from "./json.ts"
import type { Tool } from "./Tool.ts"

/** A person has this long to answer. */
const patienceMillis = 5 * 60_000

export interface Question {
  readonly tool: Tool
  readonly args: Arguments
  /** Shown to the person. */
  readonly text: string
  /** Known only to this server and to the key's holder. */
  readonly secret: string
}

/** `occasion`: the answered question. Repeating the same answer is not a second confirmation. */
interface Confirmed {
  readonly _tag: "Confirmed"
  readonly occasion: string
}
export type Word = Confirmed | CallToolResult | InputRequired

/** The person's answer, or the result for the client instead. */
export const ask = Effect.fnUntraced(function* (question: Question): Effect.fn.Return<Word, never, McpRequestContext> {
  const { clientCapabilities, inputResponses, protocolVersion, requestState } = yield* McpRequestContext
  if (!canAsk(clientCapabilities.elicitation)) return cannotAsk
  const client = yield* Effect.serviceOption(McpServerClient)
  if (Option.isSome(client) && protocolVersion !== "2026-07-28") return yield* askNow(client.value, question)
  const now = yield* Clock.currentTimeMillis
  const word = inputResponses?.["confirm"]
  if (word === undefined || requestState === undefined) return asking(question, now)
  if (!isOurs(question, requestState, now)) return asking(question, now)
  return judged(word, requestState)
})

/** A form is the default if a client does not name its modes. */
const canAsk = (elicitation: { readonly form?: unknown; readonly url?: unknown } | undefined): boolean =>
  elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)

const cannotAsk = answerError(
  "This would act on live money, so a person has to confirm it. This client cannot ask a person (it has no " +
    "elicitation, or speaks a version of MCP older than 2026-07-28 over HTTP), so nothing was done. Use a " +
    "client that can ask, coffer mcp --live, the console, or the API."
)
const declined = answerError("The person did not confirm it: nothing was done. Do not retry unless you are asked to.")
const late = answerError("No person answered within 5 minutes: nothing was done.")

const params = ({ text }: Question) => ({
  mode: "form",
  message: text,
  requestedSchema: {
    type: "object",
    properties: {
      confirm: { type: "boolean", title: "Do it", description: "This is live: real money moves.", default: false }
    },
    required: ["confirm"]
  }
})

const judged = (word: Readonly<Record<string, unknown>>, occasion: string): Word =>
  word["action"] === "accept" && isRecord(word["content"]) && word["content"]["confirm"] === true
    ? { _tag: "Confirmed", occasion }
    : declined

const askNow = (client: McpServerClient["Service"], question: Question) =>
  Effect.flatMap(client.getClient, (reverse) =>
    Schema.decodeUnknownEffect(ElicitRequestFormParams)(params(question)).pipe(Effect.flatMap(reverse.elicit))
  ).pipe(
    Effect.map((word): Word => judged(word as unknown as Readonly<Record<string, unknown>>, randomUUID())),
    Effect.catch(() => Effect.succeed<Word>(declined)),
    Effect.timeoutOrElse({ duration: patienceMillis, orElse: () => Effect.succeed<Word>(late) }),
    Effect.scoped
  )

// Without a session --------------------------------------------------------------

const asking = (question: Question, now: number): InputRequired => {
  const own = randomUUID()
  return new InputRequired({
    inputRequests: { confirm: { method: "elicitation/create", params: params(question) } },
    requestState: `${now}.${own}.${sealOf(question, now, own)}`
  })
}

/** It covers the text: a person who was shown another amount has not confirmed this one. `own` is this question's. */
const sealOf = ({ args, secret, text, tool }: Question, at: number, own: string): string =>
  createHmac("sha256", secret)
    .update(hashOf([tool.name, args, text, at, own]))
    .digest("base64url")

const isOurs = (question: Question, state: string, now: number): boolean => {
  const [, at = "", own = "", seal = ""] = /^(\d{1,15})\.([\da-f-]{36})\.([\w-]{43})$/.exec(state) ?? []
  const age = now - Number(at)
  if (seal === "" || age < 0 || age > patienceMillis) return false
  return timingSafeEqual(Buffer.from(seal), Buffer.from(sealOf(question, Number(at), own)))
}

// The question -------------------------------------------------------------------

export interface Act {
  /** The arguments, with the amount that is shown. */
  readonly args: Arguments
  readonly text: string
}

/** The object of a call: its path without the act at the end. */
export const subjectOf = (tool: Tool, args: Arguments): string | undefined => {
  const order = args["trade_no"]
  if (tool.pathArguments.length === 0) {
    return tool.name === "refunds_create" && typeof order === "string"
      ? `/orders/${encodeURIComponent(order)}`
      : undefined
  }
  const [, folder = "", parameter = ""] = tool.path.split("/")
  const ref = args[parameter.slice(1, -1)]
  return typeof ref === "string" && parameter.startsWith("{") && folder !== "webhook_deliveries"
    ? `/${folder}/${encodeURIComponent(ref)}`
    : undefined
}

/**
 * The refund that an earlier call with these arguments may have made. Without an amount in the arguments it has the
 * amount that was filled in then, not the currently remaining one: the same call again is the same refund.
 */
export const refundNumberOf = (tool: Tool, args: Arguments): string | undefined => {
  const own = args["out_refund_no"]
  return tool.name === "refunds_create" && args["amount"] === undefined && isRef(own)
    ? `/refunds/${encodeURIComponent(own)}`
    : undefined
}

const dataOf = (answer: ApiAnswer | undefined): Readonly<Record<string, unknown>> =>
  answer?.status === 200 && isRecord(answer.body) && isRecord(answer.body["data"]) ? answer.body["data"] : {}

/** `subject`: the answer to a read of that object; `earlier`: to a read of that refund. */
export const actOf = (
  tool: Tool,
  args: Arguments,
  subject: ApiAnswer | undefined,
  earlier: ApiAnswer | undefined
): Act => {
  const object = dataOf(subject)
  const made = Number(dataOf(earlier)["amount"])
  const left =
    made > 0 ? made : Number(object["captured_amount"] ?? object["amount"]) - Number(object["refunded_amount"])
  const pinned = tool.name === "refunds_create" && args["amount"] === undefined && left > 0
  const whole = pinned ? { ...args, amount: left } : args
  const { amount, ...others } = whole
  const currency = whole["currency"] ?? object["currency"] ?? "USD"
  const lines = [
    `Live, with real money: ${tool.title}`,
    ...(typeof amount === "number" ? [`Amount: ${moneyOf(amount, currency)}`] : []),
    ...(tool.name === "refunds_create" && amount === undefined ? ["Amount: the whole remaining amount"] : []),
    ...objectLines(object),
    ...Object.entries(others)
      .filter(([name]) => name !== "idempotency_key")
      .map(([name, value]) => `${name}: ${quoted(value)}`)
  ]
  return { args: whole, text: lines.slice(0, linesMax).join("\n") }
}

const linesMax = 24

/** The object's stored state, not the caller's description. */
const objectLines = (object: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  const { amount, currency, object: kind } = object
  if (typeof kind !== "string") return []
  const shown = ["out_trade_no", "out_refund_no", "status", "subject", "receipt_email", "reason", "url", "trade_no"]
  return [
    `The ${kind.replaceAll("_", " ")} now: ${typeof amount === "number" ? moneyOf(amount, currency) : "no amount"}`,
    ...shown.filter((name) => object[name] != null).map((name) => `  ${name}: ${quoted(object[name])}`)
  ]
}

const moneyOf = (amount: number, currency: unknown): string =>
  Number.isSafeInteger(amount) ? `${twoDecimals(amount)} ${quoted(currency).slice(0, 8)}` : quoted(amount)

/** On one line, without control characters: a buyer's text must not look like a line of ours. */
const quoted = (value: unknown): string => {
  const text = typeof value === "string" ? value : (jsonText(value) ?? "")
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
  return shortened(plain)
}

const [shownMax, endShown] = [120, 40]

/** Keeps both ends, and the whole host of a URL: the important part may follow a long beginning. */
const shortened = (text: string): string => {
  if (text.length <= shownMax) return text
  const [origin = ""] = /^https?:\/\/[^/?#\s]*/i.exec(text) ?? []
  const start = Math.max(origin.length, shownMax - endShown)
  return start + endShown >= text.length
    ? text
    : `${text.slice(0, start)} … (${text.length - start - endShown} characters) … ${text.slice(-endShown)}`
}
