/**
 * Files for evidence, uploaded by the merchant, or for a merchant through the operator's API (docs/architecture.md,
 * section 7; silences: D6). The body is `multipart/form-data` and is read as a stream.
 */
import { Mode } from "@coffer/model/Ids"
import { fileBytesMax } from "@coffer/model/Limits"
import { ByteSize, Schema } from "effect"
import { Multipart } from "effect/http"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, MerchantKey, OperatorToken, Quotas } from "./Caller.ts"
import { enveloped } from "./Envelope.ts"
import { InvalidRequest, MerchantNotFound, Unavailable } from "./Errors.ts"
import { int, ofMerchant, text, withExample } from "./fields.ts"

export const UploadedFile = withExample(
  Schema.Struct({
    url: text("Its URL, used in evidence. Anyone who has the URL can read the file."),
    content_type: Schema.Literals(["application/pdf", "image/png", "image/jpeg"]).annotate({
      description: "Its media type, detected from its content."
    }),
    size: int("Bytes.")
  }).annotate({ identifier: "UploadedFile", description: "The stored file." }),
  {
    url: "https://files.example/files/9jS0bX3mQ7wLrT2vYkPzNf4cHd8aGe1uBoVi5xRq6sM.pdf",
    content_type: "application/pdf",
    size: 48_211
  }
)

export const Upload = Schema.Struct({ file: Multipart.SingleFileSchema, mode: Mode })
export const OwnUpload = Schema.Struct({ file: Multipart.SingleFileSchema })

/** The generated document loses the description of a part. */
const withForm = (properties: Readonly<Record<string, object>>) => (operation: object) => {
  const schema = { type: "object", properties, required: Object.keys(properties) }
  return { ...operation, requestBody: { required: true, content: { "multipart/form-data": { schema } } } }
}
const file = { type: "string", format: "binary", description: "A PDF, PNG or JPEG of at most 10 MB." }
const withPart = withForm({ file })
const withParts = withForm({ file, mode: { type: "string", enum: Mode.literals, description: "The environment." } })

/** The maximum of parts in a form with one file: the two that are read, and some that are ignored. */
export const uploadPartsMax = 16
/** Bytes for part headers, boundaries and a mode; the file's own limit is applied while it is read. */
const aroundFileMax = 1024 * 1024

const formLimits = {
  maxParts: uploadPartsMax,
  maxFieldSize: ByteSize.bytes(1024),
  maxTotalSize: ByteSize.bytes(fileBytesMax + aroundFileMax)
}

/**
 * The merchants' group. Without Idempotency-Key: to compare a file with the first request's, it would be read whole.
 */
export class OwnFilesGroup extends HttpApiGroup.make("files")
  .add(
    HttpApiEndpoint.post("upload", "/v1/files", {
      payload: OwnUpload.pipe(HttpApiSchema.asMultipartStream(formLimits)),
      success: enveloped(UploadedFile).pipe(HttpApiSchema.status(201)),
      error: [InvalidRequest, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Upload a file for evidence",
        description:
          "`multipart/form-data` with one part named `file`: a PDF, PNG or JPEG of at most 10 MB. Its `url` can " +
          "be used as evidence only in this environment. Uploading the same file twice gives two URLs; an " +
          "`Idempotency-Key` has no effect.",
        transform: withPart
      })
    )
  )
  .middleware(Decoding)
  .middleware(Quotas)
  .middleware(MerchantKey)
  .annotate(OpenApi.Description, "Files for evidence in disputes, which names them by URL.") {}

export class FilesGroup extends HttpApiGroup.make("files")
  .add(
    HttpApiEndpoint.post("upload", "/operator/v1/merchants/:merchant_id/files", {
      params: ofMerchant,
      payload: Upload.pipe(HttpApiSchema.asMultipartStream(formLimits)),
      success: enveloped(UploadedFile).pipe(HttpApiSchema.status(201)),
      error: [InvalidRequest, MerchantNotFound, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Upload a file for a merchant",
        description:
          "`multipart/form-data` with the parts `file`, a PDF, PNG or JPEG of at most 10 MB, and `mode`: the " +
          "environment in whose evidence it may be used. A merchant's logo is uploaded here, too.",
        transform: withParts
      })
    )
  )
  .middleware(Decoding)
  .middleware(OperatorToken)
  .annotate(OpenApi.Description, "Files for a merchant: evidence and its logo.") {}
