/** Checks of the guards of real money against insiders: anchors stored elsewhere, second operators, passkeys. */
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

/** A missing setting: only informative before real money. */
const unset = ({ isLive }: Live, observation: string, advice: string): Verdict =>
  isLive ? warning(observation, advice) : notApplicable(observation)

export const anchorsVerdict = (of: Live, { anchorFile }: Pick<Read, "anchorFile">): Verdict =>
  anchorFile !== undefined
    ? fine(`Anchors are written to ${anchorFile}.`)
    : unset(
        of,
        "ANCHOR_FILE is not set: anyone who can rewrite the ledger can rewrite its anchors too.",
        "Set ANCHOR_FILE to a file that is shipped to another machine."
      )

export const twoOperatorsVerdict = (of: Live, { twoOperators }: Pick<Read, "twoOperators">): Verdict =>
  needsTwo(twoOperators)
    ? fine("TWO_OPERATORS names actions that need two operators.")
    : unset(
        of,
        "TWO_OPERATORS is not set: a single operator can approve payouts and create live keys.",
        "Set TWO_OPERATORS to the actions that should need two operators, such as payouts:100000,live_keys."
      )

export const passkeysVerdict = (of: Live, { demandPasskeys }: Pick<SignInSettings, "demandPasskeys">): Verdict => {
  const { live, operators } = demandPasskeys
  if (live && operators) return fine("Operators and team members of live merchants need a passkey.")
  const without = live
    ? "operators"
    : operators
      ? "team members of live merchants"
      : "operators and team members of live merchants"
  return unset(
    of,
    `DEMAND_PASSKEYS does not cover ${without}: an email is enough to sign in.`,
    "Set DEMAND_PASSKEYS=operators,live."
  )
}
