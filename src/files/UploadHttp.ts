/**
 * Handler of the operator's `files` group. Parts are read as they arrive, and the file is written to disk meanwhile.
 * `mode` may come before or after the file, so the owner is decided at the end.
 */
import { uploadPartsMax } from "@coffer/contract/Files"
import { OperatorApi } from "@coffer/contract/Operator"
import { Mode } from "@coffer/model/Ids"
import { InvalidField } from "@coffer/rules/InvalidField"
import { Effect, Schema, Stream } from "effect"
import { Multipart } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { span } from "../platform/runtime/span.ts"
import { commonRefusals, unavailable } from "../http/refusals.ts"
import { merchantRefusals } from "../merchants/merchantRefusals.ts"
import { compressed, isCompressed } from "../http/Body.ts"
import { CurrentRecord } from "../http/CurrentRequest.ts"
import { refuseField, reply } from "../http/replies.ts"
import { Merchants } from "../merchants/Merchants.ts"
import { Files } from "./Files.ts"
import { tooLarge } from "./Incoming.ts"
import type { ReceivedFile } from "./FileStorage.ts"

export const layer = HttpApiBuilder.group(
  OperatorApi,
  "files",
  Effect.fnUntraced(function* (handlers) {
    const files = yield* Files
    const merchants = yield* Merchants
    const { InvalidField } = commonRefusals
    const { MerchantNotFound } = merchantRefusals
    const { NotCommitted } = unavailable

    /** Other parts are ignored, as unknown fields are in any body (silences: G5). */
    const readForm = Effect.fnUntraced(function* (parts: Stream.Stream<Multipart.Part, Multipart.MultipartError>) {
      const form: { mode?: string; file?: ReceivedFile } = {}
      yield* Stream.runForEach(
        parts,
        Effect.fnUntraced(function* (part) {
          const isFile = Multipart.isFile(part)
          if (part.key === "mode" && !isFile) form.mode = part.value
          else if (part.key === "file" && isFile && form.file === undefined) {
            form.file = yield* files.receive(part.content)
          } else if (part.key === "file") return yield* problem("file", "must be one file")
          else if (isFile) yield* Stream.runDrain(part.content)
        })
      )
      if (!isMode(form.mode)) return yield* problem("mode", "must be sandbox or live")
      if (form.file === undefined) return yield* problem("file", "is required")
      return { mode: form.mode, file: form.file }
    })

    return handlers.handleAll({
      upload: span("files.upload")(
        function* ({ params, payload }) {
          if (isCompressed((yield* CurrentRecord).sent)) return yield* compressed
          const { merchant_id: merchantId } = yield* merchants.find(params.merchant_id)
          const { file, mode } = yield* readForm(payload)
          const { contentType, size, url } = yield* files.keep({ merchantId, mode }, file)
          return yield* reply({ url, content_type: contentType, size }, 201)
        },
        Effect.scoped,
        Effect.catchTags({ MultipartError: refuseForm, InvalidField, MerchantNotFound, NotCommitted })
      )
    })
  })
)

const isMode = Schema.is(Mode)

const problem = (param: string, problem: string) => Effect.fail(new InvalidField({ param, problem }))

/** Refuses a form that cannot be read, or that is too large. */
const refuseForm = ({ reason }: Multipart.MultipartError) => {
  switch (reason._tag) {
    case "FileTooLarge":
    case "BodyTooLarge":
      return commonRefusals.InvalidField(tooLarge)
    case "TooManyParts":
      return refuseField("", `The form has more than ${uploadPartsMax} parts`)
    case "FieldTooLarge":
      return refuseField("mode", "must be sandbox or live")
    case "InternalError":
    case "Parse":
      return refuseField("file", "must be a part of a multipart/form-data body that is whole")
  }
}
