/**
 * Settings that a room defines beside the code that needs them (docs/decisions/0094). They are read and checked with
 * all others at the start, and by the doctor too, since a room that is wired has been loaded.
 */
import type { Config, Effect } from "effect"
import type { BadSetting } from "./places.ts"

export interface RoomSettings<out A> {
  /** Names of variables that are secrets, or hold one: a file may hold each (`secretFiles.ts`). */
  readonly secrets: ReadonlyArray<string>
  /** `publicUrl`: where buyers and merchants reach this service, without a slash at the end. */
  readonly read: (publicUrl: string) => Effect.Effect<A, Config.ConfigError | BadSetting>
}

const defined: Array<RoomSettings<unknown>> = []

export const roomSettings = <A>(definition: RoomSettings<A>): RoomSettings<A> => {
  defined.push(definition)
  return definition
}

/** Those of the rooms that this program has loaded. */
export const definedSettings = (): ReadonlyArray<RoomSettings<unknown>> => defined
