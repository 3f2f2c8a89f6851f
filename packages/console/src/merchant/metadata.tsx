/** Metadata in a dialog: a row for each key, and the patch that what was typed makes. Multi-line values are kept. */
import { useState } from "react"
import { heldKeys, withKeys } from "../api/actKeys.ts"
import type { Outcome } from "../api/acts.ts"
import { useWords } from "../parts/words.ts"

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

export const MetadataFields = ({ initial }: { readonly initial: Metadata }) => {
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
export const metadataPatch = (typed: FormData, initial: Metadata): Record<string, string | null> | undefined => {
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

/**
 * Sends what a form made of metadata that it has read, unless that is other by now. `replaces`: the metadata that it
 * began with, as `metadataVersion` says it.
 */
export const unlessChanged = async <A,>(
  read: () => Promise<Outcome<{ readonly data: { readonly metadata: Metadata } }>>,
  replaces: string | undefined,
  send: () => Promise<Outcome<A>>
): Promise<Outcome<A>> => {
  const keys = heldKeys()
  const outcome = await read()
  if ("problem" in outcome) return outcome
  return replaces === undefined || metadataVersion(outcome.done.data.metadata) === replaces
    ? withKeys(keys, send)
    : { problem: { kind: "refused", code: "conflict", message: "", requestId: "" } }
}

export const metadataVersion = (metadata: Metadata): string => JSON.stringify(Object.entries(metadata).toSorted())
