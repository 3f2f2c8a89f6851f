/** docker/Dockerfile, built by a real engine and started with the settings of compose.yaml. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Api } from "../kit/Api.ts"
import { merchantOf } from "../kit/Merchant.ts"
import { built, leftOut, membersOf } from "../kit/program/builtImage.ts"
import { signalAll } from "../kit/program/signalAll.ts"
import { eventually } from "../kit/Process.ts"
import { asOwner, freePort, freshDatabase, operatorToken, secretKey } from "../kit/Service.ts"
import { readYaml } from "../kit/texts/yaml.ts"

const { services } = readYaml("docker/compose.yaml")[0]

/** It installs all packages of npm and some of Debian. */
const buildMillisMax = 840_000

describe.skipIf(leftOut !== undefined)(leftOut === undefined ? "the image" : `the image (${leftOut})`, () => {
  it.live(
    "is built, migrates, serves a paid order as its own user, and is stopped",
    () =>
      Effect.gen(function* () {
        const image = yield* built
        const { Cmd, Entrypoint, User } = image.config
        assert.strictEqual(User, "10001:10001")
        const database = yield* freshDatabase
        const once = (words: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
          Effect.promise(async () => {
            const { ended, said } = image.run(words, env)
            return { code: await ended, text: said.text }
          })
        const migrated = yield* once([...Entrypoint, ...services.migrate.command], {
          ...services.migrate.environment,
          DATABASE_URL: database,
          MIGRATION_DATABASE_URL: asOwner(database)
        })
        assert.strictEqual(migrated.code, 0, migrated.text)

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
        const service = yield* Effect.acquireRelease(
          Effect.sync(() => image.run([...Entrypoint, ...Cmd], given)),
          ({ stop }) => Effect.promise(stop)
        )
        const [api, operators] = [port, admin].map((at) => new Api(`http://127.0.0.1:${at}`, operatorToken))
        yield* eventually(
          "the image to be ready",
          Effect.map(api!.get("/readyz"), ({ status }) => status === 200).pipe(
            Effect.catchCause(() => Effect.succeed(false))
          ),
          "1 minute"
        ).pipe(Effect.onError(() => Effect.sync(() => assert.fail(service.said.text))))
        assert.strictEqual((yield* once(image.health, given)).code, 0, service.said.text)

        const merchant = yield* operators!.newMerchant()
        const { status } = yield* merchantOf({ api: api!, merchant }).paid(1_000)
        assert.strictEqual(status, "paid")
        const served = membersOf(service.pid).filter(({ command }) => command.startsWith("/app/bin/node "))
        assert.deepStrictEqual([...new Set(served.map(({ user }) => user))], ["10001"])
        // Its user writes to the volume and to nothing else.
        const written = yield* once(["sh", "-c", "touch /data/files/a && ! touch /app/a /etc/a"], {})
        assert.strictEqual(written.code, 0, written.text)

        // The operator's commands, beside it, under the same flags of Node.
        const audit = yield* once([...Entrypoint, "audit"], given)
        assert.strictEqual(audit.code, 0, audit.text)
        const doctor = yield* once([...Entrypoint, "doctor", "--json"], given)
        const report = JSON.parse(/^\{[^]*^\}$/m.exec(doctor.text)?.[0] ?? doctor.text)
        const statuses = new Map(
          (report.findings as ReadonlyArray<{ name: string; status: string }>).map(({ name, status }) => [name, status])
        )
        for (const name of ["settings", "secret files", "postgres", "migrations", "clock", "disk", "node"]) {
          assert.include(["ok", "not applicable"], statuses.get(name), `${name}: ${doctor.text}`)
        }
        for (const { text } of [audit, doctor]) {
          assert.notMatch(text, /ERR_ACCESS_DENIED|was not granted|Access to this API/)
        }

        // As an engine does with the first process of a container, which here is not alone in its group.
        signalAll(
          served.map(({ pid }) => pid),
          "SIGTERM"
        )
        assert.strictEqual(yield* Effect.promise(() => service.ended), 0, service.said.text)
        assert.deepStrictEqual(membersOf(service.pid), [], service.said.text)
      }),
    buildMillisMax
  )
})
