/** An authenticator in software: what a browser answers that has one passkey, by ES256 and without attestation. */
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto"

// oxlint-disable-next-line no-explicit-any -- as the library writes them
type Options = Record<string, any>

/** The parts of an answer that are not as they should be. */
export interface Changes {
  readonly origin?: string
  readonly host?: string
  /** Whether the person has shown to the authenticator who it is. */
  readonly isVerified?: boolean
  readonly counter?: number
  /** The name of the attestation's format, of four letters. */
  readonly format?: string
}

const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString("base64url")
const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest()
const [present, verified, attested] = [1, 4, 64]

export const authenticator = (origin: string) => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const { x, y } = publicKey.export({ format: "jwk" })
  const id = randomBytes(32)
  let userHandle = ""
  let count = 0

  const clientData = (type: string, { challenge }: Options, changes: Changes) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: changes.origin ?? origin, crossOrigin: false }))
  const dataOf = (host: string, flags: number, { counter = (count += 1), isVerified = true }: Changes) => {
    const head = Buffer.alloc(5)
    head.writeUInt8(flags | present! | (isVerified ? verified! : 0))
    head.writeUInt32BE(counter, 1)
    return Buffer.concat([sha256(host), head])
  }
  /** `{ 1: 2, 3: -7, -1: 1, -2: x, -3: y }` in CBOR. */
  const coseKey = Buffer.concat([
    Buffer.from("a5010203262001215820", "hex"),
    Buffer.from(x!, "base64url"),
    Buffer.from("225820", "hex"),
    Buffer.from(y!, "base64url")
  ])

  return {
    /** As a browser answers `navigator.credentials.create`. */
    create: (options: Options, changes: Changes = {}) => {
      userHandle ||= options["user"].id
      const data = Buffer.concat([
        dataOf(changes.host ?? options["rp"].id, attested!, changes),
        Buffer.alloc(16),
        Buffer.from([0, id.length]),
        id,
        coseKey
      ])
      const attestation = Buffer.concat([
        Buffer.from([0xa3, 0x63]),
        Buffer.from("fmt"),
        Buffer.from([0x64]),
        Buffer.from(changes.format ?? "none"),
        Buffer.from([0x67]),
        Buffer.from("attStmt"),
        Buffer.from([0xa0, 0x68]),
        Buffer.from("authData"),
        Buffer.from([0x58, data.length]),
        data
      ])
      const clientDataJSON = base64(clientData("webauthn.create", options, changes))
      return {
        id: base64(id),
        response: { clientDataJSON, attestationObject: base64(attestation), transports: ["internal"] }
      }
    },
    /** As a browser answers `navigator.credentials.get`. */
    get: (options: Options, changes: Changes = {}) => {
      const data = dataOf(changes.host ?? options["rpId"], 0, changes)
      const client = clientData("webauthn.get", options, changes)
      const signature = sign("sha256", Buffer.concat([data, sha256(client)]), privateKey)
      return {
        id: base64(id),
        response: {
          clientDataJSON: base64(client),
          authenticatorData: base64(data),
          signature: base64(signature),
          userHandle
        }
      }
    }
  }
}
export type Authenticator = ReturnType<typeof authenticator>
