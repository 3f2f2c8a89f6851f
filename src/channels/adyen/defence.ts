/**
 * A merchant's evidence as Adyen wants it: a reason from its list, and documents of the types of that reason. The texts
 * become a page of PDF, since Adyen takes no others. Pure.
 */
import type { EvidenceFile, EvidenceText } from "@coffer/model/Evidence"
import { Schema } from "effect"

export const Reason = Schema.Struct({
  defenseReasonCode: Schema.String,
  defenseDocumentTypes: Schema.optionalKey(
    Schema.Array(Schema.Struct({ defenseDocumentTypeCode: Schema.String, requirementLevel: Schema.String }))
  )
})
export type Reason = typeof Reason.Type

export interface Document {
  readonly type: EvidenceFile["type"] | "texts"
  readonly contentType: string
  readonly content: Buffer
}

export interface Placed extends Document {
  /** Adyen's type of it. */
  readonly place: string
}

/** Words in Adyen's types of documents that tell what a file of ours may be. */
const meant: Readonly<Partial<Record<Document["type"], RegExp>>> = {
  receipt: /invoice|receipt/i,
  shipping_documentation: /deliver|shipp/i,
  service_documentation: /service|delivered/i,
  customer_communication: /communic|correspond/i,
  customer_signature: /sign/i,
  refund_policy: /refund|credit/i,
  cancellation_policy: /cancel/i,
  recurring_transaction_agreement: /recurring|agreement/i
}

/** A place for each document, no two in one: Adyen replaces a document of the same type. */
const assign = (reason: Reason, documents: ReadonlyArray<Document>): ReadonlyArray<Placed> | undefined => {
  const types = reason.defenseDocumentTypes ?? []
  const free = new Map(types.map((each) => [each.defenseDocumentTypeCode, each.requirementLevel]))
  const placed: Array<Placed> = []
  const put = (document: Document, place: string | undefined) => {
    if (place === undefined) return false
    free.delete(place)
    placed.push({ ...document, place })
    return true
  }
  const later = documents.filter(
    (document) =>
      !put(
        document,
        [...free.keys()].find((type) => meant[document.type]?.test(type) === true)
      )
  )
  // What is required first, for what has no place by its name.
  for (const document of later) {
    const [best] = [...free].toSorted(([, a], [, b]) => rankOf(a) - rankOf(b))
    if (!put(document, best?.[0])) return undefined
  }
  const isAny = types.some(({ requirementLevel }) => requirementLevel === "OneOrMore")
  const hasAny = placed.some(({ place }) =>
    types.some((type) => type.defenseDocumentTypeCode === place && type.requirementLevel === "OneOrMore")
  )
  const lacks = [...free.values()].includes("Required") || (isAny && !hasAny)
  return lacks ? undefined : placed
}

const levels = ["Required", "OneOrMore", "Optional"]
const rankOf = (level: string) => (levels.includes(level) ? levels.indexOf(level) : levels.length)

/** The first of Adyen's reasons for which these documents are enough, each of them in a place. */
export const chooseReason = (
  reasons: ReadonlyArray<Reason>,
  documents: ReadonlyArray<Document>
): { readonly code: string; readonly placed: ReadonlyArray<Placed> } | undefined => {
  for (const reason of reasons) {
    const placed = assign(reason, documents)
    if (placed !== undefined && placed.length > 0) return { code: reason.defenseReasonCode, placed }
  }
  return undefined
}

// The texts -----------------------------------------------------------------------

const columns = 90
const linesMax = 60

/** `product_description` as `Product description`. */
const titleOf = (name: string) => (name[0]!.toUpperCase() + name.slice(1)).replaceAll("_", " ")

const wrapped = (text: string): ReadonlyArray<string> =>
  text.split(/\r?\n/).flatMap((line) => line.match(new RegExp(`.{1,${columns}}(\\s|$)|.{1,${columns}}`, "gu")) ?? [""])

/** The letters of the font that each reader of PDF has: those of Western Europe. */
const escaped = (line: string) =>
  line
    .trimEnd()
    .replaceAll(/[^\x20-\x7e\xa0-\xff]/gu, "?")
    .replaceAll(/[\\()]/g, String.raw`\$&`)

/** A PDF with the texts, one below the other; none without texts. */
export const textsAsPdf = (evidence: EvidenceText): Buffer | undefined => {
  const lines = Object.entries(evidence).flatMap(([name, text]) =>
    text === undefined || text === "" ? [] : [`${titleOf(name)}:`, ...wrapped(text), ""]
  )
  if (lines.length === 0) return undefined
  const pages = Array.from({ length: Math.ceil(lines.length / linesMax) }, (_, page) =>
    lines.slice(page * linesMax, (page + 1) * linesMax)
  )
  const numberOf = (page: number) => 4 + page * 2
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, page) => `${numberOf(page)} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ...pages.flatMap((page, index) => {
      const shown = `BT /F1 10 Tf 12 TL 50 790 Td ${page.map((line) => `(${escaped(line)}) '`).join("\n")} ET`
      return [
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> " +
          `/Contents ${numberOf(index) + 1} 0 R >>`,
        `<< /Length ${shown.length} >>\nstream\n${shown}\nendstream`
      ]
    })
  ]
  let file = "%PDF-1.4\n"
  const places = objects.map((object, index) => {
    const place = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return place
  })
  const table = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("")
  file += `xref\n0 ${places.length + 1}\n0000000000 65535 f \n${table}`
  file += `trailer\n<< /Size ${places.length + 1} /Root 1 0 R >>\nstartxref\n${file.indexOf("xref\n0 ")}\n%%EOF\n`
  return Buffer.from(file, "latin1")
}
