/** The doctor's report about this installation (docs/doctor.md): for operators, not for merchants. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Decoding, OperatorToken } from "./Caller.ts"
import { enveloped } from "./Envelope.ts"
import { instant, kind, orNull, text, withExample } from "./fields.ts"

/** From best to worst. */
const Status = Schema.Literals(["not applicable", "ok", "warning", "error"])

export const DoctorReport = withExample(
  Schema.Struct({
    object: kind("doctor_report"),
    runner: text("The address of the runner that made the checks."),
    looked_at: instant("When the checks were made. A report is cached for ten seconds."),
    status: Status.annotate({ description: "The worst of the findings." }),
    findings: Schema.Array(
      Schema.Struct({
        name: text("The check, which is also the heading of its section in `docs/doctor.md`."),
        status: Status.annotate({ description: "The result. `error`: fix it before real money flows." }),
        observation: text("What was found, for people to read. It contains no secrets."),
        advice: orNull(Schema.String, "What to do; null where there is nothing to do."),
        docs: text("Where the check is explained.")
      })
    ).annotate({ description: "One for each check." })
  }).annotate({ identifier: "DoctorReport", description: "A health report of this installation." }),
  {
    object: "doctor_report",
    runner: "10.0.0.4:7000",
    looked_at: "2026-11-21T09:31:10.000Z",
    status: "warning",
    findings: [
      {
        name: "backups",
        status: "warning",
        observation: "BACKUP_DIR is not set, so backups can't be checked.",
        advice: "Set it to the folder where backups arrive.",
        docs: "docs/doctor.md#backups"
      }
    ]
  }
)
export type DoctorReport = typeof DoctorReport.Encoded

export class DoctorGroup extends HttpApiGroup.make("doctor")
  .add(
    HttpApiEndpoint.get("get", "/operator/v1/doctor", { success: enveloped(DoctorReport) }).annotateMerge(
      OpenApi.annotations({
        summary: "Run the doctor's checks of this installation",
        description:
          "The checks of `coffer doctor`, made by the runner that answers: settings, disks, Postgres, " +
          "certificates and outbound connections. They run concurrently, and each ends within five seconds."
      })
    )
  )
  .middleware(Decoding)
  .middleware(OperatorToken)
  .annotate(OpenApi.Description, "A health report of this installation.") {}
