/** An installation for the doctor: one in which all is well, but for what a test changes. */
import { Effect, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import type { StripeSettings } from "../../../src/channels/stripe/stripeInstallation.ts"
import type { MailSettings } from "../../../src/shared/mail/mailSettings.ts"
import type { SignInSettings } from "../../../src/access/people/signInSettings.ts"
import { Unmade } from "../../../src/door/doctor/Finding.ts"
import type { Installation } from "../../../src/door/doctor/Installation.ts"
import type { Settings } from "../../../src/platform/runtime/Settings.ts"
import { secretKey } from "../Service.ts"

type Read = Settings["Service"]

/** Settings that rooms define for the doctor: those of Stripe, of mails and of signing in. */
export const roomsWith = (changes: Partial<StripeSettings & MailSettings & SignInSettings> = {}): Pick<Read, "of"> => {
  const mail = { smtpUrl: undefined, mailFrom: "receipts@pay.example" }
  const stripe = { api: new URL("https://api.stripe.com"), proxy: undefined }
  const signIn = { demandPasskeys: { operators: true, live: true } }
  return { of: () => ({ ...mail, ...stripe, ...signIn, ...changes }) as never }
}

/** The settings that the checks read. */
export const settingsWith = (changes: Partial<Read> = {}) =>
  ({
    publicUrl: "https://pay.example",
    host: "0.0.0.0",
    admin: { host: "127.0.0.1", port: 8081 },
    secretKey: Redacted.make(secretKey),
    trustedProxies: "10.0.0.1",
    clientConnections: 10_000,
    anchorFile: "/anchors/heads.jsonl",
    twoOperators: { liveKeys: true },
    runner: undefined,
    redisUrl: undefined,
    noOutbound: false,
    ...roomsWith(),
    ...changes
  }) as Read

const absent = Effect.fail(new Unmade({ reason: "there is no database in this test" }))

export interface Changes extends Partial<Omit<Installation, "settings" | "database" | "url">> {
  readonly settings?: Partial<Read>
  readonly sql?: SqlClient.SqlClient
  readonly url?: string
}

export const installationWith = ({ settings, sql, url, ...changes }: Changes = {}): Installation => ({
  home: "/nowhere",
  embedded: false,
  connections: 20,
  backups: undefined,
  url: url === undefined ? absent : Effect.succeed(Redacted.make(url)),
  settings: Effect.succeed(settingsWith(settings)),
  database: sql === undefined ? absent : Effect.succeed(sql),
  isLive: true,
  ...changes
})
