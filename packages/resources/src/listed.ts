/**
 * A resource that the API lists: its columns have schemas, labels and descriptions beside their meaning. The terms of
 * its state, its schema on the wire, its view, the filters of its list, the console's lists and pages, and the command
 * line follow from them. Bodies of requests do not: their checks and their texts are others.
 */
import { asMoney } from "@coffer/model/Money"
import { Schema } from "effect"
import type { Column, Columns, Resource } from "./Resource.ts"
import type { Camel, Fields, FilterFields, Fixed, RowFields, Stored, WireFields } from "./types.ts"

/** A column with its schema. */
export interface Typed extends Column {
  readonly schema: Schema.Top
  /** It never changes after insert. */
  readonly fixed?: true
}

interface More {
  readonly fixed?: true
  /** How people see it. Times, maps, and yes or no, are known by their schema. */
  readonly look?: "code" | "method" | "money" | "state"
  /** Some states of the object lack it: null on the wire. */
  readonly absent?: true
  /** Left out of the object where this field of its state is null. The view makes it. */
  readonly omitted?: string
  /** The view makes it: `stored` from more than the column of its name; `unstored` where there is no such column. */
  readonly made?: "stored" | "unstored"
}

/** A text in each language of the console. */
export interface Label {
  readonly en: string
  readonly zh: string
}

/** A column as merchants see it. */
export interface Field extends Typed, More {
  readonly audience: "merchant"
  /** It never says "your": operators read it, too. */
  readonly label: Label
  /** Its description in the published document. */
  readonly says: string
}

/** Of a resource that is listed, what merchants see has a schema and a label. */
type Declared = Readonly<Record<string, Field | (Column & { readonly audience: "archive" | "nobody" | "operators" })>>

/** How pages show the resource. */
interface Listing<Name extends string> {
  /** Its `object` on the wire. */
  readonly object: string
  /** Of many. */
  readonly label: Label
  /** The columns of the console's list, in their order. `wide`: left out on a phone. `hidden`: until it is chosen. */
  readonly list: { readonly [N in Name]?: "hidden" | "shown" | "wide" }
  /** The columns on the command line. */
  readonly brief: ReadonlyArray<Name>
  /** The fields beside an object's page. */
  readonly facts: ReadonlyArray<Name>
  /** The fields that its list is filtered by, each with its description in the published document. */
  readonly filters: { readonly [N in Name]?: string }
}

export interface Listed<Name extends string, C, L> extends Resource<Name, Stored<C>, Fields<C>> {
  /** The fields on the wire, in its order, which CSV files have, too. */
  readonly fields: Fields<C>
  readonly listing: L
}

/** A listed resource, as generic code reads it. */
export interface AnyListed {
  readonly fields: Readonly<Record<string, Field>>
  readonly listing: {
    readonly label: Label
    readonly list: Readonly<Record<string, "hidden" | "shown" | "wide">>
    readonly brief: ReadonlyArray<string>
    readonly facts: ReadonlyArray<string>
    readonly filters: Readonly<Record<string, string>>
  }
}

type FieldName<C> = keyof Fields<C> & string

export const listed = <const Name extends string, const C extends Declared, const L extends Listing<FieldName<C>>>(
  table: Name,
  columns: C,
  listing: L & { readonly [K in "filters" | "list"]: { readonly [N in Exclude<keyof L[K], FieldName<C>>]: never } }
): Listed<Name, C, L> => {
  const of = (isMeant: (column: Partial<Omit<Field, "audience">>) => boolean) =>
    Object.fromEntries(Object.entries(columns).filter(([, column]) => isMeant(column))) as never
  return {
    table,
    columns: of(({ made }) => made !== "unstored"),
    fields: of(({ label }) => label !== undefined),
    listing
  }
}

/** A column that merchants see: its schema, its meaning, its label in each language and its description. */
export const field = <
  S extends Schema.Top,
  Meaning extends Column & { readonly audience: "merchant" },
  const M extends More = {}
>(
  schema: S,
  meaning: Meaning,
  [en, zh, says]: readonly [en: string, zh: string, says: string],
  more?: M
): Meaning & M & { readonly schema: S; readonly label: Label; readonly says: string } => ({
  ...meaning,
  ...(more as M),
  schema,
  label: { en, zh },
  says
})

/** Another column. */
export const typed = <S extends Schema.Top, Meaning extends Column, const M extends Pick<More, "fixed"> = {}>(
  schema: S,
  meaning: Meaning,
  more?: M
): Meaning & M & { readonly schema: S } => ({ ...meaning, ...(more as M), schema })

export const fixed = { fixed: true } as const
export const code = { look: "code" } as const
export const money = { look: "money" } as const

export const camelCase = <const Name extends string>(name: Name) =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) as Camel<Name>

/** The schemas of the fields that never change, for the structs of the object's states. */
export const fixedFields = <const C extends Columns>({ columns }: { readonly columns: C }): Fixed<C> =>
  Object.fromEntries(
    Object.entries(columns as Readonly<Record<string, Partial<Typed>>>).flatMap(([name, { fixed, schema }]) =>
      fixed === true ? [[camelCase(name), schema]] : []
    )
  ) as never

/** The schemas of a row that is read by its columns' names. `time`: how a column with a time is read. */
export const rowFields = <const C extends Columns, const Time extends Schema.Top>(
  { columns }: { readonly columns: C },
  time: Time
): RowFields<C, Time> =>
  Object.fromEntries(
    Object.entries(columns as Readonly<Record<string, Partial<Typed>>>).flatMap(([name, { schema }]) =>
      schema === undefined ? [] : [[name, timed(schema, time)]]
    )
  ) as never

const timed = (schema: Schema.Top, time: Schema.Top): Schema.Top => {
  if (withoutNull(schema).ast._tag !== "Declaration") return schema
  return isNullable(schema) ? Schema.NullOr(time) : time
}

// The wire --------------------------------------------------------------------------

/** The fields of the resource's schema, in their order. `own`: those with more than a description. */
export const wireFields = <const Kind extends string, const F extends Readonly<Record<string, Field>>>(
  { fields, listing }: { readonly fields: F; readonly listing: { readonly object: Kind } },
  own: { readonly [Name in keyof F]?: Schema.Top } = {}
): WireFields<Kind, F> =>
  ({
    object: Schema.tag(listing.object).annotate({ description: `Always \`${listing.object}\`.` }),
    ...Object.fromEntries(
      Object.entries(fields).map(([name, one]) => {
        const schema = own[name] ?? wireSchema(one)
        const annotated = tellsOfBuyer(one) ? schema.annotate({ [ofBuyer]: true } as never) : schema
        return [name, one.omitted !== undefined ? Schema.optionalKey(annotated) : annotated]
      })
    )
  }) as never

/** Whether it is what a buyer has written, or who the buyer is: not for files of those who may export nothing of it. */
export const tellsOfBuyer = ({ words }: Pick<Field, "words">): boolean => words === "address" || words === "words"
/** The same of a field of {@link wireFields}. */
export const isOfBuyer = (schema: Schema.Constraint): boolean => Schema.resolveAnnotations(schema)?.[ofBuyer] === true
const ofBuyer = "coffer/buyer"

const wireSchema = ({ absent, look, says, schema }: Field): Schema.Top => {
  const description = { description: says }
  const one =
    absent === true || isNullable(schema)
      ? Schema.NullOr(plain(withoutNull(schema))).annotate(description)
      : plain(schema).annotate(description as never)
  return look === "money" ? asMoney(one) : one
}

/** On the wire a time is a text, and numbers of ours have no pattern. */
const plain = (schema: Schema.Top): Schema.Top => {
  switch (schema.ast._tag) {
    case "Declaration":
      return Schema.String.annotate({ format: "date-time" })
    case "String":
      return Schema.String
    case "Number":
      return Schema.Int
    default:
      return schema
  }
}

const members = (schema: Schema.Top) => (schema as { readonly members?: ReadonlyArray<Schema.Top> }).members ?? []
const isNullable = (schema: Schema.Top) => members(schema)[1]?.ast._tag === "Null"
const withoutNull = (schema: Schema.Top): Schema.Top => (isNullable(schema) ? members(schema)[0]! : schema)

/** The kind of a field's values, where it says how people see them and how they are encoded. */
export const kindOf = ({ schema, shape }: Typed): "map" | "plain" | "time" | "truth" => {
  if (shape === "map") return "map"
  const { _tag } = withoutNull(schema).ast
  return _tag === "Declaration" ? "time" : _tag === "Boolean" ? "truth" : "plain"
}

/** The words that a field may have, if they are a set. */
export const choicesOf = ({ schema }: Typed): ReadonlyArray<string> | undefined =>
  (withoutNull(schema) as { readonly literals?: ReadonlyArray<string> }).literals

/** The filters of its list, as query parameters. */
export const filterFields = <
  const F extends Readonly<Record<string, Field>>,
  const Filters extends Readonly<Record<string, string>>
>({
  fields,
  listing: { filters }
}: {
  readonly fields: F
  readonly listing: { readonly filters: Filters }
}): FilterFields<F, Filters> =>
  Object.fromEntries(
    Object.entries(filters).map(([name, description]) => [
      name,
      Schema.optionalKey(plain(withoutNull(fields[name]!.schema)).annotate({ description } as never))
    ])
  ) as never
