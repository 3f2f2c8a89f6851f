/** The settings that a start would read from these variables, or why it would not start. */
import { ConfigProvider, Context, Effect, Layer } from "effect"
import * as DataDir from "../../../src/platform/runtime/DataDir.ts"
import * as Settings from "../../../src/platform/runtime/Settings.ts"
import * as Wiring from "../../../src/Wiring.ts"

export const settingsOf = (env: Readonly<Record<string, string>>) =>
  Effect.scoped(
    Layer.build(
      Settings.layer({ embedded: false }).pipe(
        Layer.provide(DataDir.layerReading("/nowhere")),
        Layer.provide(Wiring.platform),
        Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
      )
    )
  ).pipe(Effect.map(Context.get(Settings.Settings)))
