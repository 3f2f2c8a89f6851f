/**
 * What undici, which posts webhooks, has once in a process: its timers, which are forgotten between two worlds, and its
 * parser, which a world would load at its first post.
 */
import { createRequire } from "node:module"

const load = createRequire(import.meta.url)
load("undici/lib/llhttp/llhttp_simd-wasm.js")
const timers = load("undici/lib/util/timers.js") as { readonly reset: () => void }

export const forgetTimersOfPosts = () => timers.reset()
