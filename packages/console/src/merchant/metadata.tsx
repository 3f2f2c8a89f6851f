/** Edits metadata in a dialog: a row for each key, and the patch of what was typed. Multi-line values are kept. */
import { useState } from "react"
import { useApi } from "../api/accountApi.ts"
import { heldKeys, withKeys } from "../api/actKeys.ts"
import { act, ask, readAgain } from "../api/acts.ts"
import { Act, type ActProps } from "../parts/act.tsx"
import { useWords } from "../parts/words.ts"
import { callOf, type ParamsOf, type PayloadOf, type RequestOf, send } from "./MerchantAct.tsx"

const texts = {
  en: {
    metadata: "Metadata",
    key: "Key",
    value: "Value",
    of: "Value of",
    add: "Add key",
    hint: "Leave a value empty to remove the key."
  },
  zh: { metadata: "元数据", key: "键", value: "值", of: "值：", add: "添加键", hint: "值留空则删除该键。" }
}

type Metadata = Readonly<Record<string, string>>

const MetadataFields = ({ initial }: { readonly initial: Metadata }) => {
  const words = useWords(texts)
  const known = Object.entries(initial)
  const [more, setMore] = useState(known.length === 0 ? 1 : 0)
  return (
    <fieldset className="metadata">
      <legend>{words.metadata}</legend>
      {Array.from({ length: known.length + more }, (_, index) => (
        <div key={index}>
          <input
            name="key"
            aria-label={`${words.key} ${index + 1}`}
            placeholder={words.key}
            defaultValue={known[index]?.[0] ?? ""}
            readOnly={index < known.length}
            maxLength={40}
          />
          <textarea
            name="value"
            rows={1}
            aria-label={index < known.length ? `${words.of} ${known[index]![0]}` : `${words.value} ${index + 1}`}
            placeholder={words.value}
            defaultValue={known[index]?.[1] ?? ""}
            maxLength={500}
          />
        </div>
      ))}
      <p className="small soft">{words.hint}</p>
      <button type="button" className="button quiet small" onClick={() => setMore(more + 1)}>
        {words.add}
      </button>
    </fieldset>
  )
}

/** A form sends line ends as CRLF. */
const lines = (text: FormDataEntryValue | undefined) => String(text ?? "").replaceAll("\r\n", "\n")

/** Keys that changed, and null for those whose value was emptied. Undefined when nothing changed. */
const metadataPatch = (typed: FormData, initial: Metadata): Record<string, string | null> | undefined => {
  const values = typed.getAll("value")
  const changed = typed.getAll("key").flatMap((key, index): ReadonlyArray<[string, string | null]> => {
    const name = String(key).trim()
    const value = lines(values[index])
    const before = initial[name]
    if (name === "" || (before !== undefined && lines(before) === value) || (before === undefined && value === ""))
      return []
    return [[name, value === "" ? null : value]]
  })
  return changed.length === 0 ? undefined : Object.fromEntries(changed)
}

type Edited = "orders.update" | "refunds.update" | "payment_links.update"
interface EditProps<Name extends Edited> extends Omit<ActProps, "run" | "code" | "result" | "version" | "onChanged"> {
  readonly operation: Name
  readonly params: ParamsOf<Name> & Readonly<Record<string, string>>
  /** The metadata as it was read. */
  readonly initial: Metadata
  /** What was typed into the other fields, where it differs. */
  readonly changed?: (typed: FormData) => { readonly [Field in keyof PayloadOf<Name>]?: unknown }
}

/** Edits an object's metadata, with other fields, unless the metadata has changed since it was read. */
export const EditMetadata = <Name extends Edited>(props: EditProps<Name>) => {
  const { changed, fields, initial, operation, params, ...shown } = props
  const api = useApi()
  const version = metadataVersion(initial)
  // The types of `params` and `changed` hold the names of both.
  const requestOf = (typed: FormData) => {
    const patch = metadataPatch(typed, initial)
    return { params, payload: { ...changed?.(typed), ...(patch === undefined ? {} : { metadata: patch }) } }
  }
  const read = async () => {
    const get = operation.replace("update", "get") as "orders.get" | "refunds.get" | "payment_links.get"
    const outcome = await ask(api, send(api, get, { params, query: {} } as unknown as RequestOf<typeof get>))
    if ("problem" in outcome) return outcome
    const { data } = outcome.done as { readonly data: { readonly metadata: Metadata } }
    return { done: metadataVersion(data.metadata) }
  }
  return (
    <Act
      {...shown}
      fields={
        <>
          {fields}
          <MetadataFields initial={initial} />
        </>
      }
      version={version}
      onChanged={() => void readAgain(api)}
      run={async (typed, replaces) => {
        const keys = heldKeys()
        const current = await read()
        if ("problem" in current) return current
        if (replaces !== undefined && current.done !== replaces) return changedMeanwhile
        return withKeys(keys, () => act(api, send(api, operation, requestOf(typed) as unknown as RequestOf<Name>)))
      }}
      code={(typed) => callOf(operation, requestOf(typed))}
    />
  )
}

const changedMeanwhile = { problem: { kind: "refused", code: "conflict", message: "", requestId: "" } } as const

const metadataVersion = (metadata: Metadata): string => JSON.stringify(Object.entries(metadata).toSorted())
