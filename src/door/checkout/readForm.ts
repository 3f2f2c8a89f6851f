/** Reads a form of a page for buyers. No error keeps its text, since it may contain a card number. */
import { checkoutFormBytesMax, checkoutFormFieldsMax } from "@coffer/model/Limits"
import { ByteSize, Effect, Option, Schema } from "effect"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
import { decodeUtf8, isCompressed, isUtf8 } from "../../shared/http/Body.ts"
import { CheckoutForm } from "./checkoutForms.ts"

/** None for fields that our forms do not send. */
export const readFormOf = <Form>(schema: Schema.Codec<Form, unknown>) => {
  const decode = Schema.decodeUnknownOption(schema)
  return Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ arrayBuffer, headers }) => {
    const contentType = headers["content-type"]
    if (!isForm(contentType) || !isUtf8(contentType) || isCompressed(headers)) return Effect.succeedNone
    if (Number(headers["content-length"] ?? 0) > checkoutFormBytesMax) return Effect.succeedNone
    return arrayBuffer.pipe(
      Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(checkoutFormBytesMax)),
      Effect.map((bytes) => Option.flatMap(Option.flatMap(decodeUtf8(bytes), fieldsOf), decode)),
      Effect.catch(() => Effect.succeedNone)
    )
  })
}

export const readForm = readFormOf(CheckoutForm)

const isForm = (contentType = "") => /^\s*application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType)

const decodePart = Option.liftThrowable(decodeURIComponent)

/** Our forms send each field once. */
const fieldsOf = (text: string): Option.Option<object> => {
  const fields = text.split("&", checkoutFormFieldsMax + 1)
  if (fields.length > checkoutFormFieldsMax || Option.isNone(decodePart(text))) return Option.none()
  const form = new Map(new URLSearchParams(text))
  return form.size < fields.length ? Option.none() : Option.some(Object.fromEntries(form))
}
