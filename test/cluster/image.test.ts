/**
 * The image as its files say it is, without an engine: what the ignore file lets in is copied to an empty folder,
 * packages are installed there as the Dockerfile does, and the service runs from it as the image's user with compose.yaml's settings.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Api } from "../kit/Api.ts"
import * as Image from "../kit/program/image.ts"
import { eventually } from "../kit/Process.ts"
import { asOwner, freePort, freshDatabase, operatorToken, secretKey } from "../kit/Service.ts"
import { readYaml } from "../kit/texts/yaml.ts"

const isRoot = process.getuid?.() === 0
const { services } = readYaml("docker/compose.yaml")[0]

/** `/app` as the image has it, which its user cannot change, and `/data`, which is the user's own. */
const image = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(path.join(realpathSync(tmpdir()), "coffer-image-"))
    chmodSync(folder, 0o755)
    const [app, data] = [path.join(folder, "app"), path.join(folder, "data")]
    for (const each of [app, data, path.join(data, "files")]) mkdirSync(each)
    const stage = path.join(folder, "stage")
    mkdirSync(stage)
    Image.build(stage, app)
    rmSync(stage, { recursive: true, force: true })
    const started = Image.started(app, data)
    for (const each of [data, path.join(data, "files")]) {
      chmodSync(each, 0o700)
      if (isRoot) chownSync(each, started.uid, started.gid)
    }
    return { folder, app, ...started }
  }),
  ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)
type Image = Effect.Success<typeof image>

/** As compose.yaml runs a container: no capability, no way to more rights. Another user than root runs it as itself. */
const run = ({ app, env, gid, uid }: Image, words: ReadonlyArray<string>, given: Readonly<Record<string, string>>) => {
  const powerless = ["--reuid", uid, "--regid", gid, "--clear-groups", "--bounding-set=-all", "--no-new-privs"]
  const [program = "", ...rest] = isRoot ? ["setpriv", ...powerless.map(String), ...words] : words
  const child = spawn(program, rest, { cwd: app, env: { ...env, ...given }, stdio: ["ignore", "pipe", "pipe"] })
  const said = { text: "" }
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (said.text += text))
  }
  return { child, said, ended: once(child, "close").then(([code]) => code as number | null) }
}

const stopped = (child: ChildProcess, ended: Promise<unknown>) =>
  Effect.promise(() => {
    child.kill("SIGTERM")
    return ended
  })

describe("the image", () => {
  it.live("migrates, serves, answers /readyz and takes an order, as the user and with the settings that it has", () =>
    Effect.gen(function* () {
      const made = yield* image
      const database = yield* freshDatabase
      const ended = yield* Effect.promise(
        () =>
          run(made, [...made.entry, ...services.migrate.command], {
            ...services.migrate.environment,
            DATABASE_URL: database,
            MIGRATION_DATABASE_URL: asOwner(database)
          }).ended
      )
      assert.strictEqual(ended, 0)

      // The addresses are those of this machine. All else is what compose.yaml sets.
      const { REDIS_URL: _, ...composed } = services["runner-1"].environment
      const [port, admin, runner] = yield* Effect.all([freePort, freePort, freePort])
      const given = {
        ...composed,
        DATABASE_URL: database,
        SECRET_KEY: secretKey,
        OPERATOR_TOKEN: operatorToken,
        PORT: String(port),
        ADMIN_PORT: String(admin),
        RUNNER_PORT: String(runner),
        RUNNER_HOST: "127.0.0.1"
      }
      const { said } = yield* Effect.acquireRelease(
        Effect.sync(() => run(made, [...made.entry, ...made.command], given)),
        ({ child, ended }) => stopped(child, ended)
      )
      const healthy = Effect.promise(() => run(made, made.health, given).ended)
      yield* eventually(
        `the image to be healthy; it says: ${said.text}`,
        Effect.map(healthy, (code) => code === 0)
      ).pipe(Effect.onError(() => Effect.sync(() => assert.fail(said.text))))

      const [public_, operators] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${admin}`].map(
        (url) => new Api(url, operatorToken)
      )
      assert.strictEqual((yield* public_!.get("/readyz")).status, 200)
      const { sandboxKey } = yield* operators!.newMerchant()
      const { body, status } = yield* public_!.post("/v1/orders", sandboxKey, { amount: 1000 })
      assert.strictEqual(status, 201, said.text)
      assert.strictEqual(body.data.status, "pending")

      // The operator's commands, beside it, under the same flags of Node.
      const command = (...words: ReadonlyArray<string>) =>
        Effect.promise(async () => {
          const { ended, said } = run(made, [...made.entry, ...words], given)
          return { code: await ended, text: said.text }
        })
      const audit = yield* command("audit")
      assert.strictEqual(audit.code, 0, audit.text)
      const doctor = yield* command("doctor", "--json")
      const report = JSON.parse(/^\{[^]*^\}$/m.exec(doctor.text)?.[0] ?? doctor.text)
      const statuses = new Map(
        (report.findings as ReadonlyArray<{ name: string; status: string }>).map(({ name, status }) => [name, status])
      )
      for (const name of ["settings", "secret files", "postgres", "migrations", "clock", "disk", "node"]) {
        assert.include(["ok", "not applicable"], statuses.get(name), `${name}: ${doctor.text}`)
      }
      for (const { text } of [audit, doctor])
        assert.notMatch(text, /ERR_ACCESS_DENIED|was not granted|Access to this API/)
    })
  )
})
