/**
 * `/_simulator`: the commands, over HTTP with JSON. They are for local programs; pages of other sites in a browser on
 * the same machine are refused.
 */
import { isIP } from "node:net"
import { Effect, Option, Schema } from "effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Command } from "../control/Command.ts"
import type { Commands } from "../control/commands.ts"
import { jsonText, parseJson } from "../json.ts"

const prefix = "/_simulator/"

export const makeControl = (commands: Commands, ownUrl: () => string) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest
    if (isForeign(request.headers, ownUrl())) {
      return json(403, {
        error:
          "The control takes commands under its own address alone, and from no page of another origin: --public-url."
      })
    }
    const name = request.url.slice(prefix.length)
    const command = Object.hasOwn(commands, name)
      ? (commands[name as keyof Commands] as Command<unknown, unknown>)
      : undefined
    if (command === undefined) {
      return json(404, { error: `There is no command ${name}. There are: ${Object.keys(commands).join(", ")}.` })
    }
    const text = yield* request.text
    const body = text === "" ? Option.some({}) : parseJson(text)
    if (Option.isNone(body)) return json(400, { error: "The body is no JSON." })
    return yield* Schema.decodeUnknownEffect(command.input, { onExcessProperty: "error" })(body.value).pipe(
      Effect.flatMap(command.run),
      Effect.map((answer) => json(200, answer)),
      Effect.catch((error) => Effect.succeed(json(400, { error: error.message })))
    )
  })

/**
 * Browsers send the page's origin. DNS rebinding: a foreign name that resolves to this machine appears in `Host`, so
 * only our own names are accepted; IP addresses have no such risk.
 */
const isForeign = ({ host = "", origin }: Readonly<Record<string, string | undefined>>, ownUrl: string): boolean => {
  const named = URL.parse(`http://${host}`)
  const own = URL.parse(ownUrl)
  if (named === null) return true
  const name = named.hostname.replace(/^\[|\]$/g, "")
  if (isIP(name) === 0 && name !== "localhost" && name !== own?.hostname) return true
  return origin !== undefined && origin !== own?.origin && URL.parse(origin)?.host !== named.host
}

const json = (status: number, body: unknown) =>
  HttpServerResponse.text(jsonText(body), { status, contentType: "application/json" })
