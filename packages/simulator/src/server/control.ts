/** `/_simulator`: the commands, over HTTP with JSON. */
import { Effect, Option, Schema } from "effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Command } from "../control/Command.ts"
import type { Commands } from "../control/commands.ts"
import { jsonText, parseJson } from "../json.ts"

const prefix = "/_simulator/"

export const makeControl = (commands: Commands) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest
    const name = request.url.slice(prefix.length)
    const command = Object.hasOwn(commands, name)
      ? (commands[name as keyof Commands] as Command<unknown, unknown>)
      : undefined
    if (command === undefined) {
      return json(404, { error: `There is no command ${name}. There are: ${Object.keys(commands).join(", ")}.` })
    }
    const text = yield* request.text
    const given = text === "" ? Option.some({}) : parseJson(text)
    if (Option.isNone(given)) return json(400, { error: "The body is no JSON." })
    return yield* Schema.decodeUnknownEffect(command.input, { onExcessProperty: "error" })(given.value).pipe(
      Effect.flatMap(command.run),
      Effect.map((answer) => json(200, answer)),
      Effect.catch((error) => Effect.succeed(json(400, { error: error.message })))
    )
  })

const json = (status: number, body: unknown) =>
  HttpServerResponse.text(jsonText(body), { status, contentType: "application/json" })
