/** Makes the view of a listed resource: the object on the wire. */
import { isoText } from "@coffer/model/isoText"
import { byKey } from "@coffer/model/Metadata"
import { camelCase, type Field, kindOf } from "./listed.ts"
import type { Made, Naming, Shows, Viewed } from "./types.ts"

/**
 * The fields are the object's own, but for those that are `made`. It is compiled once, to one object literal, from the
 * names of the declaration alone: a loop over the fields takes twice as long, and each answer and event has a view.
 */
const makeViewFrom =
  <const N extends Naming>(naming: N) =>
  <Self, Extra extends ReadonlyArray<unknown> = []>() =>
  <const Kind extends string, const F extends Readonly<Record<string, Field>>>(
    { fields, listing }: { readonly fields: F; readonly listing: { readonly object: Kind } },
    made: Made<F, Self, Extra>
  ): [Self] extends [Shows<F, N>]
    ? (self: Self, ...extra: Extra) => Viewed<Kind, F>
    : { readonly theObjectLacks: Exclude<keyof Shows<F, N>, keyof Self> } => {
    const parts = Object.entries(fields).map(([name, one]) => {
      const part = `${name}: ${sourceOf(name, one, naming)}`
      return one.omitted === undefined ? part : `...(self.${one.omitted} == null ? null : { ${part} })`
    })
    const source = `return (self, ...extra) => ({ object: "${listing.object}", ${parts.join(", ")} })`
    return new Function("made", "isoText", "byKey", source)(made, isoText, byKey) as never
  }

/** Of a state, whose fields are in camel case. */
export const makeView = makeViewFrom("camel")
/** Of a row, whose fields have the names of its columns. */
export const makeRowView = makeViewFrom("row")

const sourceOf = (name: string, one: Field, naming: Naming): string => {
  if (one.made !== undefined) return `made.${name}(self, ...extra)`
  const value = `self.${naming === "camel" ? camelCase(name) : name}`
  const kind = kindOf(one)
  const encoded = kind === "time" ? `isoText(${value})` : kind === "map" ? `byKey(${value})` : value
  if (one.absent === true) return encoded === value ? `${value} ?? null` : `${value} == null ? null : ${encoded}`
  return encoded === value ? value : `${value} === null ? null : ${encoded}`
}
