/** The files for a Postgres that fails over (docs/failover.md) hold together: their names, ports and times. */
import { readFileSync } from "node:fs"
import path from "node:path"
import { assert, it } from "@effect/vitest"
import { connectionsMin } from "../../src/platform/runtime/Settings.ts"

const root = path.resolve(import.meta.dirname, "../..")
const patroni = readFileSync(path.join(root, "ops/patroni/patroni.yml"), "utf8")
const haproxy = readFileSync(path.join(root, "ops/patroni/haproxy.cfg"), "utf8")
const numberOf = (name: string) => Number(new RegExp(`^ *${name}: (\\d+)`, "m").exec(patroni)?.[1])

it("a lease of Patroni lasts for as long as it asks etcd, and a lost primary is replaced within six seconds", () => {
  assert.isAtLeast(numberOf("ttl"), numberOf("loop_wait") + 2 * numberOf("retry_timeout"))
  assert.isAtMost(numberOf("ttl") + numberOf("loop_wait"), 6)
})

it("Patroni promotes only a synchronous standby, and Postgres has connections for several runners", () => {
  assert.match(patroni, /^ {4}synchronous_mode: true$/m)
  assert.isAtLeast(numberOf("max_connections"), 3 * connectionsMin)
})

it("HAProxy asks Patroni at its port, and closes connections to a primary that is one no longer", () => {
  const [, port] = /^ {2}listen: 0\.0\.0\.0:(\d+)$/m.exec(patroni)!
  const servers = haproxy.match(/^ {2}server .*$/gm)!
  assert.lengthOf(servers, 4)
  for (const server of servers) assert.match(server, new RegExp(`pg-[12]:5432 check port ${port}$`))
  assert.strictEqual(haproxy.match(/on-marked-down shutdown-sessions$/gm)?.length, 2)
})
