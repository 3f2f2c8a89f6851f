/**
 * Texts that were typed and not sent yet, kept in this browser by person and object: they outlive the page, and the
 * session. One goes when it is sent, when its person signs out, and after two weeks; the oldest go where there are too
 * many.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** The texts of a form by their fields, and what else belongs to them. */
export interface Draft<More> {
  /** The version of the object that the typing began with. */
  readonly version: string
  readonly texts: Readonly<Record<string, string>>
  readonly more: More
}

const prefix = "coffer.draft."
const countMax = 20
const charactersMax = 400_000
const keptMillis = 14 * 86_400_000

const Stored = Schema.fromJsonString(
  Schema.Struct({
    at: Schema.Number,
    version: Schema.String,
    texts: Schema.Record(Schema.String, Schema.String),
    more: Schema.Unknown
  })
)
const decode = Schema.decodeUnknownOption(Stored)
const encode = Schema.encodeSync(Stored)

const namesHere = (): ReadonlyArray<string> => Object.keys(localStorage).filter((name) => name.startsWith(prefix))

/** Where drafts of this person about an object are. */
export const draftName = (personId: string, ...object: ReadonlyArray<string>): string =>
  `${prefix}${[personId, ...object].join(".")}`

const storedAt = (name: string) =>
  Option.filter(decode(localStorage.getItem(name)), ({ at }) => Date.now() - at < keptMillis)

/** `isMore`: whether what else was kept is still of its type. */
export const readDraft = <More>(name: string, isMore: (more: unknown) => more is More): Draft<More> | undefined => {
  const found = Option.getOrUndefined(storedAt(name))
  return found !== undefined && isMore(found.more) ? { ...found, more: found.more } : undefined
}

/** A browser without room for it keeps none. */
export const keepDraft = (name: string, draft: Draft<unknown>) => {
  const text = encode({ at: Date.now(), ...draft })
  if (text.length > charactersMax) return
  const others = namesHere().filter((each) => each !== name)
  const ages = others.map(
    (each) => [each, Option.match(storedAt(each), { onNone: () => 0, onSome: ({ at }) => at })] as const
  )
  const old = ages
    .toSorted(([, one], [, other]) => other - one)
    .filter(([, at], index) => at === 0 || index >= countMax - 1)
  for (const [each] of old) localStorage.removeItem(each)
  try {
    localStorage.setItem(name, text)
  } catch {
    localStorage.removeItem(name)
  }
}

export const forgetDraft = (name: string) => localStorage.removeItem(name)

/** For a person who signs out: the next one at this browser finds nothing. */
export const forgetDrafts = () => namesHere().forEach(forgetDraft)
