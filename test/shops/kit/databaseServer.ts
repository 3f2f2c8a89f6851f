/** The embedded PostgreSQL for a shop that needs one. */
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { Effect, Exit, Redacted, Scope } from "effect"
import { hasty } from "../../../packages/testkit/src/migratedHome.ts"
import * as EmbeddedPostgres from "../../../src/platform/embedded/EmbeddedPostgres.ts"
import { chmodSync, rmSync } from "node:fs"

export const startDatabaseServer = async (): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> => {
  const scope = Effect.runSync(Scope.make())
  const home = await mkdtemp(path.join(tmpdir(), "shop-database-"))
  // PostgreSQL runs as another user than root.
  chmodSync(home, 0o755)
  const started = EmbeddedPostgres.start({ home, flags: hasty })
  const { url } = await Effect.runPromise(Scope.provide(started, scope))
  return {
    url: Redacted.value(url),
    stop: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      rmSync(home, { recursive: true, force: true })
    }
  }
}
