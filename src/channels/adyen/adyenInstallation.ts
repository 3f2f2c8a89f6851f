/** Adyen's part of `coffer doctor`: whether its hosts can be reached. The settings are in `settings.ts`. */
import { Effect } from "effect"
import { type Check, errorIf, fine, notApplicable, type Verdict } from "../../door/doctor/Finding.ts"
import { type Installation, query, settingsOf } from "../../door/doctor/Installation.ts"
import { adyenChannel } from "./names.ts"
import { addressOf, adyenSettings, type Service } from "./settings.ts"

export const checks = (installation: Installation): ReadonlyArray<Check> => [
  { name: "adyen", look: lookAt(installation) }
]

const services: ReadonlyArray<Service> = ["checkout", "disputes"]

const lookAt = (installation: Installation) =>
  Effect.gen(function* () {
    const accounts = yield* query(
      installation,
      (sql) => sql<{ readonly mode: "live" | "sandbox"; readonly prefix: string | null }>`
        select mode, min(channel_accounts -> ${adyenChannel}::text -> 'own' ->> 'prefix') as prefix from merchant_modes
        where (channel_accounts -> ${adyenChannel}::text ->> 'isActive')::boolean group by mode`
    )
    if (accounts.length === 0) return notApplicable("No merchant has an Adyen account.")
    const settings = (yield* settingsOf(installation)).of(adyenSettings)
    const hosts = new Set(
      accounts.flatMap((account) => services.map((service) => new URL(addressOf(settings, service, account)).origin))
    )
    const silent = yield* Effect.filter([...hosts], (host) => Effect.map(answers(host), (does) => !does), {
      concurrency: "unbounded"
    })
    return adyenVerdict(installation, [...hosts], silent)
  })

const answerMillisMax = 4_000

/** Any answer shows that the host can be reached: no key is sent. */
const answers = (origin: string) =>
  Effect.tryPromise((interrupted) =>
    fetch(origin, {
      method: "HEAD",
      redirect: "manual",
      signal: AbortSignal.any([interrupted, AbortSignal.timeout(answerMillisMax)])
    })
  ).pipe(
    Effect.as(true),
    Effect.orElseSucceed(() => false)
  )

/** `silent`: hosts that gave no answer. */
export const adyenVerdict = (
  { isLive }: Pick<Installation, "isLive">,
  hosts: ReadonlyArray<string>,
  silent: ReadonlyArray<string>
): Verdict =>
  silent.length === 0
    ? fine(`Adyen answers at ${hosts.join(" and ")}.`)
    : errorIf(isLive)(
        `Adyen can't be reached at ${silent.join(" and ")}.`,
        `Allow this machine to reach ${silent.join(" and ")} at port 443.`
      )
