/**
 * Names for answers in the published document, so that a generated client has a type for each: `OrderEnvelope` is an
 * answer with an order, `OrderList` a page of orders, `OrderListEnvelope` an answer with a page. A name is derived from
 * the object's; an answer without a named object stays inline.
 */

// oxlint-disable-next-line no-explicit-any -- a document without a type of its own
type Json = Record<string, any>

/** A reference to the answer's schema, which is added to `schemas`. */
export const namedAnswer = (answer: Json, schemas: Json): Json => {
  const data: Json | undefined = answer["properties"]?.data
  if (data === undefined) return answer
  const listed = nameOf(data["properties"]?.data?.items)
  const held = listed === undefined ? nameOf(data) : `${listed}List`
  if (held === undefined) return answer
  return refTo(`${held}Envelope`, schemas, {
    ...answer,
    description: listed === undefined ? `An answer with \`${held}\`.` : `An answer with a page of \`${listed}\`.`,
    properties: { ...answer["properties"], data: listed === undefined ? data : refTo(held, schemas, data) }
  })
}

const nameOf = (schema: Json | undefined): string | undefined => schema?.["$ref"]?.split("/").at(-1)

const refTo = (name: string, schemas: Json, schema: Json): Json => {
  schemas[name] ??= schema
  return { $ref: `#/components/schemas/${name}` }
}
