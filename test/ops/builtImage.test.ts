/** docker/Dockerfile, built by a real engine and started with the settings of compose.yaml. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Api } from "../kit/Api.ts"
import { built, why } from "../kit/program/builtImage.ts"
import { eventually } from "../kit/Process.ts"
import { asOwner, freePort, freshDatabase, operatorToken, secretKey } from "../kit/Service.ts"
import { readYaml } from "../kit/texts/yaml.ts"

const { services } = readYaml("docker/compose.yaml")[0]

/** It installs all packages of npm and some of Debian. */
const buildMillisMax = 840_000

describe.skipIf(why !== undefined)(why === undefined ? "the image" : `the image (${why})`, () => {
  it.live(
    "is built, migrates, serves, answers /readyz and takes an order, as its own user",
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
        const { said } = yield* Effect.acquireRelease(
          Effect.sync(() => image.run([...Entrypoint, ...Cmd], given)),
          ({ stop }) => Effect.promise(stop)
        )
        const [merchants, operators] = [port, admin].map((at) => new Api(`http://127.0.0.1:${at}`, operatorToken))
        yield* eventually(
          "the image to be ready",
          Effect.map(merchants!.get("/readyz"), ({ status }) => status === 200).pipe(
            Effect.catchCause(() => Effect.succeed(false))
          )
        ).pipe(Effect.onError(() => Effect.sync(() => assert.fail(said.text))))
        assert.strictEqual((yield* once(image.health, given)).code, 0, said.text)

        const { sandboxKey } = yield* operators!.newMerchant()
        const { body, status } = yield* merchants!.post("/v1/orders", sandboxKey, { amount: 1000 })
        assert.deepStrictEqual([status, body.data.status], [201, "pending"], said.text)

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
      }),
    buildMillisMax
  )
})
