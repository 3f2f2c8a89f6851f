/**
 * Drafts: typed texts that were not sent yet, kept in this browser by person and object, beyond the page and the
 * session. A draft is removed when it is sent, when its person signs out, and after two weeks; with too many drafts the
 * oldest are removed.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** The texts of a form by field, and its further data. */
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

/** The storage key of this person's draft for an object. */
export const draftName = (personId: string, ...object: ReadonlyArray<string>): string =>
  `${prefix}${[personId, ...object].join(".")}`

const storedAt = (name: string) =>
  Option.filter(decode(localStorage.getItem(name)), ({ at }) => Date.now() - at < keptMillis)

/** `isMore`: whether the stored further data still has the right type. */
export const readDraft = <More>(name: string, isMore: (more: unknown) => more is More): Draft<More> | undefined => {
  const found = Option.getOrUndefined(storedAt(name))
  return found !== undefined && isMore(found.more) ? { ...found, more: found.more } : undefined
}

/** If the browser has no room, no draft is kept. */
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

/** At sign-out, so that the next person at this browser finds nothing. */
export const forgetDrafts = () => namesHere().forEach(forgetDraft)
