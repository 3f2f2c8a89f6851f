/** The application and the runner that tests of `@coffer/cluster` tell it of. */
import { ThisRunner } from "@coffer/cluster/ThisRunner"
import { Layer } from "effect"
import { shapes } from "../../../src/platform/cluster/messages.ts"

export const application = { application: "coffer", messages: shapes }

export const thisRunner = (options: Partial<ThisRunner["Service"]> = {}) =>
  Layer.succeed(ThisRunner, {
    ...application,
    version: "9.9.9",
    newestMigration: 0,
    process: "coffer 1@test",
    place: undefined,
    ...options
  })
