/**
 * `coffer agent`: prepares a project for agents that write code, and takes everything out again. It says what it did to
 * each file, changes nothing else, and may be run again.
 */
import path from "node:path"
import { systemProblem } from "@coffer/rules/systemProblem"
import { Console, Effect, FileSystem, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { files, section, sectionFile, settings, withoutSection, withSection } from "./agentFiles.ts"
import { failed } from "./CliFailure.ts"
import { anyonesCommand, json } from "./frame.ts"
import { fileWith, standingOf, withEntry, withoutEntry } from "./insertedJson.ts"
import { shownJson } from "./json.ts"

/** What became of a file. `text`: its new text; null removes it. */
interface Change {
  readonly file: string
  readonly done: "written" | "changed" | "removed" | "unchanged" | "left"
  readonly text?: string | null
  readonly why?: string
}

type Judge = (text: string | undefined) => Omit<Change, "file">

const unchanged = { done: "unchanged" } as const
const left = (why: string) => ({ done: "left", why }) as const

/** How each file is judged by its text; undefined where there is none. */
const puts: ReadonlyArray<readonly [file: string, judge: Judge]> = [
  ...settings.map(([file, entry]): readonly [string, Judge] => [
    file,
    (text) => {
      if (text === undefined) return { done: "written", text: fileWith(entry) }
      const standing = standingOf(text, entry)
      if (standing === "ours") return unchanged
      if (standing === "other") return left(`it has another ${entry.group}.${entry.name}`)
      const merged = withEntry(text, entry)
      return merged === undefined ? left("it is no JSON object") : { done: "changed", text: merged }
    }
  ]),
  ...files.map(([file, own]): readonly [string, Judge] => [
    file,
    (text) => {
      if (text === undefined) return { done: "written", text: own }
      return text === own ? unchanged : left("it was changed; remove it to get the one of this version")
    }
  ]),
  [
    sectionFile,
    (text) => {
      if (text === undefined) return { done: "written", text: `${section}\n` }
      const next = withSection(text)
      return next === text ? unchanged : { done: "changed", text: next }
    }
  ]
]

const takes: ReadonlyArray<readonly [file: string, judge: Judge]> = [
  ...settings.map(([file, entry]): readonly [string, Judge] => [
    file,
    (text) => {
      if (text === undefined || standingOf(text, entry) === "none") return unchanged
      if (text === fileWith(entry)) return { done: "removed", text: null }
      const rest = withoutEntry(text, entry)
      return rest === undefined ? left("its entry was changed") : { done: "changed", text: rest }
    }
  ]),
  ...files.map(([file, own]): readonly [string, Judge] => [
    file,
    (text) => {
      if (text === undefined) return unchanged
      return text === own ? { done: "removed", text: null } : left("it was changed")
    }
  ]),
  [
    sectionFile,
    (text) => {
      const rest = text === undefined ? undefined : withoutSection(text)
      if (rest === undefined) return unchanged
      return text === `${section}\n` ? { done: "removed", text: null } : { done: "changed", text: rest }
    }
  ]
]

/** All files are judged before the first is written. */
const carryOut = Effect.fnUntraced(function* (judges: typeof puts, project: string) {
  const fs = yield* FileSystem.FileSystem
  const changes = yield* Effect.forEach(judges, ([file, judge]) =>
    Effect.gen(function* () {
      const at = path.join(project, file)
      const text = (yield* fs.exists(at)) ? yield* fs.readFileString(at) : undefined
      return { file, ...judge(text) } satisfies Change as Change
    })
  )
  for (const { file, text } of changes) {
    if (text === undefined) continue
    const at = path.join(project, file)
    if (text === null) yield* remove(fs, at, project)
    else {
      yield* fs.makeDirectory(path.dirname(at), { recursive: true })
      yield* fs.writeFileString(at, text)
    }
  }
  return changes
})

/** The file, and the folders that nothing else is in. */
const remove = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, file: string, project: string) {
  yield* fs.remove(file)
  for (let folder = path.dirname(file); folder !== path.normalize(project); folder = path.dirname(folder)) {
    if ((yield* fs.readDirectory(folder)).length > 0) return
    yield* fs.remove(folder, { recursive: true })
  }
})

const act = (judges: typeof puts, folder: Option.Option<string>, then: string) =>
  Effect.gen(function* () {
    const changes = yield* carryOut(judges, path.resolve(Option.getOrElse(folder, () => ".")))
    if (yield* json) {
      return yield* Console.log(
        shownJson(changes.map(({ done, file, why }) => ({ file, done, ...(why === undefined ? {} : { why }) })))
      )
    }
    for (const { done, file, why } of changes) {
      yield* Console.log(`${done.padEnd(9)}  ${file}${why === undefined ? "" : `: ${why}`}`)
    }
    yield* Console.log(then)
  }).pipe(
    Effect.catchTags({
      PlatformError: (error) =>
        failed("no_file", systemProblem(error), "check that this folder and its files may be written", 2)
    })
  )

const folder = Argument.String("folder").pipe(
  Argument.optional,
  Argument.withDescription("The project's; the current one unless given")
)

const setup = anyonesCommand(
  "setup",
  {
    does: "Prepare the project in this folder for agents: MCP server, instructions and AGENTS.md, without a key",
    example: "coffer agent setup"
  },
  { folder },
  ({ folder }) =>
    act(puts, folder, "Agents read the key from COFFER_KEY and the address from COFFER_BASE_URL. No file has them.")
)

const takeOut = anyonesCommand(
  "remove",
  { does: "Take out again what coffer agent setup has put into this project", example: "coffer agent remove" },
  { folder },
  ({ folder }) => act(takes, folder, "Everything else in these files is as it was.")
)

export const agentCommand = Command.make("agent").pipe(
  Command.withDescription("Agents that write code in your project: setup, remove"),
  Command.withSubcommands([setup, takeOut])
)
