/** The types that follow from the columns of a listed resource. Its conditional types are all here. */
import type { Brand, DateTime, Option, Schema } from "effect"
import type { Field } from "./listed.ts"

export type Camel<Text extends string> = Text extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Text

/** The columns of the table. */
export type Stored<C> = {
  readonly [Name in keyof C as C[Name] extends { readonly made: "unstored" } ? never : Name]: C[Name]
}

/** The fields on the wire. */
export type Fields<C> = { readonly [Name in keyof C as C[Name] extends Field ? Name : never]: C[Name] }

type SchemaOf<C> = C extends { readonly schema: infer S extends Schema.Constraint } ? S : never

/** The schemas of the columns that never change, by the names of the object's state. */
export type Fixed<C> = {
  readonly [Name in keyof C & string as C[Name] extends { readonly fixed: true } ? Camel<Name> : never]: SchemaOf<
    C[Name]
  >
}

/** The schemas of a row's columns by their own names, of those that have one. A time is read by `Time`. */
export type RowFields<C, Time extends Schema.Constraint> = {
  readonly [Name in keyof C as C[Name] extends { readonly schema: Schema.Constraint } ? Name : never]: Timed<
    SchemaOf<C[Name]>,
    Time
  >
}
type Timed<S extends Schema.Constraint, Time extends Schema.Constraint> = S["Type"] extends DateTime.Utc
  ? Time
  : S["Type"] extends DateTime.Utc | null
    ? Schema.NullOr<Time>
    : S

// The wire ---------------------------------------------------------------------------

type Plain<S extends Schema.Constraint> = S["Type"] extends DateTime.Utc
  ? Schema.String
  : S["Type"] extends string & Brand.Brand<string>
    ? Schema.String
    : S["Type"] extends number
      ? Schema.Int
      : S
type WithoutNull<C> = SchemaOf<C> extends Schema.NullOr<infer Inner> ? Plain<Inner> : Plain<SchemaOf<C>>
type Wire<C> = C extends { readonly absent: true }
  ? Schema.NullOr<WithoutNull<C>>
  : SchemaOf<C> extends Schema.NullOr<infer Inner>
    ? Schema.NullOr<Plain<Inner>>
    : Plain<SchemaOf<C>>

/** The fields of the resource's struct. */
export type WireFields<Kind extends string, F> = { readonly object: Schema.tag<Kind> } & {
  readonly [Name in keyof F]: F[Name] extends { readonly omitted: string }
    ? Schema.optionalKey<Wire<F[Name]>>
    : Wire<F[Name]>
}

/** The query parameters that filter a list. */
export type FilterFields<F, Filters> = {
  readonly [Name in keyof F as Name extends keyof Filters ? Name : never]: Schema.optionalKey<WithoutNull<F[Name]>>
}

/** The values of these filters on a command line. */
export type Filtered<F, Filters> = {
  readonly [Name in keyof F as Name extends keyof Filters ? Name : never]: Option.Option<
    WithoutNull<F[Name]>["Encoded"]
  >
}

// The view --------------------------------------------------------------------------

/** The object on the wire. */
export type Viewed<Kind extends string, F> = Schema.Struct<WireFields<Kind, F> & Schema.Struct.Fields>["Encoded"]

type MadeNames<F> = { [Name in keyof F]: F[Name] extends { readonly made: string } ? Name : never }[keyof F]

/** How an object names the fields: as a state does, or as a row. */
export type Naming = "camel" | "row"

/** What an object must have so that the fields that are not made can be read from it. */
export type Shows<F, N extends Naming> = {
  readonly [
    Name in keyof F & string as F[Name] extends { readonly made: string } | { readonly absent: true }
      ? never
      : N extends "camel"
        ? Camel<Name>
        : Name
  ]: SchemaOf<F[Name]>["Type"]
}

/** A function for each field that is more than its column. */
export type Made<F, Self, Extra extends ReadonlyArray<unknown>> = {
  readonly [Name in MadeNames<F>]: (self: Self, ...extra: Extra) => Wire<F[Name]>["Encoded"]
}
