/** Passkeys on the wire: the request to a browser, its answer, and the passkeys of a person (docs/security.md). */
import { passkeyNameLengthMax } from "@coffer/model/Limits"
import { optional, withoutNulls } from "@coffer/model/optional"
import { OneLine } from "@coffer/model/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, PersonSession } from "./Caller.ts"
import { enveloped, listed } from "./Envelope.ts"
import { Conflict, InvalidRequest, PasskeyNotFound } from "./Errors.ts"
import { base64Url, instant, kind, orNull, text, withExample } from "./fields.ts"
import { sampleIds } from "./sampleIds.ts"

export const passkeyName = OneLine(1, passkeyNameLengthMax)

const passkeySample = {
  object: "passkey",
  passkey_id: sampleIds.passkey,
  name: "My phone",
  is_synced: true,
  created_at: "2026-11-20T08:00:00.000Z",
  last_used_at: null
} as const

export const PasskeyResource = withExample(
  Schema.Struct({
    object: kind("passkey"),
    passkey_id: text("Number of the passkey."),
    name: text("The person's name for it."),
    is_synced: Schema.Boolean.annotate({
      description: "Whether it is synced, so that it survives the loss of a device."
    }),
    created_at: instant("When it was registered."),
    last_used_at: orNull(Schema.String, "When it was last used to sign in; null: never.")
  }).annotate({ identifier: "Passkey", description: "A passkey of a person. Its public key is not shown." }),
  passkeySample
)
export type PasskeyResource = typeof PasskeyResource.Encoded

/** The options that a page passes to the browser. */
export const PasskeyOptions = withExample(
  Schema.Struct({
    object: kind("passkey_options"),
    options: Schema.Record(Schema.String, Schema.Unknown).annotate({
      description: "In the JSON form that `PublicKeyCredential` parses. The challenge works once, for five minutes."
    })
  }).annotate({ identifier: "PasskeyOptions", description: "The request to the browser." }),
  { object: "passkey_options", options: { challenge: "x".repeat(43) } }
)

const credentialId = base64Url(512).annotate({ description: "Number of the credential, as the browser names it." })
const clientDataJSON = base64Url(1_000).annotate({
  description: "The client data: the challenge and the origin that asked."
})
const bytes = (lengthMax: number, description: string) => base64Url(lengthMax).annotate({ description })

/** As the browser's `toJSON` writes it; other fields are ignored. */
export const Assertion = Schema.Struct({
  id: credentialId,
  response: Schema.Struct({
    clientDataJSON,
    authenticatorData: bytes(300, "The attestation object of the authenticator."),
    signature: bytes(512, "The signature of both."),
    userHandle: optional(base64Url(88), "The number of the person, as stored by the authenticator.")
  }).annotate({ description: "The signed content." })
}).annotate({ description: "The answer of the browser." })
export type Assertion = typeof Assertion.Type

export const Attestation = Schema.Struct({
  id: credentialId,
  response: Schema.Struct({
    clientDataJSON,
    attestationObject: bytes(3_000, "The new credential."),
    transports: optional(
      Schema.Array(OneLine(1, 20)).check(Schema.isMaxLength(8)),
      "Transports of the authenticator, as the browser names them."
    )
  }).annotate({ description: "The new credential." })
}).annotate({ description: "The answer of the browser." })
export type Attestation = typeof Attestation.Type

const credentialSample = { clientDataJSON: "e30" }
export const UsePasskey = Schema.Struct({ credential: Assertion }).annotate({
  examples: [{ credential: { id: "AQ", response: { ...credentialSample, authenticatorData: "AQ", signature: "AQ" } } }]
})

const RegisterPasskey = withoutNulls(
  Schema.Struct({
    name: optional(passkeyName, "The person's name for it. Default: `Passkey`."),
    credential: Attestation
  }).annotate({
    examples: [
      { name: "My phone", credential: { id: "AQ", response: { ...credentialSample, attestationObject: "AQ" } } }
    ]
  })
)

const params = { passkey_id: text("Number of the passkey.") }
const freshText = "The session has to be younger than 15 minutes; otherwise 403, and the person has to sign in again."

export class PasskeysGroup extends HttpApiGroup.make("passkeys")
  .add(
    HttpApiEndpoint.get("list", "/console/api/passkeys", { success: listed(PasskeyResource) }).annotateMerge(
      OpenApi.annotations({ summary: "My passkeys, newest first", description: "At most 20, on one page." })
    ),
    HttpApiEndpoint.post("ask", "/console/api/passkeys/options", {
      success: enveloped(PasskeyOptions),
      error: Conflict
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Begin to register a passkey",
        description: `409 if browsers do not support passkeys at the address in PUBLIC_URL. ${freshText}`
      })
    ),
    HttpApiEndpoint.post("register", "/console/api/passkeys", {
      payload: RegisterPasskey,
      success: enveloped(PasskeyResource).pipe(HttpApiSchema.status(201)),
      error: [Conflict, InvalidRequest]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Register a passkey",
        description:
          "The person gets a mail about it. A session that was required to register one becomes a session opened " +
          "with it. 409: the person has 20, or already has this one."
      })
    ),
    HttpApiEndpoint.post("rename", "/console/api/passkeys/:passkey_id", {
      params,
      payload: Schema.Struct({ name: passkeyName.annotate({ description: "The person's name for it." }) }).annotate({
        examples: [{ name: "My key" }]
      }),
      success: enveloped(PasskeyResource),
      error: [InvalidRequest, PasskeyNotFound]
    }).annotateMerge(
      OpenApi.annotations({ summary: "Rename a passkey", description: "Only the person sees the name." })
    ),
    HttpApiEndpoint.post("remove", "/console/api/passkeys/:passkey_id/remove", {
      params,
      success: enveloped(PasskeyResource),
      error: [Conflict, PasskeyNotFound]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Remove a passkey",
        description:
          "It ends the other sessions that it opened, and the person gets a mail about it. 409: the installation " +
          `requires passkeys, and it is the last one. ${freshText}`
      })
    )
  )
  .middleware(Decoding)
  .middleware(PersonSession)
  .annotate(OpenApi.Description, "Passkeys of the person who is signed in.") {}
