/** The doctor's report for an operator: `GET /operator/v1/doctor` (docs/doctor.md). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { said as done } from "../../kit/Merchant.ts"
import { start } from "../../kit/Service.ts"

const secret = "a-part-of-a-secret-that-is-long-enough"

it.live("the doctor tells an operator what it finds, with what to do, and no secret", () =>
  Effect.gen(function* () {
    const { api } = yield* start({
      env: { BACKUP_DIR: "/nowhere/at/all", SMTP_URL: `smtp://me:${secret}@127.0.0.1:1` }
    })
    const { body, status, text } = yield* api.operator("GET", "/doctor")
    assert.strictEqual(status, 200, text)
    const report = body.data
    assert.strictEqual(report["object"], "doctor_report")
    assert.notInclude(text, secret)
    const names = report["findings"].map(({ name }: { name: string }) => name)
    assert.includeMembers(names, ["backups", "postgres", "migrations", "mail"])
    const backups = report["findings"].find(({ name }: { name: string }) => name === "backups")
    assert.strictEqual(backups.status, "warning")
    assert.isNotNull(backups.advice)
    assert.strictEqual(backups.docs, "docs/doctor.md#backups")
    assert.match(report["runner"], /^127\.0\.0\.1:\d+$|^localhost:\d+$/)
  })
)

it.live("ten who ask for the doctor's report at once get one and the same", () =>
  Effect.gen(function* () {
    const { api } = yield* start()
    const asked = Array.from({ length: 10 }, () => done(api.operator("GET", "/doctor")))
    const reports = yield* Effect.all(asked, { concurrency: "unbounded" })
    assert.lengthOf([...new Set(reports.map((report) => JSON.stringify(report)))], 1)
  })
)
