/** The calling account: each secret key is its own account, and `Stripe-Account` names a connected one. */
import { createHash } from "node:crypto"
import { Result } from "effect"
import type { Book } from "../state/Book.ts"
import type { World } from "../state/World.ts"
import { type Failure, invalid, type Outcome } from "../wire/failure.ts"

type Headers = Readonly<Record<string, string | undefined>>

const unauthorized = (message: string, code?: string): Result.Result<never, Failure> =>
  Result.fail({
    ...invalid(message, { status: 401, ...(code && { code }) }),
    headers: { "www-authenticate": 'Basic realm="Stripe"' }
  })

export const bookOf = (world: World, headers: Headers, revoked: ReadonlySet<string>): Outcome<Book> => {
  const key = keyOf(headers["authorization"])
  if (key === undefined) {
    return unauthorized(
      "You did not provide an API key. Give it in the Authorization header, as Bearer or as the user of Basic."
    )
  }
  const mode = /^[sr]k_(test|live)_\w+$/.exec(key)?.[1]
  if (mode === undefined) return unauthorized(`Invalid API Key provided: ${hidden(key)}`)
  if (revoked.has(key)) return unauthorized(`Expired API Key provided: ${hidden(key)}`, "api_key_expired")
  const own = accountOf(key)
  const connected = headers["stripe-account"]
  if (connected === undefined || connected === own) return Result.succeed(world.book(own, mode === "live"))
  if (!/^acct_\w+$/.test(connected)) {
    return Result.fail(
      invalid(`The provided key does not have access to account '${connected}'.`, {
        status: 403,
        code: "account_invalid"
      })
    )
  }
  const book = world.book(connected, mode === "live")
  if (book.get("x.platform", "platform")?.account !== own) book.put("x.platform", { id: "platform", account: own })
  return Result.succeed(book)
}

const keyOf = (authorization: string | undefined): string | undefined => {
  const [, scheme, value] = /^(Bearer|Basic)\s+(\S+)$/i.exec(authorization ?? "") ?? []
  if (value === undefined) return undefined
  return scheme!.toLowerCase() === "bearer" ? value : Buffer.from(value, "base64").toString().split(":")[0]
}

/** An account's test and live keys are two accounts here. */
export const accountOf = (key: string): string => `acct_1${createHash("sha256").update(key).digest("hex").slice(0, 15)}`

const hidden = (key: string) =>
  `${key.slice(0, 8)}${"*".repeat(Math.max(0, Math.min(key.length, 40) - 12))}${key.slice(-4)}`
