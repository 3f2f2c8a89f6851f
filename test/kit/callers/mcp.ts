/** Agents of a test: the official client of MCP, over HTTP or with `coffer mcp` as its child. */
import { Client, type CallToolResult, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { Effect } from "effect"
import { inject } from "vitest"
import type { Running } from "../Service.ts"

export interface Terms {
  /** The version that it speaks: the newest, which has no sessions, or the one before. */
  readonly speaks?: "2026-07-28" | "2025-11-25"
  /** The person's word when asked; undefined: this client cannot ask. */
  /** Another path than that of all tools. */
  readonly path?: string
  readonly person?: (question: string) => Word | Promise<Word>
}

export type Word = { action: "accept"; content: { confirm: boolean } } | { action: "decline" } | { action: "cancel" }

export const yes: Word = { action: "accept", content: { confirm: true } }

const clientOf = ({ person, speaks = "2026-07-28" }: Terms) => {
  const client = new Client(
    { name: "agent-of-a-test", version: "1.0.0" },
    {
      capabilities: person === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: speaks === "2026-07-28" ? { pin: speaks } : "legacy" }
    }
  )
  if (person !== undefined) {
    client.setRequestHandler("elicitation/create", async ({ params }) => person(params.message) as never)
  }
  return client
}

const connected = (
  client: Client,
  transport: StreamableHTTPClientTransport | StdioClientTransport
): Effect.Effect<Agent, never, never> =>
  Effect.promise(async () => {
    await client.connect(transport)
    const call = (name: string, args: object = {}) =>
      Effect.promise(() => client.callTool({ name, arguments: args as never }) as Promise<CallToolResult>)
    return {
      client,
      call,
      data: (name: string, args: object = {}) =>
        Effect.map(call(name, args), (result) => {
          if (result.isError === true) throw new Error(`${name}: ${textOf(result)}`)
          return (result.structuredContent as { data: never }).data
        }),
      names: Effect.promise(async () => (await client.listTools()).tools.map(({ name }) => name))
    }
  })

export interface Agent {
  readonly client: Client
  readonly call: (name: string, args?: object) => Effect.Effect<CallToolResult>
  /** The data of a call that must go well. A test reads what it expects. */
  // oxlint-disable-next-line no-explicit-any
  readonly data: (name: string, args?: object) => Effect.Effect<any>
  readonly names: Effect.Effect<ReadonlyArray<string>>
}

const closed = (client: Client) => Effect.promise(() => client.close())

export const agentOverHttp = (baseUrl: string, key: string, terms: Terms = {}) =>
  Effect.suspend(() => {
    const client = clientOf(terms)
    const headers = { "X-Api-Key": key }
    const transport = new StreamableHTTPClientTransport(new URL(terms.path ?? "/mcp", baseUrl), {
      requestInit: { headers }
    })
    return Effect.acquireRelease(connected(client, transport), () => closed(client))
  })

export const agentOverStdio = (
  words: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  terms: Terms = {}
) =>
  Effect.suspend(() => {
    const client = clientOf({ speaks: "2025-11-25", ...terms })
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [inject("program"), "mcp", ...words],
      env: { PATH: process.env["PATH"] ?? "", ...env },
      stderr: "inherit"
    })
    return Effect.acquireRelease(connected(client, transport), () => closed(client))
  })

interface RawCall {
  readonly name: string
  readonly args: object
  /** What a client adds when it brings a person's word. */
  readonly more?: object
}

/** A call of a tool as it stands on the wire, by a client that can ask a person. A test reads what it expects. */
export const sentRaw = (
  { api }: Pick<Running, "api">,
  key: string,
  { args, more = {}, name }: RawCall
  // oxlint-disable-next-line no-explicit-any
): Effect.Effect<any> =>
  Effect.map(
    api.call("POST", "/mcp", {
      key,
      headers: {
        Accept: "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": name
      },
      body: {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name,
          arguments: args,
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
            "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } }
          },
          ...more
        }
      }
    }),
    ({ text }) => JSON.parse(text.replace(/^data: /, "")).result
  )

export const textOf = ({ content }: CallToolResult): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("\n")
