/**
 * How a table of the database is declared: column by column who may see it, and whose words it holds. Archives,
 * erasures and what is searched for a buyer follow from it. `listed.ts` adds what a resource of the API has beside.
 * Pure data: it knows no SQL and no HTTP.
 */

/**
 * Whose words a column holds decides what an erasure of a buyer does with it.
 *
 * - `none`: numbers, states and other words of ours or of an acquirer, a merchant's own settings, secrets. It stays.
 * - `address`: who the buyer is: an e-mail address, a card. It becomes null.
 * - `words`: free words, which may tell of the buyer. They become `[erased]`, or what their shape says. Words that no
 *   merchant sees become null.
 * - `mentions`: a text in which an address may stand that is not about the buyer. Only the address is taken out.
 * - `request`: a copy of what was sent to us. Known fields stay (`rules/erasure.ts`).
 * - `person`: of people who sign in, and of operators. An erasure of a buyer leaves it.
 */
export type Words = "none" | "address" | "words" | "mentions" | "request" | "person"

/**
 * Who may see a column. `merchant`: its merchant, in the API and in archives. `archive`: its merchant, in archives
 * and in what is made of it elsewhere, such as the timeline. `operators`: operators alone. `nobody`: the program alone.
 */
export type Audience = "merchant" | "archive" | "operators" | "nobody"

/** JSON of which some parts have a meaning of their own. The other parts have that of a column of `none`. */
interface Parts {
  readonly of: "object" | "list"
  readonly parts: Columns
}

/**
 * Of JSON: what an erasure leaves of words. `map`: the names, each with `[erased]`. `list`: an empty list. `value`:
 * null. `objects`: objects as they were sent, whose fields have meanings of their own (`rules/erasure.ts`).
 */
type Shape = "map" | "list" | "value" | "objects" | Parts

export interface Column {
  readonly audience: Audience
  readonly words: Words
  readonly shape?: Shape
}

export type Columns = Readonly<Record<string, Column>>

/** A table with its columns. */
export interface Resource<Name extends string = string, C = Columns, F = Columns> {
  readonly table: Name
  readonly columns: C
  /** Of one that is listed: what merchants see on the wire, with what no column has. */
  readonly fields?: F
}

export const resource = <const Name extends string, const C extends Columns>(
  table: Name,
  columns: C
): Resource<Name, C> => ({ table, columns })

// One function for each audience, so that no column is without one. Each asks whose words it holds.

const seenBy =
  <A extends Audience>(audience: A) =>
  <W extends Words>(words: W, shape?: Shape): Column & { readonly audience: A; readonly words: W } => ({
    audience,
    words,
    ...(shape === undefined ? {} : { shape })
  })

export const shown = seenBy("merchant")
export const archived = seenBy("archive")
export const forOperators = seenBy("operators")
export const forNobody = seenBy("nobody")

export const objectWith = (parts: Columns): Parts => ({ of: "object", parts })
export const listWith = (parts: Columns): Parts => ({ of: "list", parts })

/** Several columns of one meaning, by their names. */
export const each = <const Name extends string, C extends Column>(column: C, names: ReadonlyArray<Name>) =>
  Object.fromEntries(names.map((name) => [name, column])) as Readonly<Record<Name, C>>

/** A table of the program's own, which holds no words of people. */
export const ownTable = <const Name extends string>(table: Name, columns: ReadonlyArray<string>) =>
  resource(table, each(forNobody("none"), columns))

export const isArchived = ({ audience }: Pick<Column, "audience">): boolean =>
  audience === "merchant" || audience === "archive"

/** The columns that an archive for merchants has. */
export const archivedColumns = ({ columns }: Resource): Columns =>
  Object.fromEntries(Object.entries(columns).filter(([, column]) => isArchived(column)))

/** The columns in which a buyer's address is looked for. */
export const searchedColumns = ({ columns }: Resource): ReadonlyArray<string> =>
  Object.entries(columns).flatMap(([name, { words }]) =>
    words === "address" || words === "words" || words === "mentions" ? [name] : []
  )
