/**
 * Fields with their descriptions in the published document: where the value comes from, its unit, and when it is null.
 * `test/spec/openapi.test.ts` refuses a field without a description, and a resource or a body without an example.
 */
import { Mode } from "@coffer/model/Ids"
import { asMoney, Currency } from "@coffer/model/Money"
import { FreeText } from "@coffer/model/Text"
import * as shared from "@coffer/resources/shared"
import { Schema } from "effect"
import { base64UrlPattern, printablePattern } from "./bodyLimits.ts"
import { sampleIds } from "./sampleIds.ts"

export const text = (description: string) => Schema.String.annotate({ description })

export const int = (description: string) => Schema.Int.annotate({ description })

/** An amount: the unit is documented once, here. */
export const minor = (description: string) => asMoney(int(`${description}, in minor units.`))

/** An amount that may be null; `when` says when. */
export const minorOrNull = (description: string, when: string) =>
  asMoney(orNull(Schema.Int, `${description}, in minor units; null ${when}.`))

export const instant = (description: string) => Schema.String.annotate({ format: "date-time", description })

/** Text of these characters alone. The document says so, and a body's limit follows from it (`bodyLimits.ts`). */
const textOf = (pattern: RegExp, expected: string) => (lengthMax: number) =>
  Schema.String.check(
    Schema.makeFilter((text: string) => text.length <= lengthMax && pattern.test(text), {
      expected: `${expected} of at most ${lengthMax} characters`,
      toJsonSchema: () => [{ pattern: pattern.source, maxLength: lengthMax }, true]
    })
  )

/** Bytes as WebAuthn writes them. */
export const base64Url = textOf(base64UrlPattern, "base64url")
/** Text that another program has made, such as a code. */
export const printable = textOf(printablePattern, "printable ASCII without spaces")

/** The note of a person who has resolved an object that needed attention. */
export const closingNote = FreeText(500)
  .check(Schema.isMinLength(1))
  .annotate({ description: "A note on what was done about it, for those who look at it later." })

/** A field that may be null; the description says when. */
export const orNull = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.NullOr(schema).annotate({ description })

/** The kind of the object. */
export const kind = <const Name extends string>(name: Name) =>
  Schema.tag(name).annotate({ description: `Always \`${name}\`.` })

export const merchantId = text(shared.merchantId.says).annotate({ examples: [sampleIds.merchant] })

/** In the path of an operator's calls. */
export const ofMerchant = { merchant_id: text("The merchant's number.") }

export const anyMode = Mode.annotate({ description: "The environment." })

export const mode = Mode.annotate({ description: shared.mode.says })

export const currency = Currency.annotate({ description: shared.currency.says })

/** Gives a resource or a body its example. It is read with the document: a start would read a hundred of them. */
export const withExample = <S extends Schema.Top & { readonly DecodingServices: never }>(
  schema: S,
  example: S["Encoded"]
): S => {
  const examples: Array<unknown> = []
  const get = () => Schema.decodeUnknownSync(schema)(example)
  Object.defineProperty(examples, 0, { enumerable: true, configurable: true, get })
  return schema.annotate({ examples } as {}) as S
}
