/**
 * A shop as a process, and what stands around it: its own new merchant, and a proxy each way between it and Coffer.
 * Answers to the shop can be lost, and events for it held, doubled, and sent again.
 */
import { spawn } from "node:child_process"
import { mkdirSync, openSync, rmSync } from "node:fs"
import { createServer, request as httpRequest } from "node:http"
import path from "node:path"

export const wait = (millis) => new Promise((go) => setTimeout(go, millis))

export const until = async (what, check, millis = 8_000) => {
  const end = Date.now() + millis
  let last
  while (Date.now() < end) {
    try {
      last = await check()
      if (last) return last
    } catch (error) {
      last = error
    }
    await wait(100)
  }
  throw new Error(`not in time: ${what} (${last instanceof Error ? last.message : JSON.stringify(last)})`)
}

const bodyOf = async (request) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const forward = (port, request, body) =>
  new Promise((done, fail) => {
    const { "transfer-encoding": _, ...headers } = request.headers
    const out = httpRequest(
      {
        host: "127.0.0.1",
        port,
        method: request.method,
        path: request.url,
        headers: { ...headers, host: `127.0.0.1:${port}`, "content-length": String(body.length) }
      },
      async (answer) => done({ status: answer.statusCode, headers: answer.headers, body: await bodyOf(answer) })
    )
    out.on("error", fail)
    out.setTimeout(12_000, () => out.destroy(new Error("no answer")))
    out.end(body)
  })

const listening = async (server) => {
  await new Promise((go) => server.listen(0, "127.0.0.1", go))
  return server.address().port
}

/** A merchant of its own, and calls with its sandbox key. */
const merchantOf = async ({ base_url, operator_token, operator_url }, name) => {
  const made = await fetch(`${operator_url}/merchants`, {
    method: "POST",
    headers: { authorization: `Bearer ${operator_token}`, "content-type": "application/json" },
    body: JSON.stringify({ name, seed: true })
  })
  const { data } = await made.json()
  const key = data.sandbox_key
  /** The answer's data; it has to be a good one. */
  const ok = async (method, where, body) => {
    const answer = await fetch(`${base_url}${where}`, {
      method,
      headers: { "x-api-key": key, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) })
    })
    const text = await answer.text()
    if (answer.status >= 300) throw new Error(`${method} ${where}: ${answer.status} ${text}`)
    return text === "" ? null : JSON.parse(text).data
  }
  return { key, ok }
}

/** Towards Coffer. Secrets that Coffer tells the shop are remembered. */
const proxyToCoffer = async (cofferPort) => {
  const secrets = new Set()
  let lost = { path: undefined, count: 0 }
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    try {
      const answer = await forward(cofferPort, request, body)
      for (const [found] of answer.body.toString().matchAll(/whsec_[\w-]+/g)) secrets.add(found)
      if (request.method === "POST" && lost.path?.test(request.url) && lost.count === 0) {
        lost.count++
        return request.socket.destroy()
      }
      return response.writeHead(answer.status, answer.headers).end(answer.body)
    } catch {
      return request.socket.destroy()
    }
  })
  /** The next answer of this path does not arrive. */
  const begin = (path) => void (lost = { path, count: 0 })
  return {
    port: await listening(server),
    secrets,
    losing: { begin, count: () => lost.count },
    close: () => server.close()
  }
}

const eventIn = (body) => {
  try {
    return JSON.parse(body.toString())
  } catch {
    return {}
  }
}

/** Towards the shop. */
const proxyToShop = async (shopPort) => {
  const hookMode = { hold: false, double: false, dropTypes: new Set(), held: [] }
  const seen = []
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    const event = eventIn(body)
    if (hookMode.hold || hookMode.dropTypes.has(event.type)) {
      hookMode.held.push(event)
      return response.writeHead(500).end()
    }
    try {
      const answer = await forward(shopPort, request, body)
      seen.push({ event, status: answer.status, url: request.url, headers: request.headers, body })
      if (hookMode.double) await Promise.all([1, 2].map(() => forward(shopPort, request, body)))
      return response.writeHead(answer.status).end()
    } catch {
      return response.writeHead(503).end()
    }
  })
  return { port: await listening(server), hookMode, seen, close: () => server.close() }
}

/** `folder` has `start.sh`, which serves the shop (`task.md`). `credentials`: those of a service that runs. */
export const worldOf = async (folder, port, credentials) => {
  const name = path.basename(folder)
  const { key, ok } = await merchantOf(credentials, `Check ${name}`)
  const coffer = await proxyToCoffer(Number(new URL(credentials.base_url).port))
  const hooks = await proxyToShop(port)
  const data = path.join("/dev/shm", `shop-${name}-${port}`)
  rmSync(data, { recursive: true, force: true })
  mkdirSync(data, { recursive: true })
  let child

  const start = async () => {
    const log = openSync(`${data}.log`, "a")
    child = spawn("bash", ["start.sh"], {
      cwd: folder,
      detached: true,
      stdio: ["ignore", log, log],
      env: {
        ...process.env,
        PORT: String(port),
        COFFER_KEY: key,
        COFFER_BASE_URL: `http://127.0.0.1:${coffer.port}/v1`,
        PUBLIC_URL: `http://127.0.0.1:${hooks.port}`,
        DATA_DIR: data
      }
    })
    await until("the shop answers", async () => (await fetch(`http://127.0.0.1:${port}/shipments`)).ok, 20_000)
  }
  const stop = async () => {
    if (child === undefined) return
    const ended = new Promise((go) => child.once("exit", go))
    process.kill(-child.pid, "SIGKILL")
    await ended
    child = undefined
  }
  const shop = async (method, where, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}${where}`, {
      method,
      headers: { "content-type": "application/json" },
      redirect: "manual",
      signal: AbortSignal.timeout(45_000),
      ...(body && { body: JSON.stringify(body) })
    })
    const text = await answer.text()
    try {
      return { status: answer.status, body: JSON.parse(text) }
    } catch {
      return { status: answer.status, body: text }
    }
  }
  const close = async () => {
    await stop()
    coffer.close()
    hooks.close()
  }
  const { hookMode, port: hookPort, seen } = hooks
  return {
    close,
    hookMode,
    hookPort,
    losing: coffer.losing,
    ok,
    port,
    secrets: coffer.secrets,
    seen,
    shop,
    start,
    stop
  }
}
