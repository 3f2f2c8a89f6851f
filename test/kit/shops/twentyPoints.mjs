/**
 * How good is a shop that somebody built with Coffer?
 * `CREDENTIALS=.coffer/credentials.json node twentyPoints.mjs <folder> <port>`
 * plays twenty points against it. `task.md` is what its builder was told.
 */
import { readFileSync } from "node:fs"
import path from "node:path"
import { pointsOf } from "./points.mjs"
import { worldOf } from "./world.mjs"

const [folder, port] = process.argv.slice(2)
const credentials = JSON.parse(readFileSync(process.env.CREDENTIALS, "utf8"))
const world = await worldOf(path.resolve(folder), Number(port), credentials)
const points = pointsOf(world)
const missed = []
try {
  await world.start()
  for (const [index, [name, play]] of points.entries()) {
    world.losing.begin(undefined)
    Object.assign(world.hookMode, { hold: false, double: false, dropTypes: new Set() })
    try {
      await play()
      console.log(`ok   ${index + 1} ${name}`)
    } catch (error) {
      missed.push(index + 1)
      console.log(`FAIL ${index + 1} ${name}\n       ${error.message}`)
    }
  }
} finally {
  await world.close()
}
console.log(
  `${points.length - missed.length} of ${points.length} points${missed.length > 0 ? `, without ${missed}` : ""}`
)
process.exit(missed.length === 0 ? 0 : 1)
