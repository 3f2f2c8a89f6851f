/**
 * `POST /mcp`: messages of the Model Context Protocol, with a merchant's key (docs/mcp.md; docs/decisions/0208). It is
 * not an operation of the API: a tool's call is one, and needs its scope.
 */
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { MerchantKey, Quotas } from "./Caller.ts"
import { Forbidden, InvalidRequest, Unavailable } from "./Errors.ts"
import type { BodyLimits } from "./bodyLimits.ts"

export const mcpPath = "/mcp"

/** More than the largest body of an operation that is a tool. */
export const mcpBody: BodyLimits = { bytes: 512 * 1024, values: 5_000 }

export class McpGroup extends HttpApiGroup.make("mcp")
  .add(HttpApiEndpoint.post("message", mcpPath, { error: [InvalidRequest, Forbidden, Unavailable] }))
  .middleware(Quotas)
  .middleware(MerchantKey) {}

export class McpApi extends HttpApi.make("mcp").add(McpGroup) {}
