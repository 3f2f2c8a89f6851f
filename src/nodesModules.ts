/**
 * The modules of Node that a service loads, for `v8.ts`. A module that is missing here is still loaded when it is
 * imported, only more slowly.
 */
export const ofService = [
  "node:assert",
  "node:buffer",
  "node:child_process",
  "node:cluster",
  "node:crypto",
  "node:diagnostics_channel",
  "node:dns",
  "node:dns/promises",
  "node:events",
  "node:fs",
  "node:fs/promises",
  "node:http",
  "node:http2",
  "node:https",
  "node:module",
  "node:net",
  "node:os",
  "node:path",
  "node:perf_hooks",
  "node:querystring",
  "node:readline",
  "node:sea",
  "node:sqlite",
  "node:stream",
  "node:stream/consumers",
  "node:stream/promises",
  "node:string_decoder",
  "node:tls",
  "node:url",
  "node:util",
  "node:zlib"
]
