/** The settings of its merchant that a role may change in the console, beside what `consoleActs.ts` says. Pure. */
import type { PersonRole } from "@coffer/model/PersonRole"

type Fields = Readonly<Record<string, unknown>>

export interface SettingsPatch extends Fields {
  readonly live?: Fields | undefined
}

/** The sandbox, and where live events go: a developer may make live endpoints, too. */
const isDevelopers = (field: string): boolean => field.startsWith("sandbox") || field === "live.default_notify_url"

/** Whether a change needs a session that was opened a short time ago: it lets keys in, or locks them out. */
const isForFresh = (field: string): boolean => field === "live.ip_allowlist"

/** `time_zone`, `sandbox`, `live.ip_allowlist`. */
const fieldsIn = ({ live, ...own }: SettingsPatch): ReadonlyArray<string> => [
  ...Object.keys(own).filter((name) => own[name] !== undefined),
  ...Object.keys(live ?? {}).map((name) => `live.${name}`)
]

/** The first field that this role may not change; undefined if it may change all. */
export const forbiddenSetting = (role: PersonRole, patch: SettingsPatch): string | undefined =>
  role === "owner" ? undefined : fieldsIn(patch).find((field) => !(role === "developer" && isDevelopers(field)))

export const needsFreshSession = (patch: SettingsPatch): boolean => fieldsIn(patch).some(isForFresh)
