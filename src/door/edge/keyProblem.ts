/**
 * Why a key is refused, as far as its text tells: what it looks like and where it belongs. Nothing is looked up for
 * it, so that it says nothing about keys that exist. Pure.
 */
import { isKey, isWellWritten } from "../../access/merchants/keyText.ts"
import { kindOfNumber } from "../../shared/http/numberHint.ts"

const send = "Send the secret key, svc_test_… or svc_live_…, in X-Api-Key"

/** Beginnings, and what such a text is. The first that fits counts. */
const kinds: ReadonlyArray<readonly [form: RegExp, says: string]> = [
  [/^(?:Bearer|Basic|ApiKey|Token)\s/i, "X-Api-Key has the key and nothing else: remove the word before it"],
  [/^["'].*["']$/, "The key is in quotes: remove them"],
  [/^(?:undefined|null|None|nil)$/, `A variable had no value, and its name for that was sent. ${send}`],
  [/^(?:\$|%\w+%|\{\{|<)/, `This is a placeholder, not a key: it was not filled in. ${send}`],
  [/^whsec_/, `This is a webhook signing secret, which verifies events. ${send}`],
  [/^opt_/, "This is an operator's token: it is for /operator/v1, as Authorization: Bearer. " + send],
  [/^pk_/, `This is a publishable key of another service; Coffer has none. ${send}, from a server`],
  [/^[sr]k_/, `This is a key of another service. ${send}`],
  [/^key_/, `This is the number of a key, not the key, which was shown once when it was created. ${send}`],
  [/^coffer_/, `This is no key of the API. ${send}`]
]

/** Longer texts are not looked at. */
const lengthMax = 200

export const keyProblem = (key: string): string => {
  const text = key.trim()
  const [, says] = (text.length <= lengthMax && kinds.find(([form]) => form.test(text))) || []
  if (says !== undefined) return `${says}.`
  const kind = kindOfNumber(text)
  if (kind !== undefined) return `This is the number of ${kind}, not a key. ${send}.`
  if (!isKey(text)) return `This is no key of Coffer. ${send}.`
  if (!isWellWritten(text))
    return "This key is mistyped or incomplete, by its checksum. Copy it again, whole, from the console."
  return (
    "This key is invalid, expired or revoked, or of another installation. " +
    "Copy the key in use from the console, under Keys, and check the address."
  )
}

/** `authorization`: the header that clients of other services send. */
export const missingKey = (authorization: string | undefined): string =>
  authorization === undefined
    ? `The key is missing. ${send}.`
    : `Authorization is not read here. ${send}, without \`Bearer\`.`

/** Of an operator's call. */
export const tokenProblem = (authorization: string | undefined): string => {
  const sendToken = "Send the operator token as Authorization: Bearer"
  if (authorization === undefined) return `The token is missing. ${sendToken}.`
  const [, token] = /^bearer\s+(\S+)$/i.exec(authorization.slice(0, lengthMax)) ?? []
  if (token === undefined) return `Authorization does not begin with \`Bearer \`. ${sendToken}, a space, and the token.`
  return isKey(token)
    ? `This is a merchant's key, which is for /v1, in X-Api-Key. ${sendToken}.`
    : `This token is invalid, expired or revoked. ${sendToken}.`
}
