/** The unit for systemd starts the program in a way in which its signals arrive. */
import { existsSync, readFileSync } from "node:fs"
import path from "node:path"
import { assert, it } from "@effect/vitest"

const root = path.resolve(import.meta.dirname, "../..")
const unit = readFileSync(path.join(root, "ops/systemd/coffer.service"), "utf8")
const valueOf = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1]

it("the unit of systemd starts the program itself, reloads by SIGHUP, and ends PostgreSQL last", () => {
  const [node, program, ...words] = valueOf("ExecStart")!.split(" ")
  const folder = valueOf("WorkingDirectory")!
  assert.isTrue(existsSync(path.join(root, path.relative(folder, node!))))
  assert.isTrue(existsSync(path.join(root, program!)))
  assert.deepStrictEqual(words, ["serve", "--runners", "3"])
  assert.strictEqual(valueOf("ExecReload"), "/bin/kill -HUP $MAINPID")
  assert.strictEqual(valueOf("KillMode"), "mixed")
  // The stop of the parent is cut short after 20 s (src/supervise.ts).
  assert.isAbove(Number(valueOf("TimeoutStopSec")), 20)
})
