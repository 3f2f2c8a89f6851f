/** Checks of what guards real money against its own people: anchors elsewhere, second operators, passkeys. */
import { needsTwo } from "@coffer/model/TwoOperators"
import { Effect } from "effect"
import { signInSettings, type SignInSettings } from "../../access/people/signInSettings.ts"
import type { Settings } from "../../platform/runtime/Settings.ts"
import { type Check, fine, notApplicable, type Verdict, warning } from "./Finding.ts"
import { type Installation, settingsOf } from "./Installation.ts"

type Read = Settings["Service"]
type Live = Pick<Installation, "isLive">

export const guardChecks = (installation: Installation): ReadonlyArray<Check> => {
  const settings = settingsOf(installation)
  return [
    { name: "anchors", look: Effect.map(settings, (read) => anchorsVerdict(installation, read)) },
    { name: "two operators", look: Effect.map(settings, (read) => twoOperatorsVerdict(installation, read)) },
    { name: "passkeys", look: Effect.map(settings, ({ of }) => passkeysVerdict(installation, of(signInSettings))) }
  ]
}

/** What is not set: of no weight before real money flows. */
const unset = ({ isLive }: Live, observation: string, advice: string): Verdict =>
  isLive ? warning(observation, advice) : notApplicable(observation)

export const anchorsVerdict = (of: Live, { anchorFile }: Pick<Read, "anchorFile">): Verdict =>
  anchorFile !== undefined
    ? fine(`Anchors are written to ${anchorFile}.`)
    : unset(
        of,
        "ANCHOR_FILE is not set: who can rewrite the ledger can rewrite its anchors too.",
        "Set ANCHOR_FILE to a file that is sent to another machine."
      )

export const twoOperatorsVerdict = (of: Live, { twoOperators }: Pick<Read, "twoOperators">): Verdict =>
  needsTwo(twoOperators)
    ? fine("TWO_OPERATORS names acts that need two operators.")
    : unset(
        of,
        "TWO_OPERATORS is not set: one operator alone approves payouts and makes live keys.",
        "Set TWO_OPERATORS to the acts that should need two, such as payouts:100000,live_keys."
      )

export const passkeysVerdict = (of: Live, { demandPasskeys }: Pick<SignInSettings, "demandPasskeys">): Verdict => {
  const { live, operators } = demandPasskeys
  if (live && operators) return fine("Operators and people of live merchants need a passkey.")
  const without = live ? "operators" : operators ? "people of live merchants" : "operators and people of live merchants"
  return unset(
    of,
    `DEMAND_PASSKEYS leaves out ${without}: a mail alone signs them in.`,
    "Set DEMAND_PASSKEYS=operators,live."
  )
}
