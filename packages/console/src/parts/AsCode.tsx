/** A call as code to copy: curl, the SDK and the command line. It never contains the key. */
import { useState } from "react"
import { Copy } from "./values.tsx"
import { useWords } from "./words.ts"

export interface Call {
  readonly method: "GET" | "POST" | "DELETE"
  /** From `/v1` on, or of the operators' API. */
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>> | undefined
  /** The call of the SDK, such as `coffer.refunds.create`. Its arguments follow from `args`. */
  readonly sdk?: string
  /** Arguments before the body: the object's number. */
  readonly args?: ReadonlyArray<string>
  /** The words after `coffer`. */
  readonly cli?: string
}

const texts = { en: { shown: "Do this with the API" }, zh: { shown: "通过 API 执行此操作" } }

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

export const curlOf = ({ body, method, path }: Call): string => {
  const isOperator = path.startsWith("/operator/")
  const credential = isOperator ? "Authorization: Bearer $COFFER_OPERATOR_TOKEN" : "X-Api-Key: $COFFER_API_KEY"
  return [
    `curl${method === "GET" ? "" : ` -X ${method}`} "$COFFER_URL${path}"`,
    `  -H "${credential}"`,
    ...(method === "POST" && !isOperator ? [`  -H "Idempotency-Key: $(uuidgen)"`] : []),
    ...(body === undefined ? [] : [`  -H "Content-Type: application/json"`, `  -d ${quoted(JSON.stringify(body))}`])
  ].join(" \\\n")
}

const sdkOf = ({ args = [], body, sdk }: Call): string => {
  const values = [...args, ...(body === undefined ? [] : [body])]
  return `await ${sdk}(${values.map((value) => JSON.stringify(value, null, 2)).join(", ")})`
}

/** `call`: itself, or how to load it once it is looked at. */
export const AsCode = ({ call }: { readonly call: Call | (() => Promise<Call>) }) => {
  const words = useWords(texts)
  const [loaded, setLoaded] = useState<Call>()
  const shown = typeof call === "function" ? loaded : call
  const load = () => {
    // A file that did not load is requested again by the next look.
    if (typeof call === "function" && loaded === undefined) void call().then(setLoaded, () => undefined)
  }
  return (
    <details className="code" onToggle={load}>
      <summary>{words.shown}</summary>
      {shown !== undefined && <Forms call={shown} />}
    </details>
  )
}

const Forms = ({ call }: { readonly call: Call }) => {
  const forms: ReadonlyArray<readonly [name: string, text: string]> = [
    ["curl", curlOf(call)],
    ...(call.sdk === undefined ? [] : [["SDK", sdkOf(call)] as const]),
    ...(call.cli === undefined ? [] : [["CLI", `coffer ${call.cli}`] as const])
  ]
  const [chosen, choose] = useState("curl")
  const text = forms.find(([name]) => name === chosen)?.[1] ?? forms[0]![1]
  return (
    <>
      <div className="tabs">
        {forms.map(([name]) => (
          <button key={name} type="button" aria-pressed={name === chosen} onClick={() => choose(name)}>
            {name}
          </button>
        ))}
        <Copy text={text} label={chosen} />
      </div>
      <pre tabIndex={0}>{text}</pre>
    </>
  )
}
