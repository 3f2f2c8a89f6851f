/**
 * The published document of an API, and its parts: `?group=orders` has the calls of one group, `?path=/v1/orders` those
 * of one path, with what they refer to. Each is made and compressed by the first request for it.
 */
import { compacted, groupOf, groupsOf, pathOf } from "@coffer/contract/compactDocument"
import { Effect, Formatter } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { type HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import { serveStatic } from "../edge/staticContent.ts"

type Served = Effect.Success<ReturnType<typeof serveStatic>>

export const documentRoute = Effect.fnUntraced(function* <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
) {
  const document = yield* Effect.cached(Effect.sync(() => compacted(OpenApi.fromApi(api))))
  const textOf = (part: (whole: Record<string, unknown>) => unknown) =>
    serveStatic(
      Effect.map(document, (whole) => ({ text: Formatter.formatJson(part(whole)), contentType: "application/json" }))
    )
  const whole = yield* textOf((all) => all)
  // As many as there are groups and paths.
  const parts = new Map<string, Served>()
  const served = Effect.fnUntraced(function* (key: string, part: (whole: Record<string, unknown>) => unknown) {
    const known = parts.get(key) ?? (yield* textOf(part))
    parts.set(key, known)
    return yield* known
  })

  return Effect.gen(function* () {
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const query = new URLSearchParams(url.split("?")[1] ?? "")
    const [group, path] = [query.get("group"), query.get("path")]
    if (group === null && path === null) return yield* whole
    const all = yield* document
    if (group !== null) {
      const groups = groupsOf(all)
      return groups.includes(group)
        ? yield* served(`group ${group}`, (each) => groupOf(each, group))
        : missing("group", groups)
    }
    const paths = Object.keys(all["paths"])
    return paths.includes(path!)
      ? yield* served(`path ${path!}`, (each) => pathOf(each, path!))
      : missing("path", paths)
  })
})

const missing = (called: string, known: ReadonlyArray<string>) =>
  HttpServerResponse.text(`There is no such ${called}. Use one of: ${known.join(", ")}\n`, { status: 404 })
