/**
 * The order in which workers take the files of tests. Vitest takes the largest first where it knows no times, as in CI,
 * and a short file may start many processes. Such a file that is taken last leaves one core idle, and several of them
 * side by side overload the machine. So they are spread over the first half of the others.
 */
import path from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Folders of `test` whose files start browsers, processes or several runners. `npm test` leaves them out. */
export const dearFolders = "test/{bench,chaos,cli,cluster,console,models,ops,pages,python,simulation,stripe,testkit}/**"
export const longFiles = "test/**/*.long.test.ts"

/** Each dear one has about as many of the others beside it, until half of the others are taken. */
export const spread = <A>(files: ReadonlyArray<A>, isDear: (file: A) => boolean): ReadonlyArray<A> => {
  const dear = files.filter(isDear)
  const others = files.filter((file) => !isDear(file))
  return [
    ...dear.map((file, index) => ({ file, at: index / dear.length / 2 })),
    ...others.map((file, index) => ({ file, at: index / others.length }))
  ]
    .toSorted((a, b) => a.at - b.at)
    .map(({ file }) => file)
}

export class DearSpread extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    const isDear = ({ moduleId, project }: TestSpecification) =>
      [dearFolders, longFiles].some((glob) => path.matchesGlob(path.relative(project.config.root, moduleId), glob))
    // oxlint-disable-next-line no-array-sort -- a method of sequencers
    return [...spread(await super.sort(files), isDear)]
  }
}
