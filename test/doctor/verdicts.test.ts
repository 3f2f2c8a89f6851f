/** How the doctor judges what it sees: each finding provoked, as a table (docs/doctor.md). */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { diskVerdict } from "../../src/door/doctor/disk.ts"
import { checks } from "../../src/channels.ts"
import { checksOf, docsOf } from "../../src/door/doctor/doctor.ts"
import {
  type Check,
  checkMillisMax,
  error,
  examine,
  fine,
  type Verdict,
  warning
} from "../../src/door/doctor/Finding.ts"
import { anchorsVerdict, passkeysVerdict, twoOperatorsVerdict } from "../../src/door/doctor/guardChecks.ts"
import { backupsVerdict, evidenceVerdict, nodeVerdict, openFilesVerdict } from "../../src/door/doctor/hostChecks.ts"
import {
  acquirerVerdict,
  outboundVerdict,
  adminVerdict,
  proxiesVerdict,
  publicUrlVerdict,
  runnerVerdict
} from "../../src/door/doctor/networkChecks.ts"
import {
  clockVerdict,
  connectionsVerdict,
  laterVerdict,
  migrationsVerdict,
  postgresVerdict,
  retentionVerdict,
  roleVerdict,
  tlsVerdict
} from "../../src/door/doctor/postgresChecks.ts"
import { exitCodeOf, jsonOf, tableOf } from "../../src/door/doctor/report.ts"
import { filesVerdict, keyVerdict, passwordsVerdict, settingsVerdict } from "../../src/door/doctor/secretChecks.ts"
import { mailVerdict, openIdVerdict, redisVerdict } from "../../src/door/doctor/serviceChecks.ts"
import { adyenVerdict } from "../../src/channels/adyen/adyenInstallation.ts"
import { stripeVerdict, thinVerdict } from "../../src/channels/stripe/stripeInstallation.ts"
import "../../src/settingsOfRooms.ts"
import { misspeltAmong } from "../../src/platform/runtime/misspelt.ts"
import { newestMigration } from "../../src/platform/postgres/migrationSteps.ts"
import { installationWith, settingsWith } from "../kit/program/installation.ts"

const live = installationWith()
const quiet = installationWith({ isLive: false })

const url = (text: string) => Redacted.make(text)
const proxy = (publicUrl: string, trustedProxies: string, ...prefixes: ReadonlyArray<number>) =>
  proxiesVerdict(live, settingsWith({ publicUrl, trustedProxies }), prefixes)
const runnerAt = (host: string, listenHost: string, address: string | undefined) =>
  runnerVerdict({ host, listenHost, port: 9000, auth: "secret_key" }, { address, answers: true })
const adminAt = (of: typeof live, host: string | undefined) =>
  adminVerdict(of, settingsWith({ host: "127.0.0.1", admin: host === undefined ? undefined : { host, port: 9_090 } }))
const mailBy = (smtp: string | undefined, problem?: string, mailFrom = "receipts@pay.example") =>
  mailVerdict(live, { smtpUrl: smtp === undefined ? undefined : url(smtp), mailFrom, noOutbound: false }, problem)
const gigabytes = (bytes: number, of: number) => diskVerdict("/data", { bytes: bytes * 1e9, ofBytes: of * 1e9 })
const backupAged = (hours: number) =>
  backupsVerdict({ ...live, backups: "/backups" }, { file: "/backups/a.dump", millis: 0 }, hours * 3_600_000)
const day = {
  sql: "postgres://app:0123456789abcdef@db.example/coffer",
  weak: "postgres://app:secret@db.example/coffer"
}

const stripeBy = (proxy: string | undefined, ...troubles: Parameters<typeof stripeVerdict>[2]) =>
  stripeVerdict(
    live,
    { api: new URL("https://api.stripe.com"), proxy: proxy === undefined ? undefined : url(proxy) },
    troubles
  )
const viaProxy = "http://user:s3cret@proxy.example:3128"

const openIdBy = (problem: string | undefined) =>
  openIdVerdict(
    {
      noOutbound: false,
      openId: {
        issuer: new URL("https://id.example/realm"),
        clientId: "coffer",
        clientSecret: url("secret"),
        scopes: "openid",
        roleClaim: undefined,
        strong: [],
        roles: []
      }
    },
    problem
  )

const filesAt = (host: string | undefined, looked: number, missing: number, bucket?: string) =>
  evidenceVerdict(live, host === undefined ? undefined : { host, listenHost: host, port: 9000, auth: "secret_key" }, {
    bucket,
    looked,
    missing
  })
const passkeysFor = (operators: boolean, live: boolean) =>
  passkeysVerdict({ isLive: true }, { demandPasskeys: { operators, live } })

type Row = readonly [check: string, verdict: Verdict, status: Verdict["status"], seen: RegExp]

const rows: ReadonlyArray<Row> = [
  ["settings", settingsVerdict([]), "ok", /All settings are valid/],
  [
    "settings",
    settingsVerdict([{ name: "REDDIS_URL", setting: "REDIS_URL" }]),
    "warning",
    /^REDDIS_URL is not a setting\. Perhaps REDIS_URL was meant\.$/
  ],
  ["secrets", passwordsVerdict(live, { DATABASE_URL: url(day.sql) }), "ok", /No password/],
  ["secrets", passwordsVerdict(live, { DATABASE_URL: url(day.weak) }), "error", /in DATABASE_URL is easy to guess/],
  ["secrets", passwordsVerdict(quiet, { REDIS_URL: url(day.weak) }), "warning", /in REDIS_URL is easy/],
  ["secret key", keyVerdict(undefined), "ok", /no SECRET_KEY yet/],
  ["secret key", keyVerdict(true), "ok", /uses this SECRET_KEY/],
  ["secret key", keyVerdict(false), "error", /not the one/],
  ["secret files", filesVerdict(live, []), "ok", /owner only/],
  ["secret files", filesVerdict(live, ["secret.key"]), "error", /can read secret.key in/],
  ["anchors", anchorsVerdict(live, settingsWith()), "ok", /written to \/anchors\/heads\.jsonl/],
  ["anchors", anchorsVerdict(live, { anchorFile: undefined }), "warning", /ANCHOR_FILE is not set/],
  ["anchors", anchorsVerdict(quiet, { anchorFile: undefined }), "not applicable", /ANCHOR_FILE is not set/],
  ["two operators", twoOperatorsVerdict(live, { twoOperators: { payoutsAbove: 0 } }), "ok", /need two/],
  ["two operators", twoOperatorsVerdict(live, { twoOperators: {} }), "warning", /TWO_OPERATORS is not set/],
  ["two operators", twoOperatorsVerdict(quiet, { twoOperators: {} }), "not applicable", /is not set/],
  ["passkeys", passkeysFor(true, true), "ok", /need a passkey/],
  ["passkeys", passkeysFor(true, false), "warning", /does not cover team members of live merchants: /],
  ["passkeys", passkeysFor(false, true), "warning", /does not cover operators: /],
  ["passkeys", passkeysFor(false, false), "warning", /does not cover operators and team members of live merchants: /],
  ["postgres", postgresVerdict(live, "18.4 (Debian)"), "ok", /18\.4 .*answers/],
  ["postgres", postgresVerdict(live, "13.9"), "error", /too old/],
  ["postgres", postgresVerdict({ ...live, embedded: true }, "18.4"), "error", /embedded/],
  ["postgres", postgresVerdict({ ...quiet, embedded: true }, "18.4"), "ok", /embedded/],
  ["migrations", migrationsVerdict(newestMigration, false), "ok", /migration/],
  ["migrations", migrationsVerdict(newestMigration - 1, true), "warning", /and this program expects/],
  ["migrations", migrationsVerdict(newestMigration + 1, true), "error", /and this program expects/],
  ["migrations", migrationsVerdict(newestMigration + 1, true, true), "warning", /It works with both/],
  [
    "migrations",
    laterVerdict(["5 of some 10 rows of orders are filled"]),
    "warning",
    /not complete: 5 of some 10 rows/
  ],
  ["postgres role", roleVerdict(live, undefined), "ok", /can't change or truncate/],
  ["postgres role", roleVerdict(live, '"app" is a superuser'), "error", /"app" is a superuser/],
  ["postgres role", roleVerdict(quiet, '"app" is a superuser'), "warning", /can change the ledger/],
  ["postgres tls", tlsVerdict(live, { host: "127.0.0.1", version: null, mode: null }), "ok", /stays on this machine/],
  ["postgres tls", tlsVerdict(live, { host: "/run/postgresql", version: null, mode: null }), "ok", /stays on/],
  ["postgres tls", tlsVerdict(live, { host: "db.example", version: "TLSv1.3", mode: "require" }), "ok", /TLSv1.3/],
  [
    "postgres tls",
    tlsVerdict(live, { host: "db.example", version: "TLSv1.3", mode: "prefer" }),
    "warning",
    /fall back to none/
  ],
  ["postgres tls", tlsVerdict(live, { host: "db.example", version: null, mode: null }), "error", /is not encrypted/],
  ["postgres tls", tlsVerdict(quiet, { host: "db.example", version: null, mode: null }), "warning", /is not encrypted/],
  ["clock", clockVerdict(-0.3), "ok", /less than 1 s/],
  ["clock", clockVerdict(-31), "warning", /31 s apart/],
  ["clock", clockVerdict(301), "error", /301 s apart/],
  ["connections", connectionsVerdict(live, { limit: 97, runners: 2, others: 3 }), "ok", /2 × 22/],
  ["connections", connectionsVerdict(live, { limit: 97, runners: 4, others: 3 }), "warning", /4 × 22/],
  ["connections", connectionsVerdict(live, { limit: 97, runners: 5, others: 3 }), "error", /5 × 22/],
  ["disk", gigabytes(80, 200), "ok", /80\.0 GB of 200\.0 GB are free at \/data/],
  ["disk", gigabytes(4, 20), "warning", /4\.0 GB/],
  ["disk", gigabytes(80, 2_000), "warning", /80\.0 GB of 2000/],
  ["disk", gigabytes(0.4, 20), "error", /400 MB/],
  ["public url", publicUrlVerdict(live, settingsWith()), "ok", /https:\/\/pay\.example/],
  [
    "public url",
    publicUrlVerdict(live, settingsWith({ publicUrl: "http://pay.example" })),
    "error",
    /unencrypted page/
  ],
  [
    "public url",
    publicUrlVerdict(quiet, settingsWith({ publicUrl: "http://pay.example" })),
    "warning",
    /unencrypted page/
  ],
  ["public url", publicUrlVerdict(quiet, settingsWith({ publicUrl: "http://127.0.0.1:8080" })), "ok", /this machine/],
  [
    "public url",
    publicUrlVerdict(quiet, settingsWith({ publicUrl: "http://127.0.0.1:6000" })),
    "error",
    /block port 6000/
  ],
  ["retention", retentionVerdict([{ kind: "mails", kept: undefined, oldest: 4_000 }]), "ok", /mails forever/],
  ["retention", retentionVerdict([{ kind: "answers", kept: 1, oldest: 1.5 }]), "ok", /answers for a day/],
  ["retention", retentionVerdict([{ kind: "API logs", kept: 30, oldest: 33 }]), "warning", /API logs is 33 days old/],
  ["retention", retentionVerdict([{ kind: "mails", kept: 40, oldest: 41 }]), "ok", /mails for 40 days/],
  ["retention", retentionVerdict([{ kind: "mails", kept: 40, oldest: 43.5 }]), "warning", /is 43 days old.* for 40/],
  ["admin port", adminAt(live, "127.0.0.1"), "ok", /127\.0\.0\.1:9090, on this machine/],
  ["admin port", adminAt(live, "0.0.0.0"), "warning", /0\.0\.0\.0:9090, unencrypted/],
  ["admin port", adminAt(live, undefined), "warning", /public port/],
  ["admin port", adminAt(quiet, undefined), "ok", /one port, on this machine/],
  ["proxies", proxy("https://pay.example", "10.0.0.1", 32), "ok", /10\.0\.0\.1/],
  ["proxies", proxy("https://pay.example", ""), "error", /is not set/],
  ["proxies", proxy("https://pay.example", "0.0.0.0/0", 0), "error", /every address/],
  ["proxies", proxy("http://pay.example", ""), "ok", /without a proxy/],
  ["runner port", runnerAt("127.0.0.1", "127.0.0.1", "127.0.0.1"), "ok", /Other machines can't/],
  [
    "runner port",
    runnerAt("10.1.2.3", "0.0.0.0", "10.1.2.3"),
    "ok",
    /10\.1\.2\.3:9000, .* at 0\.0\.0\.0, .*SECRET_KEY/
  ],
  ["runner port", runnerAt("runner-1", "runner-1", undefined), "error", /runner-1 can't be resolved/],
  ["outbound", outboundVerdict(settingsWith()), "ok", /are enabled/],
  ["outbound", outboundVerdict(settingsWith({ noOutbound: true })), "warning", /NO_OUTBOUND is set/],
  [
    "stripe",
    stripeBy(undefined, undefined, undefined),
    "ok",
    /^Stripe answers at api.stripe.com and files.stripe.com\.$/
  ],
  ["adyen", adyenVerdict(live, ["https://a.example"], ["https://a.example"]), "error", /can't be reached at https/],
  ["stripe", stripeBy(viaProxy, undefined, undefined), "ok", /, through STRIPE_PROXY at proxy.example:3128\.$/],
  [
    "stripe",
    stripeBy(undefined, undefined, { isProxys: false, detail: "ECONNREFUSED" }),
    "error",
    /^Stripe can't be reached at files.stripe.com: ECONNREFUSED/
  ],
  [
    "stripe",
    stripeBy(viaProxy, undefined, { isProxys: true, detail: "it answered CONNECT with 403" }),
    "error",
    /^STRIPE_PROXY at proxy.example:3128 opens no connection to files.stripe.com: it answered CONNECT with 403/
  ],
  ["stripe webhooks", thinVerdict({ accounts: 0, first: null }), "ok", /No Stripe event destination/],
  ["stripe webhooks", thinVerdict({ accounts: 2, first: "mer_1/live" }), "warning", /of 2 accounts \(mer_1\/live\)/],
  ["acquirer", acquirerVerdict(undefined), "not applicable", /No merchant/],
  ["acquirer", acquirerVerdict({ approved: 2, payable: 0, accounts: 0 }), "error", /live orders can't be paid/],
  ["acquirer", acquirerVerdict({ approved: 3, payable: 2, accounts: 2 }), "warning", /1 of 3 live merchants have no/],
  ["acquirer", acquirerVerdict({ approved: 1, payable: 1, accounts: 2 }), "ok", /has an active account/],
  ["acquirer", acquirerVerdict({ approved: 0, payable: 0, accounts: 1 }), "ok", /has an active account/],
  ["redis", redisVerdict(live, new URL("rediss://cache.example"), undefined), "ok", /over TLS/],
  ["redis", redisVerdict(live, new URL("redis://localhost:6379"), undefined), "ok", /on this machine/],
  ["redis", redisVerdict(live, new URL("redis://cache.example"), undefined), "error", /not encrypted/],
  ["redis", redisVerdict(quiet, new URL("redis://cache.example"), "refused"), "error", /is not responding: refused/],
  ["mail", mailBy(undefined), "warning", /written to files/],
  [
    "mail",
    mailVerdict(
      live,
      { noOutbound: true, smtpUrl: url("smtps://u:p@mail.example"), mailFrom: "a@pay.example" },
      undefined
    ),
    "not applicable",
    /was not checked/
  ],
  ["mail", mailBy("smtps://u:p@mail.example"), "ok", /accepts emails/],
  ["mail", mailBy("smtp://u:p@mail.example:587?requireTLS=true"), "ok", /accepts emails/],
  ["mail", mailBy("smtp://u:p@mail.example:587"), "warning", /sent unencrypted/],
  ["mail", mailBy("smtps://u:p@mail.example", "bad login"), "error", /can't be used: bad login/],
  ["mail", mailBy("smtps://u:p@mail.example", undefined, "receipts@127.0.0.1"), "warning", /receivers will reject/],
  ["openid", openIdBy(undefined), "ok", /at id.example matches OPENID_ISSUER/],
  ["openid", openIdBy("unexpected issuer."), "error", /can't be used: unexpected issuer\.$/],
  [
    "openid",
    openIdVerdict({ noOutbound: false, openId: undefined }, undefined),
    "not applicable",
    /with email links and passkeys/
  ],
  ["node", nodeVerdict(process.versions.node), "ok", /tested version/],
  ["node", nodeVerdict("20.20.2"), "warning", /Node 20\.20\.2 is running/],
  ["open files", openFilesVerdict(live, { max: undefined, needed: 11_396 }), "not applicable", /does not report/],
  ["open files", openFilesVerdict(live, { max: 65_536, needed: 11_396 }), "ok", /65536 files, .* 11396/],
  ["open files", openFilesVerdict(live, { max: Infinity, needed: 11_396 }), "ok", /any number/],
  ["open files", openFilesVerdict(live, { max: 4_096, needed: 11_396 }), "error", /4096 files, .* 11396/],
  ["open files", openFilesVerdict(quiet, { max: 4_096, needed: 11_396 }), "warning", /4096 files/],
  ["evidence", filesAt("10.1.2.3", 0, 0, "evidence"), "ok", /in the bucket evidence/],
  ["evidence", filesAt(undefined, 0, 0), "ok", /in \/nowhere\/files/],
  ["evidence", filesAt("127.0.0.1", 0, 0), "ok", /in \/nowhere\/files/],
  ["evidence", filesAt("10.1.2.3", 0, 0), "warning", /may not share/],
  ["evidence", filesAt("10.1.2.3", 3, 0), "ok", /in \/nowhere\/files/],
  ["evidence", filesAt("127.0.0.1", 3, 2), "error", /2 of the 3 newest evidence files are missing in \/nowhere/],
  ["backups", backupAged(25), "ok", /25 hours old/],
  ["backups", backupAged(27), "error", /27 hours old/],
  ["backups", backupsVerdict({ isLive: true, backups: "/backups" }, undefined), "error", /no files in \/backups/],
  ["backups", backupsVerdict({ isLive: true, backups: undefined }, undefined), "warning", /BACKUP_DIR is not set/],
  ["backups", backupsVerdict({ isLive: false, backups: undefined }, undefined), "not applicable", /is not set/]
]

describe("the doctor", () => {
  it("sends a role that may not migrate to the owner's address", () => {
    assert.match(migrationsVerdict(newestMigration - 1, true).advice!, /Start coffer serve, which migrates/)
    assert.match(migrationsVerdict(newestMigration - 1, false).advice!, /coffer migrate.*MIGRATION_DATABASE_URL/)
  })

  for (const [check, verdict, status, seen] of rows) {
    it(`finds ${status} of ${check}: ${verdict.observation}`, () => {
      assert.strictEqual(verdict.status, status)
      assert.match(verdict.observation, seen)
      assert.strictEqual(verdict.advice === null, status === "ok" || status === "not applicable", "what to do")
      for (const text of [verdict.observation, verdict.advice ?? "None."]) assert.match(text, /^[A-Z\d].*[.]$/)
    })
  }

  it("has a section in docs/doctor.md for each check, and each check is provoked by a test", () => {
    const names = checksOf(live, checks).map(({ name }) => name)
    const docs = readFileSync("docs/doctor.md", "utf8")
    const headings = [...docs.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading)
    assert.deepStrictEqual(headings, names)
    // The disk of Postgres is looked at in checks.test.ts.
    const provoked = new Set(rows.filter(([, { advice }]) => advice !== null).map(([check]) => check))
    assert.deepStrictEqual(
      names.filter((name) => !provoked.has(name)),
      ["postgres disk"]
    )
  })
})

describe("a misspelt setting", () => {
  const table = readFileSync("docs/settings.md", "utf8")
  const told = [...table.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell]) => cell!.match(/[A-Z][A-Z0-9_]+/g)!)
  const settingOf = (name: string) => Effect.map(misspeltAmong([name]), ([first]) => first?.setting)

  it.effect("is named with the one that is meant", () =>
    Effect.gen(function* () {
      for (const [name, meant] of [
        ["REDDIS_URL", "REDIS_URL"],
        ["REDSI_URL", "REDIS_URL"],
        ["SMPT_URL", "SMTP_URL"],
        ["ANCHORFILE", "ANCHOR_FILE"],
        ["DEMAND_PASKEY", "DEMAND_PASSKEYS"],
        ["STRIPE_CALL_LIVE", "STRIPE_CALLS_LIVE"],
        ["SECRETKEY_FILE", "SECRET_KEY_FILE"]
      ] as const) {
        assert.strictEqual(yield* settingOf(name), meant, name)
      }
    })
  )

  it.effect("is none of docs/settings.md, and none of other programs", () =>
    Effect.gen(function* () {
      assert.isAbove(told.length, 60)
      const others =
        "HOME PATH POST HTTP_PROXY HTTPS_PROXY NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_ENV HOSTNAME PGHOST PGPORT TZ " +
        "REDIS_HOST REDIS_PORT REDIS_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_PORT_443_TCP LOGNAME SHELL EDITOR " +
        "POD_NAME POD_NAMESPACE OTEL_EXPORTER_OTLP_TIMEOUT OTEL_EXPORTER_OTLP_PROTOCOL OTEL_TRACES_SAMPLER " +
        "MAIL MANPATH XDG_RUNTIME_DIR RUNNER_OS RUNNER_TEMP RUNNER_TOOL_CACHE RUNNER_ARCH AWS_SECRET_ACCESS_KEY"
      assert.deepStrictEqual(yield* misspeltAmong([...told, ...others.split(" ")]), [])
      // Each of the table is known, so a slip in it is noticed.
      for (const name of told.filter(({ length }) => length >= 8)) {
        assert.strictEqual(yield* settingOf(`${name.slice(0, 3)}X${name.slice(3)}`), name)
      }
    })
  )
})

const named = (name: string, verdict: Verdict): Check => ({ name, look: Effect.succeed(verdict) })

describe("its report", () => {
  it.live("is a table of aligned columns, JSON, and an exit code by the worst", () =>
    Effect.gen(function* () {
      const well = yield* examine([named("one", fine("All is well.")), named("number two", fine("That too."))])
      const warned = yield* examine([named("one", fine("All is well.")), named("two", warning("It is odd.", "Look."))])
      const wrong = yield* examine([
        named("one", warning("Odd.", "Look.")),
        named("two", error("It is off.", "Mend it."))
      ])
      assert.deepStrictEqual([well, warned, wrong].map(exitCodeOf), [0, 1, 2])
      assert.strictEqual(
        tableOf(warned, (_, text) => text),
        [
          "STATUS          CHECK  SEEN",
          "ok              one    All is well.",
          "warning         two    It is odd.",
          "                       Do: Look. (docs/doctor.md#two)",
          "",
          "0 error, 1 warning, 1 ok, 0 not applicable"
        ].join("\n")
      )
      const { findings, status } = jsonOf(wrong)
      assert.strictEqual(status, "error")
      const seen = { name: "two", status: "error", seen: "It is off.", advice: "Mend it.", docs: "docs/doctor.md#two" }
      assert.deepStrictEqual(findings[1], seen as never)
      assert.strictEqual(docsOf({ name: "postgres tls" }), "docs/doctor.md#postgres-tls")
    })
  )

  it.live("says why a check could not be made, also when its answer never comes, and goes on with the others", () =>
    Effect.gen(function* () {
      const findings = yield* examine([
        { name: "hangs", look: Effect.never },
        { name: "breaks", look: Effect.die(new Error("a mistake")) },
        named("goes on", fine("All is well."))
      ])
      const [hangs, breaks, goesOn] = findings
      assert.deepInclude(hangs!, {
        status: "warning",
        observation: `This could not be checked: no response within ${checkMillisMax / 1_000} s.`
      })
      assert.match(breaks!.observation, /could not be checked: Error: a mistake/)
      assert.strictEqual(goesOn!.status, "ok")
    })
  )
})
