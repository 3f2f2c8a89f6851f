/**
 * The reference of the merchant API at `/docs`, drawn by Scalar from the published document. Everything it needs is in
 * the page itself: it works where no other host can be reached, and tells no other host that it was read.
 */
import { Api } from "@coffer/contract/Api"
import { HttpApiScalar } from "effect/http-api"

const scalar = {
  // Fonts of the reader's own system: Scalar's come from a host of Scalar.
  withDefaultFonts: false,
  telemetry: false,
  // These send the document to services of Scalar.
  showDeveloperTools: "never",
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  authentication: { preferredSecurityScheme: "apiKey" },
  // All operations stand in the sidebar.
  defaultOpenAllTags: true,
  // An empty picture; otherwise the browser asks for one.
  favicon: "data:,"
} as const

export const layer = HttpApiScalar.layer(Api, { path: "/docs", scalar })
