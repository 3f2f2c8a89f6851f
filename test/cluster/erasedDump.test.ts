/**
 * The data that an installation still contains after a buyer was erased: a full dump of its database, its home, its
 * bucket and its log. None has the buyer's address, name or metadata. The dump is restored, and passes every check.
 */
import { readFileSync } from "node:fs"
import path from "node:path"
import { inflateRawSync, zstdDecompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { bodyOf } from "../../src/webhooks/events/eventBodies.ts"
import { said } from "../kit/Merchant.ts"
import { connect, eventually, launch, newHome } from "../kit/Process.ts"
import { commandRun } from "../kit/program/commandRun.ts"
import { bucket, bucketSettings } from "../kit/servers/Bucket.ts"
import {
  addressOf,
  app,
  leftOut,
  named,
  newServer,
  pg,
  postgresFolder,
  superuser
} from "../kit/servers/PostgresPair.ts"
import { operatorToken, secretKey } from "../kit/Service.ts"
import { echo, email, filesIn, found, wholeBuyer } from "../kit/stories/erasedBuyer.ts"

/** The bytes of a dump, and the compressed bodies of events and calls inside them. */
const textsOf = (dump: string): ReadonlyArray<string> => {
  const texts = [dump]
  for (const [, digits] of dump.matchAll(/\\\\x([0-9a-f]+)/g)) {
    const bytes = Buffer.from(digits!, "hex")
    texts.push(bytes.toString("latin1"))
    for (const opened of [
      () => bodyOf({ body: null, packed: bytes }),
      () => zstdDecompressSync(bytes).toString(),
      () => inflateRawSync(bytes).toString()
    ]) {
      texts.push(Option.getOrElse(Option.liftThrowable(opened)(), () => ""))
    }
  }
  return texts
}

describe.skipIf(leftOut)(named("an installation whose buyer was erased"), () => {
  it.live(
    "has no byte of the buyer in a whole dump, its home, its bucket or its log, and the copy passes each check",
    () =>
      Effect.gen(function* () {
        const folder = yield* postgresFolder
        const server = yield* newServer(folder, "first")
        const s3 = yield* bucket
        const home = yield* newHome
        const anchors = path.join(path.dirname(home), "anchors.txt")
        const shared = {
          MIGRATION_DATABASE_URL: addressOf([server], superuser),
          DATABASE_URL: addressOf([server], app),
          SECRET_KEY: secretKey,
          ANCHOR_FILE: anchors
        }
        const coffer = yield* launch({
          env: {
            ...shared,
            ...bucketSettings(s3.url),
            COFFER_HOME: home,
            OPERATOR_TOKEN: operatorToken,
            ALLOW_PRIVATE_WEBHOOKS: "true",
            ACCESS_LOG: "true"
          }
        })
        yield* coffer.ready
        const sql = yield* connect(addressOf([server], superuser))
        const merchant = yield* coffer.api.newMerchant()
        const rested = eventually(
          "mails, webhooks and the log of calls",
          Effect.map(
            sql<{ left: number; calls: number }>`select (select count(*) from mails where due_at is not null)::int4
              + (select count(*) from deliveries where status = 'pending')::int4 as left,
            (select count(*)::int4 from api_logs where merchant_id = ${merchant.merchantId}) as calls`,
            ([row]) => row!.left === 0 && row!.calls > 0
          )
        ).pipe(Effect.orDie)
        const { dispute_no, shop } = yield* wholeBuyer({ ...coffer, merchant }, yield* echo, rested)
        yield* said(shop.resolve(dispute_no, "lost"))
        yield* rested
        const dumped = Effect.fnUntraced(function* (name: string) {
          const file = path.join(folder, name)
          yield* pg("pg_dump", `--file=${file}`, addressOf([server], superuser))
          return { file, texts: textsOf(readFileSync(file, "latin1")) }
        })
        const everywhere = (texts: ReadonlyArray<string>) =>
          found([
            ...texts,
            ...filesIn(home),
            ...[...s3.objects].map(([name, bytes]) => `${name}: ${bytes.toString("latin1")}`),
            coffer.said.stdout,
            coffer.said.stderr
          ])
        yield* eventually(
          "the calls of the story in the log",
          Effect.map(dumped("before.sql"), ({ texts }) => found(texts.slice(1)).length > 3)
        )
        assert.strictEqual(s3.objects.size, 1)
        assert.isAbove(everywhere((yield* dumped("before.sql")).texts).length, 20)

        const { erasure_no } = yield* said(coffer.api.operator("POST", "/erasures", { email }))
        const read = said(coffer.api.operator("GET", `/erasures/${erasure_no}`))
        yield* eventually(
          "the erasure has ended",
          Effect.map(read, ({ status }) => status === "done")
        )
        yield* rested
        const after = yield* dumped("after.sql")
        assert.deepStrictEqual(everywhere(after.texts), [])
        assert.strictEqual(s3.objects.size, 0)
        assert.isNotEmpty(coffer.said.stdout)

        yield* audited(shared)
        const verified = yield* commandRun(["ledger", "verify"], {
          COFFER_BASE_URL: coffer.baseUrl,
          COFFER_KEY: merchant.sandboxKey
        })
        assert.strictEqual(verified.code, 0, verified.stdout + verified.stderr)
        const copy = yield* newServer(folder, "second")
        yield* pg("psql", "-v", "ON_ERROR_STOP=1", "-q", `--file=${after.file}`, addressOf([copy], superuser))
        yield* audited({ ...shared, DATABASE_URL: addressOf([copy], app) })
      })
  )
})

/** The auditor checks every law, every chain and every anchor of the database. */
const audited = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>) {
  const { code, stderr, stdout } = yield* commandRun(["audit"], env)
  assert.strictEqual(code, 0, stdout + stderr)
  assert.match(stdout, /no violations\n$/)
})
