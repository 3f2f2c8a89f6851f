/** Certificate authorities of the test's own and what they sign, where openssl is installed. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { Effect } from "effect"

const program = (process.env["PATH"] ?? "")
  .split(path.delimiter)
  .map((folder) => path.join(folder, "openssl"))
  .find(existsSync)
/** For a suite's name: why it is left out. */
export const needsOpenssl = program === undefined ? " (left out: no openssl is installed)" : ""

const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-batch"]

/** Files of an authority, and of a runner that it has signed for each name. */
export const authority = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(path.join(tmpdir(), "coffer-certificates-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const at = (name: string) => path.join(folder, name)
  const openssl = (...words: ReadonlyArray<string>) => execFileSync(program!, words, { stdio: "pipe", cwd: folder })
  openssl(
    "req",
    "-x509",
    ...newKey,
    "-days",
    "2",
    "-subj",
    "/CN=runners",
    "-keyout",
    at("ca.key"),
    "-out",
    at("ca.pem")
  )

  /** `names`: as in subjectAltName. */
  const sign = (names: string, file = "runner") => {
    const [cert, key, request] = [at(`${file}.pem`), at(`${file}.key`), at(`${file}.csr`)]
    writeFileSync(at("names"), `subjectAltName=${names}\n`)
    openssl("req", ...newKey, "-subj", `/CN=${file}`, "-keyout", key, "-out", request)
    const by = ["-CA", at("ca.pem"), "-CAkey", at("ca.key"), "-CAcreateserial", "-days", "2", "-extfile", at("names")]
    openssl("x509", "-req", "-in", request, ...by, "-out", cert)
    return { cert, key, ca: at("ca.pem") }
  }
  return { ca: at("ca.pem"), sign }
})
