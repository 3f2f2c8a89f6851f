/**
 * The reference: a page for each group of the OpenAPI document, as Markdown, so that it is rendered, searched and
 * copied like other pages. Each call has its parameters, body, answer, and links to its errors.
 */
import type { Page } from "./places.ts"

// oxlint-disable-next-line no-explicit-any -- a document without a type of its own
type Json = Record<string, any>

interface Call {
  readonly method: string
  readonly path: string
  readonly operation: Json
}

export const addressOfGroup = (name: string): string => `reference/${name.replaceAll("_", "-")}`

const titleOf = (name: string): string => {
  const words = name.replaceAll("_", " ")
  return words === "logs" ? "API logs" : words[0]!.toUpperCase() + words.slice(1)
}

const cell = (text: string): string =>
  text
    .replaceAll("|", "\\|")
    .replaceAll(/\s*\n\s*/g, " ")
    .trim()

const rowOf = (name: string, type: string, description = ""): string =>
  `| \`${name}\` | ${type} | ${cell(description)} |`

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1)

export const referencePages = (document: Json): ReadonlyArray<Page & { readonly title: string }> => {
  const schemas: Json = document["components"].schemas
  const calls: ReadonlyArray<Call> = Object.entries<Json>(document["paths"]).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
  )
  const groups: ReadonlyArray<Json> = document["tags"].filter(({ name }: Json) =>
    calls.some(({ operation }) => operation["tags"].includes(name))
  )
  return [
    indexPage(groups, calls),
    ...groups.map(({ description, name }) => {
      const own = calls.filter(({ operation }) => operation["tags"].includes(name))
      const objects = new Set<string>()
      const parts = own.map((call) => callPart(call, schemas, objects))
      const shown = [...objects].map((object) => objectPart(object, schemas))
      const markdown = [`# ${titleOf(name)}`, description, ...parts, ...shown].join("\n\n")
      return {
        title: titleOf(name),
        address: addressOfGroup(name),
        language: "en" as const,
        source: `docs/${addressOfGroup(name)}.md`,
        markdown: `${markdown}\n`
      }
    })
  ]
}

const indexPage = (groups: ReadonlyArray<Json>, calls: ReadonlyArray<Call>) => ({
  title: "The API",
  address: "reference",
  language: "en" as const,
  source: "docs/reference/index.md",
  markdown: `# The API

Each call goes to the address of your service, which ends in \`/v1\`, with your secret key in \`X-Api-Key\`. Bodies and
answers are JSON. The key says whether you are in the sandbox or live. The document of all calls, for programs, is at
\`/openapi.json\`; \`/docs/try\` of a running service draws it with a form for each call.

An answer has \`code\`, \`message\`, \`request_id\` and \`data\`. A refusal has \`error\` and, where a field is
to blame, \`param\`; its code leads to a page of [Errors](../errors.md) by \`Link: <…>; rel="help"\`. A \`POST\` with an
\`Idempotency-Key\` is done once, however often it is sent.
Lists go from the newest to the oldest, by \`limit\`, \`starting_after\` and \`ending_before\`.

| Group | Calls |
|---|---|
${groups
  .map(({ description, name }) => {
    const own = calls.filter(({ operation }) => operation["tags"].includes(name))
    const links = own.map(({ operation }) => {
      const anchor = String(operation["summary"])
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, "")
        .replaceAll(/\s/g, "-")
      return `[${cell(operation["summary"])}](${name.replaceAll("_", "-")}.md#${anchor})`
    })
    return `| [${titleOf(name)}](${name.replaceAll("_", "-")}.md). ${cell(description)} | ${links.join(" · ")} |`
  })
  .join("\n")}
`
})

const callPart = ({ method, operation, path }: Call, schemas: Json, objects: Set<string>): string => {
  const parts = [
    `## ${operation["summary"]}`,
    `\`\`\`http\n${method} ${path}\n\`\`\``,
    operation["description"] ?? "",
    `In the SDK: \`${operation["operationId"]}\`. Scope of a key: \`${operation["x-scope"]}\`.`
  ]
  const parameters = operation["parameters"].filter(({ name }: Json) => !/^(Idempotency-Key|Coffer-Strict)$/.test(name))
  if (parameters.length > 0) {
    parts.push(
      "| Parameter | Type | Meaning |\n|---|---|---|\n" +
        parameters
          .map(({ description, in: place, name, required, schema }: Json) =>
            rowOf(
              name,
              typeOf(schema, schemas) + (required === true && place !== "path" ? ", required" : ""),
              description
            )
          )
          .join("\n")
    )
  }
  const [type, body] = Object.entries<Json>(operation["requestBody"]?.content ?? {})[0] ?? []
  if (body !== undefined) {
    parts.push(`Body (\`${type!}\`):`, fields(body["schema"], schemas))
    if (body["example"] !== undefined) {
      parts.push(`\`\`\`sh\n${curlOf(method, path, body["example"])}\n\`\`\``)
    }
  }
  parts.push(answerPart(operation["responses"], objects, schemas), errorsPart(operation["responses"]))
  return parts.filter((part) => part !== "").join("\n\n")
}

const curlOf = (method: string, path: string, example: unknown): string =>
  `curl -X ${method} "$COFFER_BASE_URL${path.replace(/^\/v1/, "")}" -H "X-Api-Key: $COFFER_KEY" \\\n` +
  `  -H "Content-Type: application/json" \\\n  -d '${JSON.stringify(example)}'`

const answerPart = (responses: Json, objects: Set<string>, schemas: Json): string => {
  const found = Object.entries<Json>(responses).find(([status]) => status.startsWith("2") && status !== "200")
  const [status, response] = found ?? ["200", responses["200"]]
  const json = response?.content?.["application/json"]
  if (json === undefined) return `Answers ${status}.`
  const envelope = resolved(json.schema, schemas)
  const data = envelope["properties"]?.data
  const names = data === undefined ? [] : objectsIn(data, schemas)
  for (const name of names) objects.add(name)
  const objectLinks = names.map((name) => `[\`${name}\`](#${anchorOfObject(name)})`).join(" or ")
  const shown = json.example === undefined ? "" : `\n\n\`\`\`json\n${JSON.stringify(json.example, null, 2)}\n\`\`\``
  return `Answers ${status}${objectLinks === "" ? "" : ` with ${objectLinks}`}.${shown}`
}

const errorsPart = (responses: Json): string => {
  const rows = Object.entries<Json>(responses)
    .filter(([status]) => status >= "400")
    .map(([status, { content }]) => {
      const codes = Object.keys(content["application/json"]?.examples ?? {})
      return `${status} ${codes.map((code) => `[\`${code}\`](../errors/${code}.md)`).join(", ")}`
    })
  return rows.length === 0 ? "" : `Errors: ${rows.join(" · ")}.`
}

const anchorOfObject = (name: string) => `the-object-${name.toLowerCase()}`

const objectPart = (name: string, schemas: Json): string => `## The object ${name}\n\n${fields(schemas[name], schemas)}`

/** An object's name, or those of a list's objects. */
const objectsIn = (schema: Json, schemas: Json): ReadonlyArray<string> => {
  if (schema["$ref"] !== undefined) {
    const name = nameOf(schema["$ref"])
    return name.endsWith("List") ? objectsIn(schemas[name].properties.data.items, schemas) : [name]
  }
  if (schema["anyOf"] !== undefined) return schema["anyOf"].flatMap((each: Json) => objectsIn(each, schemas))
  return schema["items"] === undefined ? [] : objectsIn(schema["items"], schemas)
}

const resolved = (schema: Json, schemas: Json): Json =>
  schema["$ref"] === undefined ? schema : schemas[nameOf(schema["$ref"])]

/** Fields of an object as rows; nested fields are prefixed with the object's name. */
const fields = (schema: Json, schemas: Json): string => {
  const { anyOf, oneOf } = resolved(schema, schemas)
  if (oneOf !== undefined) return eventFields(oneOf.map((each: Json) => resolved(each, schemas)))
  if (anyOf !== undefined) return `One of ${anyOf.map((each: Json) => typeOf(each, schemas)).join(", ")}.`
  const rows = rowsOf(schema, schemas, "", 0)
  return rows.length === 0 ? "No field." : `| Field | Type | Meaning |\n|---|---|---|\n${rows.join("\n")}`
}

/** The fields that all events have, the object that each type carries, and an example of each. */
const eventFields = (events: ReadonlyArray<Json>): string => {
  const { properties } = events[0]!
  const flat = Object.assign({}, ...events.map((event) => event["properties"].data.properties)) as Json
  const rows = (prefix: string, all: Json) =>
    Object.entries<Json>(all).map(([name, { description, format, type }]) =>
      rowOf(`${prefix}${name}`, format === "date-time" ? format : (type ?? "object"), description)
    )
  const types = events.map((event) => {
    const type: string = event["properties"].type.enum[0]
    const object = nameOf(event["properties"].data.properties.object["$ref"])
    const link = `[\`${object}\`](${object.toLowerCase()}s.md#${anchorOfObject(object)})`
    const summary = String(event["description"]).split(". ")[0]!
    return { type, link, summary, example: event["examples"][0] }
  })
  return [
    `| Field | Type | Meaning |\n|---|---|---|\n${[...rows("", properties), ...rows("data.", flat)].join("\n")}`,
    `| \`type\` | \`data.object\` | When |\n|---|---|---|\n${types
      .map(({ link, summary, type }) => `| \`${type}\` | ${link} | ${cell(summary)} |`)
      .join("\n")}`,
    ...types.map(
      ({ example, summary, type }) =>
        `### ${type}\n\n${summary}.\n\n\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``
    )
  ].join("\n\n")
}

const depthMax = 2

const rowsOf = (schema: Json, schemas: Json, prefix: string, depth: number): ReadonlyArray<string> => {
  const { properties = {}, required = [] } = resolved(schema, schemas)
  return Object.entries<Json>(properties).flatMap(([name, field]) => {
    const own = resolved(field, schemas)
    const isNeeded = required.includes(name) && depth === 0
    const type = typeOf(field, schemas) + (isNeeded ? "" : ", optional")
    const row = rowOf(`${prefix}${name}`, type, field["description"] ?? own["description"])
    const inner = withoutNull(own)
    const below =
      depth < depthMax && resolved(inner, schemas)["properties"] !== undefined
        ? rowsOf(inner, schemas, `${prefix}${name}.`, depth + 1)
        : []
    return [row, ...below]
  })
}

const withoutNull = (schema: Json): Json => {
  const others = schema["anyOf"]?.filter(({ type }: Json) => type !== "null")
  return others?.length === 1 ? others[0] : schema
}

const boundsOf = ({ maxLength, maximum, minLength = 0, minimum = 0 }: Json): string => {
  if (maxLength !== undefined) return ` of ${minLength} to ${maxLength} characters`
  return maximum === undefined ? "" : ` from ${minimum} to ${maximum}`
}

const typeOf = (schema: Json, schemas: Json): string => {
  if (schema["$ref"] !== undefined) {
    const target = resolved(schema, schemas)
    return target["properties"] === undefined ? typeOf(target, schemas) : "object"
  }
  if (schema["enum"] !== undefined) return schema["enum"].map((value: unknown) => `\`${String(value)}\``).join(", ")
  if (schema["anyOf"] !== undefined) {
    const kinds: ReadonlyArray<string> = schema["anyOf"].map((each: Json) => typeOf(each, schemas))
    return [...new Set(kinds)].join(" or ")
  }
  if (schema["type"] === "array") return `list of ${typeOf(schema["items"] ?? {}, schemas)}`
  if (schema["type"] === "null") return "null"
  return schema["format"] === "date-time" ? "date-time" : `${String(schema["type"] ?? "any")}${boundsOf(schema)}`
}
