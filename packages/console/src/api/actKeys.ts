/**
 * The Idempotency-Keys of an action. The same contents get the same key, so a second press after a lost answer does
 * nothing twice. The keys live as long as the dialog: opening it again starts a new action.
 */
import * as Context from "effect/Context"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { Problem } from "./acts.ts"
import { randomId } from "./unsafePage.ts"

export class ActKeys {
  readonly #keys = new Map<string, string>()
  #newest: string | undefined

  /** The key for these contents: that of an earlier request with them, or a new one. */
  of(contents: string): string {
    const key = this.#keys.get(contents) ?? randomId()
    this.#keys.set(contents, key)
    this.#newest = contents
    return key
  }

  /**
   * Drops the key after a definite refusal, which the service would repeat: the next try is a new action. A request
   * that is still running, or whose outcome is unknown, keeps its key.
   */
  note(problem: Problem) {
    const isOver = problem.kind === "refused" && !unended.has(problem.code)
    if (isOver && this.#newest !== undefined) this.#keys.delete(this.#newest)
  }
}

/** Refusals after which the same request with the same key may still succeed. */
const unended = new Set(["idempotency_in_progress", "internal_error", "processor_error", "rate_limited"])

/** The keys of a call's requests. */
export const SentKeys = Context.Reference<ActKeys | undefined>("@coffer/console/SentKeys", {
  defaultValue: () => undefined
})

/** The version that the requests of a call replace. */
export const Replaces = Context.Reference<string | undefined>("@coffer/console/Replaces", {
  defaultValue: () => undefined
})

/** Identifies a request: its URL and body. */
export const contentsOf = ({ body, method, url }: HttpClientRequest.HttpClientRequest): string =>
  `${method} ${url} ${bodyText(body)}`

const bodyText = (body: HttpClientRequest.HttpClientRequest["body"]): string => {
  switch (body._tag) {
    case "Empty":
      return ""
    case "Uint8Array":
      return new TextDecoder().decode(body.body)
    case "FormData":
      return JSON.stringify(Array.from(body.formData, ([name, value]) => [name, textOf(value)]))
    case "Raw":
      return String(body.body)
    case "Stream":
      // Outside of an action every request gets a new key.
      return randomId()
  }
}

const textOf = (value: FormDataEntryValue) =>
  typeof value === "string" ? value : [value.name, value.size, value.lastModified]

// The dialog that runs ---------------------------------------------------------------

let held: ActKeys | undefined

/** Runs the action of a dialog: calls that start before its first wait use the dialog's keys. */
export const withKeys = <A>(keys: ActKeys, run: () => A): A => {
  held = keys
  try {
    return run()
  } finally {
    held = undefined
  }
}

/** The keys of the running dialog, or new ones. */
export const heldKeys = (): ActKeys => held ?? new ActKeys()
