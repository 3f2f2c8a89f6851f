/**
 * Each piece of code on a page is held by a test: it is run, or it is in the list of those that are not, with its
 * reason. Those are read as far as they can be here: by their language, and by the names that they use.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { parseAst } from "rolldown/parseAst"
import { makeSite } from "../../packages/site/src/site.ts"
import { type as typed } from "../kit/callers/cli.ts"
import { needsPython, pythonRun } from "../kit/program/python.ts"
import { reasonOf, reasons, runByOthers, type Snippet, snippets, wayOf } from "../kit/texts/snippets.ts"

const all = snippets()
const ofLanguage = (...languages: ReadonlyArray<string>) => all.filter(({ language }) => languages.includes(language))
const shown = ({ language, source, text }: Snippet) => `${source}: ${language} ${text.slice(0, 60)}`

const folderFor = <A>(use: (folder: string) => A): A => {
  const folder = mkdtempSync(path.join(tmpdir(), "coffer-snippets-"))
  try {
    return use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe("a piece of code on a page", () => {
  it("names its language, and is run, or is in the list of those that are not, with its reason", () => {
    assert.deepStrictEqual(all.filter((each) => wayOf(each) === "unknown").map(shown), [])
    assert.isAbove(all.filter((each) => wayOf(each) === "run").length, 100)
  })

  it("that is not run is on its page: the list has no line for one that is gone", () => {
    const without = reasons.filter(
      ({ begins, source }) => !all.some((each) => each.source === source && each.text.startsWith(begins))
    )
    assert.deepStrictEqual(without, [])
  })

  it("that another test runs is on a page that this test reads", () => {
    for (const [source, language, test] of runByOthers) {
      assert.isTrue(
        all.some((each) => each.source === source && each.language === language),
        `${source} has no ${language}`
      )
      assert.include(readFileSync(test, "utf8"), path.basename(source))
    }
  })

  it("has a reason whose test is there", () => {
    const named = reasons.flatMap(({ why }) => why.match(/\btest\/[\w/.]+/g) ?? [])
    assert.isAbove(named.length, 10)
    assert.deepStrictEqual(
      named.filter((file) => !existsSync(file)),
      []
    )
  })
})

describe("the language of a piece of code", () => {
  it("is read without a complaint: shell", () => {
    for (const each of ofLanguage("sh")) {
      const { status, stderr } = spawnSync("bash", ["-n"], { input: each.text, encoding: "utf8" })
      assert.strictEqual(status, 0, `${shown(each)}\n${stderr}`)
    }
  })

  it("is read without a complaint: JSON", () => {
    for (const each of ofLanguage("json")) assert.doesNotThrow(() => JSON.parse(each.text), undefined, shown(each))
  })

  it("is read without a complaint: JavaScript and TypeScript, a part of a file where it may stand", () => {
    const places = [
      (text: string) => text,
      (text: string) => `async function* place() {\n${text}\n}`,
      (text: string) => `function place() {\nswitch (place) {\n${text}\n}\n}`,
      (text: string) => `place = {\n${text}\n}`
    ]
    const parses = (text: string) => {
      try {
        parseAst(text, { lang: "ts" })
        return true
      } catch {
        return false
      }
    }
    const wrong = ofLanguage("js", "ts").filter(({ text }) => !places.some((place) => parses(place(text))))
    assert.deepStrictEqual(wrong.map(shown), [])
  })

  it.skipIf(needsPython !== "")("is read without a complaint: Python", async () => {
    const program = "import ast, json, sys\nfor text in json.loads(sys.argv[1]): ast.parse(text)"
    const texts = ofLanguage("python").map(({ text }) => text)
    assert.strictEqual((await pythonRun(["-c", program, JSON.stringify(texts)])).stderr, "")
  })

  const readers = [
    ["php", "PHP", ["-l"], (text: string) => (text.startsWith("<?php") ? text : `<?php\n${text}`)],
    // From its input it takes a part of a file as well.
    ["go", "Go", ["-e", "-l"], (text: string) => text]
  ] as const
  for (const [language, name, flags, whole] of readers) {
    const command = language === "go" ? "gofmt" : "php"
    const isThere = spawnSync(command, [language === "go" ? "-h" : "-v"]).error === undefined
    const suffix = isThere ? "" : ` (left out: no ${command} is installed)`
    it.skipIf(!isThere)(`is read without a complaint: ${name}${suffix}`, () => {
      for (const each of ofLanguage(language)) {
        const { status, stderr, stdout } = spawnSync(command, flags, { input: whole(each.text), encoding: "utf8" })
        assert.strictEqual(status, 0, `${shown(each)}\n${stdout}${stderr}`)
      }
    })
  }
})

/** The quickstart's second piece: its service is the test's own. */
it("the quickstart's lines for a second terminal read the file of a first start", () =>
  folderFor((folder) => {
    const { text } = all.find(
      ({ source, text }) => source === "docs/quickstart.md" && text.startsWith("export COFFER_BASE_URL")
    )!
    mkdirSync(path.join(folder, ".coffer"))
    writeFileSync(path.join(folder, ".coffer/credentials.json"), JSON.stringify({ sandbox_key: "svc_test_1" }))
    const script = `set -eu\n${text}\necho "$COFFER_BASE_URL $COFFER_KEY"`
    const output = execFileSync("bash", ["-c", script], { cwd: folder, encoding: "utf8" })
    assert.strictEqual(output, "http://127.0.0.1:8080/v1 svc_test_1\n")
  }))

describe("a name in the documents", () => {
  const pages = makeSite().pages.filter(({ address }) => !/^(decisions\/|zh)/.test(address))
  const inline = pages.flatMap(({ markdown, source }) =>
    [...markdown.matchAll(/`([^`\n]+)`/g)].map(([, text]) => ({ source, language: "sh", text: text! }))
  )
  const pieces: ReadonlyArray<Snippet> = [...ofLanguage("sh"), ...inline]

  it("that is set is a setting, or one of the reader's own", () => {
    const known = readFileSync("docs/settings.md", "utf8")
    /** Names of the reader's shell, of Node, of tests and of the command line. */
    const others = new Set(
      "REPORT NODE_OPTIONS UV_THREADPOOL_SIZE CLUSTER_SECRET COFFER_KEY COFFER_BASE_URL COFFER_WEBHOOK_SECRET STRIPE_KEY \
      PHP_CLI_SERVER_WORKERS CHAOS_SEED CHAOS_SECONDS GROWTH_ACTS HOLDERS_REQUESTS HOLDERS_CONNECTIONS \
      UPGRADE_FROM UPGRADE_REQUESTS UPGRADE_ROWS".split(/\s+/)
    )
    const unknown = pieces.flatMap(({ source, text }) =>
      [...text.matchAll(/(?<![\w$"-])([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)=/g)]
        .map(([, name]) => name!)
        .filter((name) => !known.includes(`\`${name.replace(/_FILE$/, "")}`) && !others.has(name))
        .map((name) => `${source}: ${name}`)
    )
    assert.deepStrictEqual(unknown, [])
  })

  it.live("of a flag is one that its command takes", () =>
    Effect.gen(function* () {
      const used = new Map<string, Set<string>>()
      for (const { text } of pieces) {
        for (const [, line] of text
          .replaceAll("\\\n", " ")
          .matchAll(/(?:^|\n|\$\(|npx |-- )coffer ([a-z][^\n|;&#)]*)/g)) {
          const [name, part = "", ...rest] = line!.trim().split(/\s+/)
          const command = /^[a-z][a-z-]*$/.test(part) ? `${name!} ${part}` : name!
          const flags = used.get(command) ?? new Set<string>()
          for (const word of [part, ...rest]) if (/^--[a-z]/.test(word)) flags.add(word.split("=")[0]!)
          used.set(command, flags)
        }
      }
      assert.isAbove([...used.values()].filter(({ size }) => size > 0).length, 20)
      const wrong: Array<string> = []
      for (const [command, flags] of used) {
        if (flags.size === 0) continue
        const help = yield* helpOf(command.split(" "))
        for (const flag of flags) if (!new RegExp(`${flag}\\b`).test(help)) wrong.push(`coffer ${command} ${flag}`)
      }
      assert.deepStrictEqual(wrong, [])
    })
  )

  it("of a file, of a package or of a program is one that is there", () => {
    const words = ofLanguage("sh")
      .filter((each) => reasonOf(each) !== undefined)
      .flatMap(({ text }) => text.replaceAll(/(^|\s)#.*$/gm, "").split(/\s+/))
    const files = words.filter((word) => /^(docker|k8s|ops|examples|packages|scripts|src|test)\//.test(word))
    const packages = words.flatMap(
      (word) => /^@coffer\/(\w+)|\/downloads\/coffer-(\w+)\.tgz$/.exec(word)?.slice(1) ?? []
    )
    const program = readFileSync("packages/simulator/package.json", "utf8")
    assert.isAbove(files.length + packages.length, 4)
    assert.deepStrictEqual(
      [...files, ...packages.filter(Boolean).map((name) => `packages/${name}`)].filter((file) => !existsSync(file)),
      []
    )
    for (const word of words) if (word === "stripe-simulator") assert.include(program, `"${word}"`)
  })
})

/** The help of a merchant's command in this process, or that of the whole program's. */
const helpOf = (words: ReadonlyArray<string>) =>
  Effect.map(typed([...words, "--help"], {}), ({ stdout }) =>
    stdout.includes(`coffer ${words.join(" ")}`)
      ? stdout
      : execFileSync(process.execPath, ["src/main.ts", ...words, "--help"], { encoding: "utf8" })
  )
