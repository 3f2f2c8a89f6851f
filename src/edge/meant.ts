/** What a JSON body means to its endpoint: without a null that says no more than an absent field (silences: G18). */
import { Effect, identity, Option, Schema } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { memoize } from "../platform/runtime/memoize.ts"

/** More than there are. */
const endpointsMax = 1_000

/** The body as the endpoint reads it says which nulls are left. One that the endpoint refuses stays as it is. */
export const meantBy = memoize(endpointsMax, identity<HttpApiEndpoint.Top>, ({ payload }) => {
  const [content] = payload.values()
  if (content === undefined) return identity<unknown>
  const decode = Schema.decodeUnknownEffect(
    Schema.Union(content.schemas) as Schema.Top as Schema.Codec<unknown, unknown>
  )
  return (json: unknown): unknown =>
    hasNull(json)
      ? Option.match(read(decode(json)), { onNone: () => json, onSome: (seen) => without(json, seen) })
      : json
})

const read = (decoded: Effect.Effect<unknown, Schema.SchemaError>) => Effect.runSync(Effect.option(decoded))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const hasNull = (value: unknown): boolean => value === null || (isObject(value) && Object.values(value).some(hasNull))

const without = (json: unknown, seen: unknown): unknown => {
  if (!isObject(json) || !isObject(seen)) return json
  if (Array.isArray(json)) return json.map((each, index) => without(each, (seen as unknown as Array<unknown>)[index]))
  const kept = Object.entries(json).filter(([name, value]) => value !== null || Object.hasOwn(seen, name))
  return Object.fromEntries(kept.map(([name, value]) => [name, without(value, seen[name])]))
}
