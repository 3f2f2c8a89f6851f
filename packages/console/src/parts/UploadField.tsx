/** A field for a file, which is uploaded once it is chosen: evidence in a dispute, and the shop's logo. */
import { fileBytesMax } from "@coffer/model/Limits"
import { useState } from "react"
import { useApi } from "../api/accountApi.ts"
import { act, type Problem } from "../api/acts.ts"
import { Field } from "./act.tsx"
import { useWords } from "./words.ts"

const texts = {
  en: { uploading: "Uploading…", tooLarge: "This file is larger than 10 MB. Choose a smaller one." },
  zh: { uploading: "正在上传…", tooLarge: "文件超过 10 MB，请选择较小的文件。" }
}

export const UploadField = (props: {
  readonly label: string
  readonly hint: string
  /** Content types, separated by commas. */
  readonly accept: string
  /** Called with the file's address; the field is enabled again once it has ended. */
  readonly onDone: (url: string, file: File) => void | Promise<void>
  /** Undefined when another file was chosen. */
  readonly onProblem: (problem: Problem | undefined) => void
}) => {
  const { accept, hint, label, onDone, onProblem } = props
  const api = useApi()
  const words = useWords(texts)
  const [isBusy, setBusy] = useState(false)
  const upload = async (input: HTMLInputElement) => {
    const [file] = input.files ?? []
    if (file === undefined) return
    onProblem(undefined)
    if (file.size > fileBytesMax) {
      return onProblem({ kind: "refused", code: "invalid_request", message: words.tooLarge, requestId: "" })
    }
    setBusy(true)
    const payload = new FormData()
    payload.append("file", file)
    const outcome = await act(
      api,
      api.use((client) => client.files.upload({ payload }))
    )
    if ("problem" in outcome) onProblem(outcome.problem)
    else await onDone(outcome.done.data.url, file)
    input.value = ""
    setBusy(false)
  }
  return (
    <Field label={label} hint={isBusy ? words.uploading : hint}>
      {(id, described) => (
        <input
          id={id}
          type="file"
          accept={accept}
          aria-describedby={described}
          disabled={isBusy}
          onChange={(event) => void upload(event.currentTarget)}
        />
      )}
    </Field>
  )
}
