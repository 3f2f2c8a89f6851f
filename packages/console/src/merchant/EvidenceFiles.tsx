/** The files of evidence: each with its name, a picture of it, and what it shows. */
import type { EvidenceResource } from "@coffer/contract/Disputes"
import { EvidenceFileType } from "@coffer/model/Evidence"
import { evidenceFilesMax } from "@coffer/model/Limits"
import { useState } from "react"
import type { Problem } from "../api/acts.ts"
import { isWeb } from "../parts/address.ts"
import { Trouble } from "../parts/states.tsx"
import { UploadField } from "../parts/UploadField.tsx"

export type FileType = (typeof EvidenceFileType.literals)[number]
export type EvidenceFile = EvidenceResource["files"][number]

interface Words {
  readonly file: string
  readonly files: string
  readonly kind: string
  readonly remove: string
  readonly upload: string
  readonly uploadHint: string
  readonly types: Readonly<Record<FileType, string>>
}

/** Of a file that was chosen on this page. The service keeps neither. */
interface Known {
  readonly name: string
  readonly preview: string | undefined
}

/** A picture as it is in the browser: the page loads no picture from another host. */
const previewOf = (file: globalThis.File): Promise<string | undefined> =>
  new Promise((resolve) => {
    if (!file.type.startsWith("image/")) return resolve(undefined)
    const reader = new FileReader()
    reader.addEventListener("load", () => resolve(String(reader.result)))
    reader.addEventListener("error", () => resolve(undefined))
    reader.readAsDataURL(file)
  })

export const linked = (text: string, url: string) =>
  isWeb(url) ? (
    <a href={url} target="_blank" rel="noreferrer">
      {text}
    </a>
  ) : (
    text
  )

export const EvidenceFiles = (props: {
  readonly files: ReadonlyArray<EvidenceFile>
  readonly onChange: (files: ReadonlyArray<EvidenceFile>) => void
  readonly words: Words
}) => {
  const { files, onChange, words } = props
  const [known, setKnown] = useState<Readonly<Record<string, Known>>>({})
  const [problem, setProblem] = useState<Problem>()
  const types = EvidenceFileType.literals
  return (
    <fieldset className="files">
      <legend>{words.files}</legend>
      <ul>
        {files.map((file, index) => (
          <li key={file.url}>
            {known[file.url]?.preview !== undefined && (
              <img src={known[file.url]?.preview} alt="" width={48} height={48} className="preview" />
            )}
            {linked(known[file.url]?.name ?? `${words.file} ${index + 1}`, file.url)}
            <select
              aria-label={`${words.kind} ${index + 1}`}
              value={file.type}
              onChange={(event) =>
                onChange(
                  files.map((each) => (each === file ? { ...each, type: event.target.value as FileType } : each))
                )
              }
            >
              {types.map((type) => (
                <option key={type} value={type}>
                  {words.types[type]}
                </option>
              ))}
            </select>
            <button
              type="button"
              className="button quiet small"
              onClick={() => onChange(files.filter((each) => each !== file))}
            >
              {words.remove}
            </button>
          </li>
        ))}
      </ul>
      {files.length < evidenceFilesMax && (
        <UploadField
          label={words.upload}
          hint={words.uploadHint}
          accept="application/pdf,image/png,image/jpeg"
          onProblem={setProblem}
          onDone={async (url, file) => {
            const preview = await previewOf(file)
            setKnown((all) => ({ ...all, [url]: { name: file.name, preview } }))
            onChange([...files, { type: "uncategorized_file", url }])
          }}
        />
      )}
      {problem !== undefined && <Trouble problem={problem} />}
    </fieldset>
  )
}
