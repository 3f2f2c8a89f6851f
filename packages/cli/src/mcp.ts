/**
 * `coffer mcp`: the MCP server on standard input and output, for an agent on this machine. It works with the account of
 * the command line; a tool's call is a call of the API, and the key stays in this process.
 */
import { createHash } from "node:crypto"
import { type Door, instructions, type OtherTool, registrations } from "@coffer/mcp/server"
import { answerWith, answerError } from "@coffer/mcp/answers"
import { type ApiAnswer, type ApiCall, noAnswer } from "@coffer/mcp/calls"
import { docsAbove } from "@coffer/mcp/docs"
import { chosenBy } from "@coffer/mcp/groups"
import { isRecord } from "@coffer/mcp/json"
import type { Tool } from "@coffer/mcp/Tool"
import { Effect, Layer, Option, Redacted, Result } from "effect"
import { McpProtocol, McpServer } from "effect/ai"
import { resultsOf } from "./certifyChecks.ts"
import { type Client, connect } from "./client.ts"
import { failed } from "./CliFailure.ts"
import { isReceiver } from "./delivery.ts"
import { text } from "./flags.ts"
import { command, live } from "./frame.ts"
import { jsonText, parseJson } from "./json.ts"
import { gradeOfAll } from "./webhooks.ts"
import manifest from "../package.json" with { type: "json" }

/** The service answers within ten. */
const patience = "30 seconds"

export const mcpCommand = command(
  "mcp",
  {
    does: "Serve your account's tools to an agent (MCP) over stdio; with --live you confirm every action first",
    example: ""
  },
  { tools: text("tools", "Groups of tools, such as orders,refunds; all by default") },
  Effect.fnUntraced(function* ({ tools }) {
    const chosen = chosenBy(Option.getOrUndefined(tools))
    if (Result.isFailure(chosen)) {
      return yield* failed("unknown_group", `${chosen.failure}.`, "choose --tools from these, with commas", 2)
    }
    const client = yield* connect({ as: "coffer-mcp" })
    if (!client.isSandbox && !(yield* live)) {
      const { keyFrom } = client.account
      return yield* failed(
        "live_write",
        `The key (from ${keyFrom}) is a live key, and live calls move real money.`,
        "add --live if you mean it, or use a sandbox key (svc_test_…)",
        2
      )
    }
    const allowed = yield* allowedTools(client)
    const door: Door = {
      isLive: !client.isSandbox,
      allows: (tool) => chosen.success(tool) && (allowed === undefined || allowed.has(tool.name)),
      secret: createHash("sha256").update(Redacted.value(client.account.key)).digest("hex"),
      call: (call) => send(client, call)
    }
    yield* Layer.launch(
      McpServer.layerStdio({
        name: "coffer",
        version: manifest.version,
        instructions,
        protocols: [McpProtocol.v2025_11_25, McpProtocol.v2025_06_18, McpProtocol.v2025_03_26, McpProtocol.v2026_07_28],
        registrations: registrations({
          door: Effect.succeed(door),
          docs: docsAbove(import.meta.dirname),
          others: client.isSandbox ? [certifying(client)] : []
        })
      })
    ).pipe(Effect.catchTags({ IllegalArgumentError: Effect.die }))
  })
)

const send = ({ account }: Client, { body, idempotencyKey, method, path }: ApiCall): Effect.Effect<ApiAnswer> =>
  fetchAnswer(`${account.baseUrl}${path}`, {
    method,
    headers: {
      "X-Api-Key": Redacted.value(account.key),
      "User-Agent": `coffer-mcp/${manifest.version}`,
      ...(method === "GET" ? {} : { "Coffer-Strict": "true" }),
      ...(idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey }),
      ...(body === undefined ? {} : { "Content-Type": "application/json" })
    },
    ...(body === undefined ? {} : { body: jsonText(body) })
  })

const fetchAnswer = (url: string, init: RequestInit): Effect.Effect<ApiAnswer> =>
  Effect.tryPromise((signal) =>
    fetch(url, { ...init, redirect: "manual", signal }).then((response) =>
      response.text().then((text) => ({
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: Option.getOrUndefined(parseJson(text))
      }))
    )
  ).pipe(
    Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed(noAnswer) }),
    Effect.orElseSucceed(() => noAnswer)
  )

/**
 * The tools that the service lists for this key at its own `/mcp`; undefined if it does not answer, for example before
 * it runs. The service checks the key's permissions whether or not a tool is listed.
 */
const allowedTools = Effect.fnUntraced(function* ({ account }: Client) {
  const answer = yield* fetchAnswer(new URL("/mcp", account.baseUrl).toString(), {
    method: "POST",
    headers: {
      "X-Api-Key": Redacted.value(account.key),
      "User-Agent": `coffer-mcp/${manifest.version}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream"
    },
    body: jsonText({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} })
  })
  const { result } = isRecord(answer.body) ? answer.body : {}
  const tools =
    isRecord(result) && Array.isArray(result["tools"]) ? (result["tools"] as ReadonlyArray<Tool>) : undefined
  return tools === undefined ? undefined : new Set(tools.map(({ name }) => name))
})

// The receiver of webhooks -------------------------------------------------------

const certifying = (client: Client): OtherTool => ({
  name: "webhooks_certify",
  description:
    "Certify a webhook receiver: posts everything it has to cope with, and grades it. A passes everything, B is " +
    "fragile, C loses events, F is dangerous. Takes half a minute.",
  inputSchema: {
    type: "object",
    properties: {
      url: { type: "string", description: "Such as http://localhost:3000/hook." },
      secret: { type: "string", description: "The receiver's signing secret; the account's unless given." }
    },
    required: ["url"]
  },
  isReadOnly: false,
  run: Effect.fnUntraced(function* (args) {
    const { secret, url } = isRecord(args) ? args : {}
    if (typeof url !== "string" || !isReceiver(url))
      return answerError("The argument url must start with http:// or https://.")
    const chosen = typeof secret === "string" ? secret : yield* ownSecret(client)
    if (chosen === undefined) return answerError("This key can't read the account's secret: pass the argument secret.")
    const receiver = { url, secret: chosen }
    const results = yield* resultsOf(receiver, () => Effect.void)
    if (results === undefined)
      return answerError(`Nothing listens at ${url}: start the receiver, or correct the address.`)
    const faults = results.flatMap(({ check, problem }) =>
      problem === undefined
        ? []
        : [{ name: check.name, severity: check.severity, seen: problem, fault: check.fault, fix: check.fix }]
    )
    const grade = gradeOfAll(faults.map(({ severity }) => severity))
    const summary = [
      `Grade ${grade}: ${results.length - faults.length} of ${results.length} checks passed.`,
      jsonText(faults)
    ]
    return answerWith(summary.join("\n"), { grade, checks: results.map(({ check }) => check.name), faults })
  })
})

const ownSecret = (client: Client) =>
  Effect.map(send(client, { method: "GET", path: "/webhook_signing_secret" }), ({ body }) => {
    const { secret } = isRecord(body) && isRecord(body["data"]) ? body["data"] : {}
    return typeof secret === "string" ? secret : undefined
  })
