/**
 * Handlers of the `files` groups, the merchants' and the operator's. The parts are read as they come; the file is
 * written to disk meanwhile. The operator's `mode` may come before or after the file, so its owner is decided last.
 */
import { Api } from "@coffer/contract/Api"
import { Caller } from "@coffer/contract/Caller"
import { uploadPartsMax } from "@coffer/contract/Files"
import { OperatorApi } from "@coffer/contract/Operator"
import { Mode } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import { InvalidField } from "@coffer/rules/InvalidField"
import { Effect, Schema, Stream } from "effect"
import { Multipart } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { span } from "../../platform/runtime/span.ts"
import { commonRefusals, unavailable } from "../../shared/http/refusals.ts"
import { merchantRefusals } from "../../access/merchants/merchantRefusals.ts"
import { compressed, isCompressed, makeReceiving } from "../../shared/http/Body.ts"
import { CurrentRecord } from "../../shared/http/CurrentRequest.ts"
import { refuseField, reply } from "../../shared/http/replies.ts"
import { Merchants } from "../../access/merchants/Merchants.ts"
import { MerchantClocks } from "../../platform/runtime/MerchantClocks.ts"
import { Files } from "./Files.ts"
import { tooLarge } from "./Incoming.ts"
import type { ReceivedFile } from "./FileStorage.ts"

/** For the caller's own evidence. */
export const layer = HttpApiBuilder.group(
  Api,
  "files",
  Effect.fnUntraced(function* (handlers) {
    const { keep, readForm } = yield* makeUpload

    return handlers.handleAll({
      upload: span("files.upload")(
        function* ({ payload }) {
          const account = yield* Caller
          if (isCompressed((yield* CurrentRecord).sent)) return yield* compressed
          return yield* keep(account, yield* readForm(payload))
        },
        Effect.scoped,
        Effect.catchTags({
          MultipartError: refuseForm("", "A non-file part is too long"),
          InvalidField: refuseInvalid,
          NotCommitted
        })
      )
    })
  })
)

/** For any merchant, in the environment that the form names. */
export const layerOperator = HttpApiBuilder.group(
  OperatorApi,
  "files",
  Effect.fnUntraced(function* (handlers) {
    const { keep, readForm } = yield* makeUpload
    const merchants = yield* Merchants
    const { MerchantNotFound } = merchantRefusals

    return handlers.handleAll({
      upload: span("operator.files.upload")(
        function* ({ params, payload }) {
          if (isCompressed((yield* CurrentRecord).sent)) return yield* compressed
          const { merchant_id: merchantId } = yield* merchants.find(params.merchant_id)
          const form = yield* readForm(payload)
          if (!isMode(form.mode)) return yield* problem("mode", isNoMode)
          return yield* keep({ merchantId, mode: form.mode }, form)
        },
        Effect.scoped,
        Effect.catchTags({
          MultipartError: refuseForm("mode", isNoMode),
          InvalidField: refuseInvalid,
          MerchantNotFound,
          NotCommitted
        })
      )
    })
  })
)

const { InvalidField: refuseInvalid } = commonRefusals
const { NotCommitted } = unavailable

interface Form {
  mode?: string
  file?: ReceivedFile
}

const makeUpload = Effect.map(Effect.all([Files, MerchantClocks, makeReceiving]), ([files, clocks, receiving]) => {
  /** Other parts are ignored, as unknown fields are in any body (silences: G5). */
  const readForm = Effect.fnUntraced(function* (parts: Stream.Stream<Multipart.Part, Multipart.MultipartError>) {
    const form: Form = {}
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
    return form
  }, receiving)

  const keep = Effect.fnUntraced(function* (account: Account, { file }: Form) {
    if (file === undefined)
      return yield* problem("file", "is required: send it as multipart/form-data, in a part that is called file")
    const { contentType, size, url } = yield* clocks.within(account, files.keep(account, file))
    return yield* reply({ url, content_type: contentType, size }, 201)
  })

  return { readForm, keep }
})

const isNoMode = "must be sandbox or live"
const isMode = Schema.is(Mode)

const problem = (param: string, problem: string) => Effect.fail(new InvalidField({ param, problem }))

/** A form that cannot be read, or is larger than any that holds one file. `problem` is for a text that is too long. */
const refuseForm =
  (param: string, problem: string) =>
  ({ reason }: Multipart.MultipartError) => {
    switch (reason._tag) {
      case "FileTooLarge":
      case "BodyTooLarge":
        return commonRefusals.InvalidField(tooLarge)
      case "TooManyParts":
        return refuseField("", `The form has more than ${uploadPartsMax} parts`)
      case "FieldTooLarge":
        return refuseField(param, problem)
      case "InternalError":
      case "Parse":
        return refuseField("file", "must be part of a complete multipart/form-data body")
    }
  }
