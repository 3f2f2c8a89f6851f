/** The content of the image: held to the files of the repository. `test/cluster/image.test.ts` runs it. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Image from "../kit/program/image.ts"
import { importedBy, specifiersOf } from "../kit/texts/imports.ts"

const { dockerfile } = Image

/** All files that a program may load, by what it imports at once and later. */
const reachedFrom = (program: string): ReadonlyArray<string> => {
  const reached = new Set([program])
  for (const file of reached) {
    for (const specifier of specifiersOf(readFileSync(file, "utf8"))) {
      const imported = importedBy(file, specifier)
      if (imported !== undefined && existsSync(imported)) reached.add(imported)
    }
  }
  return [...reached]
}

/** Names of files in comments and commands, such as `docker/healthcheck.mjs` or `settings.yaml`. */
const named = (text: string) =>
  Array.from(text.matchAll(/(?<![\w/.$-])[\w./-]+\.(?:yaml|mjs|cfg|sql|ts|md|json)\b/g), ([name]) => name)

describe("docker/ and k8s/", () => {
  it("name no file that is not there", () => {
    const files = ["docker", "k8s"].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .map((name) => path.join(folder, name))
        .filter((name) => statSync(name).isFile())
    )
    // A folder that is mounted elsewhere is not in the repository.
    const isOurs = (name: string) => !path.isAbsolute(name)
    const missing = files.flatMap((file) =>
      named(readFileSync(file, "utf8"))
        .filter(isOurs)
        .filter((name) => ![name, path.join(path.dirname(file), name)].some((each) => existsSync(each)))
        .map((name) => `${file}: ${name}`)
    )
    assert.deepStrictEqual(missing, [])
  })
})

describe("docker/Dockerfile", () => {
  it("copies only what the ignore file lets in", () => {
    const files = Image.context()
    for (const source of Image.copied()) {
      assert.isTrue(
        files.some((file) => file === source || file.startsWith(`${source}/`)),
        source
      )
    }
  })

  it("the ignore file lets in each file that the program may load, and nothing that is for tests alone", () => {
    const reached = reachedFrom("src/main.ts")
    assert.isAbove(reached.length, 500)
    assert.deepStrictEqual(
      reached.filter((file) => !Image.isLetIn(file)),
      []
    )
    for (const file of Image.context()) assert.notMatch(file, /^(test|docs\/\w+\/|packages\/(bench|testkit)\/src)\//)
  })

  it("runs as nobody special, asks for its health, and serves with the rights that it needs and no more", () => {
    const last = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "))
    assert.match(last, /^USER 10001:10001$/m)
    assert.match(last, /^HEALTHCHECK .* CMD \["node", "docker\/healthcheck\.mjs"\]$/m)
    const [, entry] = /^ENTRYPOINT (.*)$/m.exec(last)!
    const [, command] = /^CMD (.*)$/m.exec(last)!
    const words: ReadonlyArray<string> = JSON.parse(entry!)
    assert.deepStrictEqual([words.at(-1), ...JSON.parse(command!)], ["coffer.js", "serve"])
    assert.include(words, "--permission")
    assert.deepStrictEqual(
      words.filter((word) => word.startsWith("--allow-fs-write")),
      ["--allow-fs-write=/data"]
    )
    for (const kept of ["--allow-child-process", "--allow-worker", "--allow-addons", "--allow-fs-read=*"]) {
      assert.notInclude(words, kept)
    }
  })
})
