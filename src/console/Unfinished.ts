/** Operations of the console's contract that have no handler yet: they are answered 503, so that pages can be written. */
import { ConsoleApi } from "@coffer/contract/Console"
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { busy } from "../http/replies.ts"

const later = () => busy

export const layer = Layer.mergeAll(
  HttpApiBuilder.group(ConsoleApi, "overview", (handlers) => Effect.succeed(handlers.handleAll({ retrieve: later }))),
  HttpApiBuilder.group(ConsoleApi, "saved_views", (handlers) =>
    Effect.succeed(handlers.handleAll({ list: later, create: later, update: later, remove: later }))
  )
)
