/** The message to an operator when the embedded Postgres does not start, and the folders that root may start it for. */
import { assert, describe } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { once } from "node:events"
import fs from "node:fs"
import net from "node:net"
import { dirname, join } from "node:path"
import { FreePort, start } from "../../src/platform/embedded/EmbeddedPostgres.ts"
import { ask, coffer, inNewHome, inUsedHome, refusal, usesTemplate } from "../kit/servers/EmbeddedHome.ts"

usesTemplate()

const isRoot = process.getuid?.() === 0
const nobody = { uid: 65534, gid: 65534 }
/** In a checkout that only root may enter, no other user can run the program. */
const strangersMayRun = isRoot && spawnSync(process.execPath, ["--version"], nobody).status === 0

const succeeds = (command: string, words: ReadonlyArray<string>): boolean =>
  Exit.isSuccess(Effect.runSyncExit(Effect.try(() => execFileSync(command, words, { stdio: "ignore" }))))

describe("embedded Postgres: what the operator reads when it does not start", () => {
  const damages = [
    ["another major version", "PG_VERSION", "17\n", /FATAL: .*incompatible.*initialized by PostgreSQL version 17/],
    ["a damaged data directory", "global/pg_control", "", /(FATAL|PANIC): .*pg_control/],
    ["a setting it does not know", "postgresql.auto.conf", "colour = 'red'\n", /FATAL: configuration file .* errors/]
  ] as const
  for (const [what, file, content, said] of damages) {
    inUsedHome(`one line for ${what}, with Postgres' own words and where its log is`, function* (home) {
      fs.writeFileSync(join(home, "postgres", file), content)
      const message = yield* refusal(home)
      assert.match(message, said)
      assert.include(message, join(home, "postgres.log"))
      assert.notInclude(message, "\n")
    })
  }

  inNewHome("a home that is a file", function* (home) {
    fs.writeFileSync(home, "")
    assert.match(yield* refusal(home), /^\/\S+ can't be used as COFFER_HOME: EEXIST: file already exists.*COFFER_HOME/)
  })

  describe.runIf(!isRoot || strangersMayRun)("or has", () => {
    inNewHome("a home that may not be written", function* (home) {
      fs.mkdirSync(home, { mode: 0o555 })
      const { says } = yield* coffer(home, isRoot ? nobody : {})
      assert.include(yield* says, `${home} can't be used as COFFER_HOME: EACCES: permission denied`)
    })
  })

  inUsedHome("takes another port when the one it found is taken, but not for ever", function* (home) {
    const server = net.createServer().listen(0, "127.0.0.1")
    yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
    yield* Effect.promise(() => once(server, "listening"))
    const taken = Effect.succeed((server.address() as net.AddressInfo).port)
    let asked = 0
    const ports = (times: number) => Effect.suspend(() => (++asked <= times ? taken : FreePort.defaultValue()))
    yield* Effect.scoped(start({ home })).pipe(Effect.provideService(FreePort, ports(2)))
    assert.strictEqual(asked, 3)
    assert.include(yield* Effect.provideService(refusal(home), FreePort, ports(100)), "Address already in use")
    assert.strictEqual(asked, 3 + 5)
  })
})

describe.runIf(isRoot && process.platform === "linux")("embedded Postgres: started by root", () => {
  describe.runIf(strangersMayRun)("and", () => {
    inNewHome("by an ordinary user, who needs nothing of root", function* (home) {
      fs.mkdirSync(home)
      fs.chownSync(home, nobody.uid, nobody.gid)
      const { says } = yield* coffer(home, nobody)
      assert.strictEqual(yield* says, "ready")
      assert.strictEqual(fs.statSync(join(home, "postgres")).uid, nobody.uid)
    })
  })

  inNewHome("in a closed folder, which stays closed; or else it says which one is closed", function* (home) {
    const parent = dirname(home)
    fs.chmodSync(parent, 0o700)
    if (succeeds("setpriv", ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search", "true"])) {
      const { url } = yield* start({ home })
      assert.strictEqual(yield* ask(url, "SELECT 1"), 1)
    } else {
      assert.include(yield* refusal(home), `has no access to ${parent}. Move Coffer`)
    }
    assert.strictEqual(fs.statSync(parent).mode & 0o777, 0o700)
  })

  if (!succeeds("unshare", ["-m", "true"])) return
  inNewHome("on a disk without room it says so", function* (home) {
    fs.mkdirSync(home)
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=30m,mode=711", "coffer", home])
    yield* Effect.addFinalizer(() => Effect.sync(() => execFileSync("umount", [home])))
    assert.match(yield* refusal(home), /initdb failed: .* Only \d+ kB of disk space are free\. See its log at /)
  })
})
