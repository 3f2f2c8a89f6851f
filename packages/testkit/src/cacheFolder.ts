/** Where templates, and what else is made once, are kept. They can be removed at any time. */
import { homedir } from "node:os"
import path from "node:path"

export const cacheFolder = (): string =>
  process.env["COFFER_TESTKIT_CACHE"] ??
  path.join(process.env["XDG_CACHE_HOME"] ?? path.join(homedir(), ".cache"), "coffer-testkit")
