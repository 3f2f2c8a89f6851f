/**
 * Mails about an occasion, with a process that dies at each step, and with two runners: each person gets one at most,
 * and only who died while sending it may have lost it (docs/decisions/0243).
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Life, live, type Point, type Side, timeOf } from "../../kit/faults/Crash.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { asRunner, freshDatabase, start } from "../../kit/Service.ts"
import { notifiedShop, toldOf } from "../../kit/stories/notified.ts"

it.live("a person is mailed once, whatever crashes: only who died while sending it may have lost it", () =>
  Effect.gen(function* () {
    const database = yield* freshDatabase
    const server = yield* mailServer()
    const env = { SMTP_URL: server.url, MAIL_FROM: "coffer@pay.example" }
    const begin = (begins: number) => live(database, begins, env, (name: string) => name.startsWith("Notifications."))
    let life: Life = yield* begin(0)
    const { join, dispute } = yield* notifiedShop(life.service, server)
    yield* join("fin", "finance")
    yield* life.service.pass("10 minutes")
    const copy = (number: string) => life.service.sql`insert into disputes select r.* from disputes d cross join lateral
      jsonb_populate_record(d, jsonb_build_object('dispute_no', ${number}::text, 'mode', 'live', 'next_check_at', null,
        'processor_dispute_id', ${number}::text, 'evidence_due_by', null)) as r where d.dispute_no = ${dispute}`
    const told = (number: string) => Effect.andThen(Effect.orDie(copy(number)), life.service.pass("10 minutes"))
    const { passed: steps } = yield* life.watch(told("dsp_calm"))
    assert.deepStrictEqual(
      steps.map(({ name }) => name),
      ["raise", "begin", "end"].map((name) => `Notifications.write(${name})`)
    )
    assert.lengthOf(toldOf(server, "dsp_calm"), 1)

    const crash = Effect.fnUntraced(function* (point: Point, side: Side) {
      const number = `dsp_${side}_${/\((\w+)\)/.exec(point.name)![1]}`
      const { died } = yield* life.watch(told(number), { ...point, side })
      assert.isTrue(died, number)
      yield* life.bury
      life = yield* begin(yield* timeOf(life.service))
      yield* life.service.pass("1 day")
      const rows = yield* life.service.sql<{ readonly status: string }>`select status from notification_mails
        join notifications using (notification_id) where object_id = ${number}`
      const [status, ...others] = rows.map((row) => row.status)
      assert.deepStrictEqual(others, [], number)
      const sent = toldOf(server, number).length
      const isLost = status === "unknown" && sent === 0
      assert.isTrue(
        isLost || (sent === 1 && (status === "sent" || status === "unknown")),
        `${number} ${status} ${sent}`
      )
    })
    for (const side of ["before", "after"] as const) for (const point of steps) yield* crash(point, side)
  })
)

it.live("two runners on one database mail each person once", () =>
  Effect.gen(function* () {
    const database = yield* freshDatabase
    const server = yield* mailServer()
    const env = { SMTP_URL: server.url, MAIL_FROM: "coffer@pay.example" }
    const one = yield* start({ database, env: { ...env, ...(yield* asRunner) } })
    yield* start({ database, env: { ...env, ...(yield* asRunner) } })
    const { join, liveDispute, sql } = yield* notifiedShop(one, server)
    const ada = yield* join("ada", "owner")
    const fin = yield* join("fin", "finance")
    for (let number = 0; number < 9; number++) yield* liveDispute(`dsp_of${number}.`)
    const open = sql`select from notifications where due_at < now() + interval '1 hour' union all
      select from notification_mails where due_at is not null`
    yield* Effect.repeat(open, { until: ({ length }) => length === 0 })
    for (let number = 0; number < 9; number++) {
      assert.deepStrictEqual(toldOf(server, `dsp_of${number}.`), [ada.email, fin.email])
    }
  }).pipe(Effect.scoped)
)
