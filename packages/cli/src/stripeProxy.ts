/** `STRIPE_PROXY` for the calls of a rehearsal, as the service takes it: Node opens a tunnel through that proxy. */
import { Config, Effect, Option, Redacted, Result } from "effect"
import { failed } from "./CliFailure.ts"

/** Until the scope ends, this process calls https addresses through the proxy, if one is set. */
export const throughProxy = Effect.gen(function* () {
  const setting = yield* Effect.orElseSucceed(Config.option(Config.Redacted("STRIPE_PROXY")), Option.none)
  if (Option.isNone(setting)) return
  const proxy = Redacted.value(setting.value)
  if (!isProxy(URL.parse(proxy))) {
    // The wrong value is not shown: it may contain the password.
    const next = "use the form http://user:password@proxy.example:3128; user and password are optional"
    return yield* failed("bad_proxy", "STRIPE_PROXY is not a valid proxy URL.", next, 2)
  }
  // Loaded here alone, as in `delivery.ts`.
  const http = yield* Effect.promise(() => import("node:http"))
  if (!("setGlobalProxyFromEnv" in http)) {
    return yield* failed(
      "no_proxy",
      "This Node version does not support STRIPE_PROXY.",
      "use Node 24.14 or later, which can send calls through a proxy",
      2
    )
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => http.setGlobalProxyFromEnv({ HTTPS_PROXY: proxy })),
    (restore) => Effect.sync(restore)
  )
})

const isProxy = (url: URL | null): boolean =>
  url?.protocol === "http:" &&
  `${url.pathname}${url.search}${url.hash}` === "/" &&
  [url.username, url.password].every((text) => Result.isSuccess(Result.try(() => decodeURIComponent(text))))
