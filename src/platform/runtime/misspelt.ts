/**
 * Environment variables that nothing reads and that look like a setting: `REDDIS_URL`. A wrong value stops the
 * start, but a wrong name would silently leave the default in force.
 */
import { env } from "node:process"
import { editDistance } from "@coffer/model/editDistance"
import { type Config, ConfigProvider, Effect } from "effect"
import type { BadSetting } from "./places.ts"
import { askForAll } from "./Settings.ts"

export interface Misspelt {
  readonly name: string
  /** The setting that is meant. */
  readonly setting: string
}

/** The names of all settings: the variables that are read in an empty environment. */
const names = Effect.gen(function* () {
  const found = new Set<string>()
  const nothing = ConfigProvider.make((path) =>
    Effect.sync(() => {
      found.add(path.join("_"))
      return undefined
    })
  )
  yield* Effect.provideService(askForAll, ConfigProvider.ConfigProvider, nothing)
  return found
})

/** `variables`: names of what is set. */
export const misspeltAmong = (
  variables: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Misspelt>, Config.ConfigError | BadSetting> =>
  Effect.map(names, (known) =>
    variables.flatMap((name) => {
      if (known.has(name)) return []
      const setting = [...known].find((each) => isNear(name, each))
      return setting === undefined ? [] : [{ name, setting }]
    })
  )

export const misspelt = Effect.suspend(() => misspeltAmong(Object.keys(env)))

export const textOf = ({ name, setting }: Misspelt) => `${name} is not a setting. Perhaps ${setting} was meant.`

/** Short names are near to those of other programs, such as HOME. */
const lengthMin = 8
/** From this length on, two typing errors are allowed. */
const lengthOfTwo = 12

const isNear = (name: string, setting: string): boolean => {
  const slipsMax = setting.length < lengthOfTwo ? 1 : 2
  return (
    setting.length >= lengthMin &&
    Math.abs(name.length - setting.length) <= slipsMax &&
    editDistance(name, setting, { swaps: true }) <= slipsMax
  )
}
