/** A COFFER_HOME in which a service has run and stopped. A copy takes a twentieth of the time of a first start. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import path from "node:path"
import { Effect } from "effect"
import { inject } from "vitest"
import { eventually, newHome, run } from "../Process.ts"

/** The workers of vitest share it: one makes it, the others wait. It goes with the Postgres of all tests. */
const template = Effect.suspend(() => {
  const folder = path.join(path.dirname(inject("postgresLog")), "used")
  const home = path.join(folder, "home")
  const ready = path.join(folder, "ready")
  if (existsSync(folder))
    return Effect.as(
      eventually(
        "a home that was used once",
        Effect.sync(() => existsSync(ready))
      ),
      home
    )
  mkdirSync(folder)
  return Effect.gen(function* () {
    const coffer = yield* run({ env: { COFFER_HOME: home } })
    coffer.signal("SIGTERM")
    yield* coffer.ended
    writeFileSync(ready, "")
    return home
  }).pipe(Effect.scoped)
})

/** With the demo merchant and its `credentials.json`. At the end no Postgres runs in it, and it is gone. */
export const usedHome = Effect.tap(newHome, (home) =>
  Effect.map(template, (used) => execFileSync("cp", ["-a", used, home]))
)
