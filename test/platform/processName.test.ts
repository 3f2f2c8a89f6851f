/** The name by which Postgres knows a process (packages/cluster/src/Tenancy.ts). */
import { hostname } from "node:os"
import { assert, it, vi } from "@effect/vitest"

const nameOfAnother = async () => {
  vi.resetModules()
  return (await import("@coffer/cluster/Tenancy")).processNameOf("coffer")
}

it("processes with one pid and host, as in containers, have two names, which Postgres keeps whole", async () => {
  const names = [await nameOfAnother(), await nameOfAnother()]
  assert.strictEqual(new Set(names).size, 2)
  for (const name of names) {
    assert.isTrue(name.startsWith(`coffer ${process.pid}@${hostname().slice(0, 30)}#`))
    assert.isBelow(name.length, 64)
  }
})
