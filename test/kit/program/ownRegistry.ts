/**
 * A registry that has what this repository has installed, so that npm installs a package with all that it depends on
 * and no network is asked. A package of another platform is not there, as it is not installed here.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import path from "node:path"
import { Effect } from "effect"

interface Manifest {
  readonly name: string
  readonly version: string
  readonly scripts?: { readonly postinstall?: string }
}

/** Where each installed version of a package is. */
const foldersOf = () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"))
  const folders = new Map<string, Array<Manifest & { readonly folder: string }>>()
  for (const folder of Object.keys(packages)) {
    const file = path.join(folder, "package.json")
    if (!folder.includes("node_modules/") || packages[folder].link === true || !existsSync(file)) continue
    const manifest: Manifest = JSON.parse(readFileSync(file, "utf8"))
    folders.set(manifest.name, [...(folders.get(manifest.name) ?? []), { ...manifest, folder }])
  }
  return folders
}

export const ownRegistry = Effect.gen(function* () {
  const folders = foldersOf()
  const server = createServer((request, response) => {
    const [name, version] = decodeURIComponent(request.url!.slice(1)).split("/-/")
    const all = folders.get(name!)
    const asked = all?.find((each) => each.version === version)
    if (all === undefined || (version !== undefined && asked === undefined))
      return void response.writeHead(404).end("{}")
    if (asked !== undefined) {
      const words = ["-cz", "--transform", "s,^\\.,package,", "--exclude", "./node_modules", "-C", asked.folder, "."]
      return void response.end(execFileSync("tar", words, { maxBuffer: 2 ** 30 }))
    }
    const versions = all.map(({ folder: _, ...manifest }) => ({
      ...manifest,
      hasInstallScript: manifest.scripts?.postinstall !== undefined,
      dist: { tarball: `${address}/${encodeURIComponent(manifest.name)}/-/${manifest.version}` }
    }))
    response.end(
      JSON.stringify({
        name,
        "dist-tags": { latest: versions[0]!.version },
        versions: Object.fromEntries(versions.map((each) => [each.version, each]))
      })
    )
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done))),
    () => Effect.promise(() => new Promise((done) => server.close(done).closeAllConnections()))
  )
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return address
})
