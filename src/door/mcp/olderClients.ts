/**
 * Clients of the versions of MCP that begin with `initialize`, over HTTP: each message is answered by itself, so there
 * is no session to keep, to find on another runner, or to end with its key (docs/decisions/0208). A message is
 * converted to the newest version, in which it carries the data of a session.
 */
import { hashOf, isRecord } from "@coffer/mcp/json"

export const newest = "2026-07-28"
/** The newest first. */
const older = ["2025-11-25", "2025-06-18", "2025-03-26"]

type Json = Readonly<Record<string, unknown>>

const key = (name: string) => `io.modelcontextprotocol/${name}`

export interface Answer {
  readonly _tag: "Answer"
  readonly status: number
  readonly body: Json | undefined
}

/** The answer, or the message in the newest form with its headers. */
export type Older =
  | Answer
  | { readonly _tag: "Forward"; readonly body: Json; readonly headers: Readonly<Record<string, string>> }

/** Whether a client speaks the newest version, by its message. */
export const isNewest = (message: Json): boolean => {
  const { _meta: meta } = isRecord(message["params"]) ? message["params"] : {}
  return isRecord(meta) && meta[key("protocolVersion")] !== undefined
}

interface About {
  readonly name: string
  readonly version: string
  readonly instructions: string
}

/** Anything else is an unknown method. */
const methods = new Set(["tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read"])

export const readOlder = (message: Json, about: About): Older => {
  const { id, method, params } = message
  const isCall = typeof id === "string" || typeof id === "number"
  // A notification, or an answer to a question that this server never asked.
  if (method === undefined || (!isCall && id === undefined)) return { _tag: "Answer", status: 202, body: undefined }
  if (!isCall || typeof method !== "string" || message["jsonrpc"] !== "2.0") {
    return refuseMessage(null, -32600, "Not a JSON-RPC request.", 400)
  }
  const args = isRecord(params) ? params : {}
  if (method === "initialize") return answerWith(id, introduce(args, about))
  if (method === "ping") return answerWith(id, {})
  if (method === "prompts/list") return answerWith(id, { prompts: [] })
  if (!methods.has(method)) return refuseMessage(id, -32601, `Unknown method ${method.slice(0, 64)}.`, 200)
  const target = args["name"] ?? args["uri"]
  return {
    _tag: "Forward",
    body: { jsonrpc: "2.0", id, method, params: { ...args, _meta: metaOf(args) } },
    headers: {
      "mcp-protocol-version": newest,
      "mcp-method": method,
      ...(method === "tools/call" || method === "resources/read" ? { "mcp-name": headerOf(target) } : {})
    }
  }
}

/** Without capabilities: a question to the client could not be answered without a session. */
const metaOf = ({ _meta }: Json): Json => ({
  ...(isRecord(_meta) ? _meta : {}),
  [key("protocolVersion")]: newest,
  [key("clientCapabilities")]: {}
})

/** A header has only these characters; a name with others is unknown. */
const headerOf = (target: unknown): string =>
  typeof target === "string" && /^[\x21-\x7e]{1,200}$/.test(target) ? target : `none-${hashOf(target ?? null)}`

const introduce = ({ protocolVersion }: Json, { instructions, name, version }: About): Json => ({
  protocolVersion: older.find((each) => each === protocolVersion) ?? older[0],
  capabilities: { tools: {}, resources: {} },
  serverInfo: { name, version },
  instructions
})

const answerWith = (id: string | number, result: Json): Answer => ({
  _tag: "Answer",
  status: 200,
  body: { jsonrpc: "2.0", id, result }
})

export const refuseMessage = (id: string | number | null, code: number, message: string, status: number): Answer => ({
  _tag: "Answer",
  status,
  body: { jsonrpc: "2.0", id, error: { code, message } }
})
