/** The files of the image, held to the repository. `test/ops/builtImage.test.ts` builds and runs the image. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"

const dockerfile = readFileSync("docker/Dockerfile", "utf8")

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
  it("has one ignore file, at the place and in the words that each engine reads", () => {
    assert.isFalse(existsSync("docker/Dockerfile.dockerignore"))
    const letIn = readFileSync(".dockerignore", "utf8")
      .split("\n")
      .filter((line) => line.startsWith("!"))
      .map((line) => line.slice(1))
    assert.isAbove(letIn.length, 20)
    for (const name of letIn) assert.isTrue(existsSync(name), name)
    // What is no workspace is not installed.
    const { workspaces } = JSON.parse(readFileSync("package.json", "utf8")) as { workspaces: ReadonlyArray<string> }
    const installed = readdirSync("packages").filter((each) => !workspaces.includes(`!packages/${each}`))
    for (const name of installed.map((each) => `packages/${each}/package.json`)) {
      assert.equal(
        letIn.some((each) => name === each || name.startsWith(`${each}/`)),
        existsSync(name),
        name
      )
    }
    for (const name of letIn) assert.notMatch(name, /^(test|packages\/(bench|testkit)\/src)/)
  })

  it("runs unprivileged, checks its health, and serves with the rights that it needs and no more", () => {
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
