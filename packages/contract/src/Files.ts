/**
 * Files that evidence may name, handed in through the operator's API since merchants have no console here
 * (docs/architecture.md, section 7; silences: D6). The body is `multipart/form-data` and is read as a stream.
 */
import { Mode } from "@coffer/model/Ids"
import { fileBytesMax } from "@coffer/model/Limits"
import { ByteSize, Schema } from "effect"
import { Multipart } from "effect/http"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, OperatorToken } from "./Caller.ts"
import { enveloped } from "./Envelope.ts"
import { InvalidRequest, MerchantNotFound, Unavailable } from "./Errors.ts"

export const UploadedFile = Schema.Struct({
  url: Schema.String,
  content_type: Schema.Literals(["application/pdf", "image/png", "image/jpeg"]),
  /** Bytes. */
  size: Schema.Int
})

export const Upload = Schema.Struct({ file: Multipart.SingleFileSchema, mode: Mode })

/** Of a form with one file: the two that are read, and some that are read over. */
export const uploadPartsMax = 16
/** Names and boundaries around the file, and a mode; the file's own limit is counted where it is read. */
const aroundFileMax = 1024 * 1024

export class FilesGroup extends HttpApiGroup.make("files")
  .add(
    HttpApiEndpoint.post("upload", "/operator/v1/merchants/:merchant_id/files", {
      params: { merchant_id: Schema.String },
      payload: Upload.pipe(
        HttpApiSchema.asMultipartStream({
          maxParts: uploadPartsMax,
          maxFieldSize: ByteSize.bytes(1024),
          maxTotalSize: ByteSize.bytes(fileBytesMax + aroundFileMax)
        })
      ),
      success: enveloped(UploadedFile).pipe(HttpApiSchema.status(201)),
      error: [InvalidRequest, MerchantNotFound, Unavailable]
    }).annotate(OpenApi.Summary, "Hand in a file for a merchant's evidence")
  )
  .middleware(Decoding)
  .middleware(OperatorToken) {}
