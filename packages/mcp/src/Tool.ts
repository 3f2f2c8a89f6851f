/**
 * An operation of the merchant API as a tool: its presentation to a model, and the mapping of its arguments to a call.
 */

export interface Tool {
  /** `orders_create`, as the SDK's `orders.create`. */
  readonly name: string
  readonly title: string
  readonly description: string
  /** The scope that a key with scopes needs. */
  readonly scope: string
  readonly method: "GET" | "POST" | "DELETE"
  /** Without the version: `/orders/{ref}`. */
  readonly path: string
  readonly pathArguments: ReadonlyArray<string>
  /** Arguments of the query, with their names on the wire: `created_gte` is `created[gte]`. */
  readonly queryArguments: Readonly<Record<string, string>>
  readonly bodyArguments: ReadonlyArray<string>
  /** Whether a repeated write acts again, or only sets the object to the same state (`contract/repeats.ts`). */
  readonly repeat?: "makes" | "sets"
  /** A call with a number that is already taken is answered 200, with the existing object. */
  readonly mayFind?: true
  readonly takesIdempotencyKey: boolean
  readonly inputSchema: {
    readonly type: "object"
    readonly properties: Readonly<Record<string, object>>
    readonly required?: ReadonlyArray<string>
    readonly additionalProperties: false
  }
}

export const isRead = ({ method }: Pick<Tool, "method">): boolean => method === "GET"

/** A test helper: the simulated buyer or bank. Live has none. */
export const isOfSandbox = ({ scope }: Pick<Tool, "scope">): boolean => scope.startsWith("test_helpers:")
