/** Sets up a shop of Medusa in an empty database, as its documents say, and starts it in this process. */
import { execFileSync } from "node:child_process"
import { createRequire } from "node:module"
import pg from "pg"

const { DATABASE_URL, PORT } = process.env
const own = new URL(DATABASE_URL)
const name = own.pathname.slice(1)

const server = new URL(DATABASE_URL)
server.pathname = "/postgres"
const client = new pg.Client({ connectionString: server.href })
await client.connect()
await client.query(`create database ${name}`)
await client.end()

const medusa = (...words) =>
  execFileSync(process.execPath, ["node_modules/@medusajs/cli/cli.js", ...words], {
    stdio: ["ignore", "inherit", "inherit"]
  })
medusa("db:migrate", "--skip-scripts")
medusa("exec", "./seed.js")

const { default: start } = createRequire(import.meta.url)("@medusajs/medusa/commands/start")
await start({ directory: process.cwd(), port: Number(PORT), host: "127.0.0.1" })
await fetch(`http://127.0.0.1:${PORT}/health`)
process.stdout.write(`${JSON.stringify({ ready: true })}\n`)
