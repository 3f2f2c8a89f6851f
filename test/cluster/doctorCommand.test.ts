/** `coffer doctor` as an operator runs it, and what a service with a live merchant prints at its start. */
import { existsSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { commandRun } from "../kit/program/commandRun.ts"
import { eventually, newHome, postgresRuns, run } from "../kit/Process.ts"
import { freshDatabase, operatorToken, secretKey, start } from "../kit/Service.ts"

const doctor = (env: Readonly<Record<string, string>>, ...flags: ReadonlyArray<string>) =>
  commandRun(["doctor", ...flags], env)

const secrets = { SECRET_KEY: secretKey, OPERATOR_TOKEN: operatorToken }

describe("coffer doctor", () => {
  it.live(
    "looks at a home that was never used, beside the service that runs on it, and at one that no service runs on",
    () =>
      Effect.gen(function* () {
        const home = yield* newHome
        const env = { COFFER_HOME: home }
        const unused = yield* doctor(env)
        assert.strictEqual(unused.code, 2)
        assert.match(unused.stdout, /^error +postgres +There is no database in /m)
        assert.isFalse(existsSync(home), "it makes nothing")

        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* run({ env })
            const beside = yield* doctor(env)
            assert.include([0, 1], beside.code, beside.stdout)
            assert.match(beside.stdout, /^ok +postgres +The embedded PostgreSQL/m)
            assert.match(beside.stdout, /^ok +connections +The service needs 1 × 22/m)
            assert.match(beside.stdout, /^not applicable +acquirer/m)
            // Colours are for terminals.
            assert.notInclude(beside.stdout, "\u001b")
          })
        )
        const alone = yield* doctor(env, "--live")
        assert.strictEqual(alone.code, 2, alone.stderr)
        assert.match(alone.stdout, /^error +postgres +The embedded PostgreSQL/m)
        assert.match(alone.stdout, /^error +public url/m)
        assert.isFalse(yield* postgresRuns(home), "what it started it stopped")
      })
  )

  it.live("answers as JSON, judges a database with a live merchant, and keeps secrets to itself", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const { api, merchant } = yield* start({ database })
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { approved: true })
      const production = {
        ...secrets,
        DATABASE_URL: database,
        COFFER_HOME: yield* newHome,
        PUBLIC_URL: "https://pay.example",
        SMTP_URL: "smtp://user:of-a-test@127.0.0.1:1"
      }
      const { code, stdout } = yield* doctor(production, "--json")
      const { findings, status } = JSON.parse(stdout)
      assert.deepStrictEqual([code, status], [2, "error"])
      const statusOf = (name: string) => findings.find((each: { name: string }) => each.name === name).status
      assert.deepStrictEqual(["public url", "proxies", "mail", "acquirer", "secret key"].map(statusOf), [
        "ok",
        "error",
        "error",
        "error",
        "ok"
      ])
      for (const secret of ["of-a-test", secretKey, operatorToken, new URL(database).password]) {
        assert.notInclude(stdout, secret)
      }
    })
  )

  it.live("tells a bad setting, and a database that does not answer, and ends within its limits", () =>
    Effect.gen(function* () {
      const away = { ...secrets, DATABASE_URL: "postgres://nobody:x@127.0.0.1:1/none", COFFER_HOME: yield* newHome }
      const { code, stdout } = yield* doctor({ ...away, OPERATOR_TOKEN: "short" })
      assert.strictEqual(code, 2)
      assert.match(stdout, /^error +settings +OPERATOR_TOKEN is too easy to guess/m)
      assert.match(stdout, /^error +postgres +PostgreSQL at 127.0.0.1:1, database "none", cannot be used/m)
      const odd = yield* doctor({ DATABASE_CONNECTIONS: "x" })
      assert.strictEqual(odd.code, 2)
      assert.match(odd.stderr, /^coffer: Invalid setting/)
    })
  )
})

describe("a service that starts", () => {
  it.live("says in its log what the doctor finds wrong where a merchant is live, and nothing where none is", () =>
    Effect.gen(function* () {
      const env = { ...secrets, DATABASE_URL: yield* freshDatabase, COFFER_HOME: yield* newHome }
      const merchantId = yield* Effect.scoped(
        Effect.gen(function* () {
          const quiet = yield* run({ env })
          const { merchantId } = yield* quiet.api.newMerchant()
          yield* quiet.api.operator("POST", `/merchants/${merchantId}`, { approved: true })
          assert.notInclude(quiet.said.stderr, "doctor:")
          return merchantId
        })
      )
      assert.isString(merchantId)
      const { said } = yield* run({ env })
      yield* eventually(
        "the doctor's findings",
        Effect.sync(() => said.stderr.includes("doctor: acquirer"))
      )
      const levels = said.stderr
        .split("\n")
        .filter((line) => line.includes("doctor: "))
        .map((line) => JSON.parse(line).level)
      assert.sameMembers([...new Set(levels)], ["ERROR", "WARN"])
      assert.include(said.stderr, "docs/doctor.md#public-url")
    })
  )
})
