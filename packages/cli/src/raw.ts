/** `coffer get|post|delete /path`: any call of the merchant API, with its raw answer. */
import { randomUUID } from "node:crypto"
import { Console, Effect, Option, Predicate, Redacted } from "effect"
import { Argument, Flag } from "effect/cli"
import { CliFailure, failed } from "./CliFailure.ts"
import { type Client, connect, connectToWrite } from "./client.ts"
import { command, json } from "./frame.ts"
import { indentedJson, jsonText, parseJson, shownJson } from "./json.ts"
import { leanFetch } from "./leanFetch.ts"
import { plain } from "./plain.ts"
import { text } from "./flags.ts"
import manifest from "../package.json" with { type: "json" }

/** The service answers within ten. */
const patience = "30 seconds"
const pairsMax = 200

const pathArgument = Argument.String("path").pipe(Argument.withDescription("Such as /orders or /v1/orders"))
const data = (does: string) =>
  Flag.String("data").pipe(
    Flag.withAlias("d"),
    Flag.between(0, pairsMax),
    Flag.withDescription(`${does}: field=value, repeatable`)
  )

export const getCommand = command(
  "get",
  { does: "Make a GET request to the API", example: "coffer get /orders -d limit=3 -d status=paid" },
  { path: pathArgument, data: data("The query") },
  Effect.fnUntraced(function* ({ data, path }) {
    const client = yield* connect()
    const url = yield* urlOf(client, path)
    for (const [name, value] of yield* pairsIn(data)) url.searchParams.append(name, value)
    yield* print(yield* send(client, "GET", url))
  })
)

export const postCommand = command(
  "post",
  { does: "Make a POST request to the API", example: "coffer post /orders -d amount=1999 -d metadata[shelf]=A7" },
  {
    path: pathArgument,
    data: data("The body, as a JSON object or as fields (unquoted whole numbers, true, false and null are not text)"),
    idempotencyKey: text("idempotency-key", "Idempotency key; random by default")
  },
  Effect.fnUntraced(function* ({ data, idempotencyKey, path }) {
    const body = yield* bodyOf(data)
    const client = yield* connectToWrite()
    const url = yield* urlOf(client, path)
    yield* print(
      yield* send(
        client,
        "POST",
        url,
        Option.getOrElse(idempotencyKey, () => randomUUID()),
        body
      )
    )
  })
)

export const deleteCommand = command(
  "delete",
  { does: "Make a DELETE request to the API", example: "coffer delete /webhook_endpoints/whe_…" },
  { path: pathArgument },
  Effect.fnUntraced(function* ({ path }) {
    const client = yield* connectToWrite()
    yield* print(yield* send(client, "DELETE", yield* urlOf(client, path), randomUUID()))
  })
)

/** Always below the account's address, so that the key is sent nowhere else. */
const urlOf = Effect.fnUntraced(function* ({ account: { baseUrl } }: Client, path: string) {
  const text = `${baseUrl}${path.replace(/^\/v1(?=\/|$)/, "")}`
  const url = path.startsWith("/") && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !url.href.startsWith(`${new URL(baseUrl).href.replace(/\/$/, "")}/`)) {
    return yield* failed("bad_path", `"${path}" is not an API path.`, "use one that starts with /, such as /orders", 2)
  }
  return url
})

const pairsIn = (data: ReadonlyArray<string>) =>
  Effect.forEach(data, (pair) => {
    const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(pair) ?? []
    return name === undefined || value === undefined
      ? failed(
          "bad_data",
          `-d: "${pair}" is not a field=value pair.`,
          "write each field as name=value: -d amount=1999",
          2
        )
      : Effect.succeed([name, value] as const)
  })

const bodyOf = Effect.fnUntraced(function* (data: ReadonlyArray<string>) {
  const [first, ...more] = data
  if (first === undefined) return undefined
  if (first.trimStart().startsWith("{")) {
    const whole = Option.filter(parseJson(first), Predicate.isObject)
    if (more.length === 0 && Option.isSome(whole)) return whole.value as object
    return yield* failed("bad_data", "-d: not a JSON object.", "use one object, or fields: -d amount=1999", 2)
  }
  const body: Fields = {}
  for (const [name, value] of yield* pairsIn(data)) {
    // `metadata[shelf]` sets a nested field; `types[]` appends to a list.
    const names = name
      .split(/\[|\]\[|\]/)
      .filter((part, index, parts) => part !== "" || (index > 0 && index < parts.length - 1))
    if (names.some((part) => /^(__proto__|constructor|prototype)$/.test(part))) continue
    put(body, names, valueOf(value))
  }
  return body
})

type Fields = Record<string, unknown>

const put = (into: Fields, [name = "", ...inner]: ReadonlyArray<string>, value: unknown): void => {
  if (inner.length === 0) into[name] = value
  else if (inner.length === 1 && inner[0] === "") into[name] = [...((into[name] ?? []) as Array<unknown>), value]
  else put((into[name] ??= {}) as Fields, inner, value)
}

const valueOf = (text: string): unknown =>
  /^(-?\d{1,15}|true|false|null|"[\s\S]*"|\[[\s\S]*\])$/.test(text)
    ? Option.getOrElse(parseJson(text), () => text)
    : text

const send = Effect.fnUntraced(function* (
  { account }: Client,
  method: string,
  url: URL,
  idempotencyKey?: string,
  body?: object
) {
  const again =
    idempotencyKey === undefined || method === "GET"
      ? "check the network and the URL, then run the same command again"
      : `it may have been carried out; repeat it safely with --idempotency-key ${idempotencyKey}`
  const unanswered = new CliFailure({
    code: "connection_lost",
    message: `No response from ${account.baseUrl}, or not in time.`,
    next: again,
    exitCode: 1,
    isPassing: true
  })
  return yield* Effect.tryPromise({
    try: (signal) =>
      leanFetch(url.href, {
        method,
        headers: {
          "X-Api-Key": Redacted.value(account.key),
          "User-Agent": `coffer-cli/${manifest.version}`,
          "Coffer-Strict": "true",
          ...(idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey }),
          ...(body === undefined ? {} : { "Content-Type": "application/json" })
        },
        ...(body === undefined ? {} : { body: jsonText(body) }),
        redirect: "manual",
        signal
      }).then((response) => response.text().then((text) => ({ status: response.status, text }))),
    catch: () => unanswered
  }).pipe(Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(unanswered) }))
})

/** The raw body. A refusal is a failure of the command. */
const print = Effect.fnUntraced(function* ({ status, text }: { readonly status: number; readonly text: string }) {
  const body = Option.getOrUndefined(parseJson(text))
  if (status >= 200 && status < 300) {
    if (body === undefined) return yield* Console.log(text.split("\n").map(plain).join("\n"))
    return yield* Console.log((yield* json) ? shownJson(body) : indentedJson(body))
  }
  const { error, message, request_id } = (body ?? {}) as Readonly<Record<string, unknown>>
  return yield* failed(
    typeof error === "string" ? error : "unexpected_answer",
    `The service returned ${status}. ${typeof message === "string" ? message : ""}`.trimEnd(),
    typeof request_id === "string"
      ? `coffer logs get ${request_id} shows the call`
      : "check the path, and that the URL is that of the service"
  )
})
