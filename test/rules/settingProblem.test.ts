/** A wrong setting is told by a sentence. */
import { assert, it } from "@effect/vitest"
import { settingProblem } from "../../src/platform/runtime/settingProblem.ts"

it.each([
  [
    'SchemaError(Expected a string representing a finite number at ["PORT"])',
    "PORT must be a port, a number from 1 to 65535, such as 8080."
  ],
  [
    'SchemaError(Expected a value between 1 and 65535 at ["ADMIN_PORT"])',
    "ADMIN_PORT must be a port, a number from 1 to 65535, such as 8080."
  ],
  [
    'SchemaError(Expected a value between 1 and 9 at ["DATABASE_CONNECTIONS"])',
    "DATABASE_CONNECTIONS must be from 1 to 9."
  ],
  ['SchemaError(Expected a string representing a finite number at ["KEEP"])', "KEEP must be a number."],
  ["something else", "Invalid setting: something else"]
] as const)("a setting that cannot be read says what it has to be: %s", (message, says) => {
  assert.strictEqual(settingProblem(message), says)
})
