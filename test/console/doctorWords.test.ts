/** The doctor's report in Chinese: every sentence that its checks may write. */
import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { passkeysVerdict } from "../../src/door/doctor/guardChecks.ts"
import { connectionsVerdict } from "../../src/door/doctor/postgresChecks.ts"
import { checkName, doctorText } from "../../packages/console/src/operator/doctorWords.tsx"

const folder = path.resolve(import.meta.dirname, "../../src/door/doctor")
const sources = readdirSync(folder)
  .filter((name) => /[cC]hecks\.ts$|^disk\.ts$|^Finding\.ts$/.test(name))
  .map((name) => readFileSync(path.join(folder, name), "utf8"))

/** Literals of sentences, also those that are joined from two lines; each value in them is `7`. */
const sentences = sources.flatMap((source) =>
  Array.from(
    source.matchAll(/(["`])[A-Z$](?:(?!\1)[^\n])* (?:(?!\1)[^\n])*\1(?:\s*\+\s*(["`])(?:(?!\2)[^\n])*\2)*/g),
    ([literal]) =>
      literal
        .replaceAll(/["`]\s*\+\s*["`]/g, "")
        .slice(1, -1)
        .replaceAll(/\$\{(?:[^{}]|\{[^}]*\})*\}/g, "7")
  ).filter((text) => text.endsWith(".") && !text.startsWith("7"))
)

describe("the doctor's report in Chinese", () => {
  it("has each sentence of the checks, with its values", () => {
    assert.isAbove(sentences.length, 80)
    const isChinese = (text: string) => /\p{Script=Han}/u.test(doctorText(text, "zh"))
    // A value of these is itself words.
    const made = /^(DEMAND_PASSKEYS does not cover|The service needs) 7/
    assert.deepStrictEqual(
      sentences.filter((text) => !made.test(text) && !isChinese(text)),
      []
    )
    const written = [
      connectionsVerdict({ connections: 12 }, { limit: 97, others: 3, runners: 2 }),
      ...[false, true].flatMap((live) =>
        [false, true].map((operators) => passkeysVerdict({ isLive: true }, { demandPasskeys: { live, operators } }))
      )
    ].map(({ observation }) => observation)
    assert.deepStrictEqual(
      written.filter((text) => !isChinese(text)),
      []
    )
    assert.strictEqual(
      doctorText("7 of 9 live merchants have no account at an acquirer: their orders can't be paid.", "zh"),
      "7 个商户（正式商户共 9 个）未在收单渠道开户，其订单无法付款。"
    )
    assert.strictEqual(
      doctorText("The connection to db.example uses TLSv1.3 with a verified certificate.", "zh"),
      "到 db.example 的连接使用 TLSv1.3，证书已验证。"
    )
    assert.strictEqual(doctorText("Set the original one.", "en"), "Set the original one.")
  })

  it("has the name of each check", () => {
    const names = sources.flatMap((source) => Array.from(source.matchAll(/name: "([a-z ]+)"/g), ([, name]) => name!))
    assert.isAbove(names.length, 20)
    const same = names.filter((name) => checkName(name, "zh") === name)
    assert.deepStrictEqual(same, [])
  })
})
