/** Errors of operators as errors on the wire. */
import * as Wire from "@coffer/contract/Errors"
import { refuseAs } from "../../shared/http/refusals.ts"
import type { OperatorNotFound } from "./Operators.ts"

export const operatorRefusals = {
  OperatorNotFound: refuseAs(Wire.OperatorNotFound, ({ operatorId }: OperatorNotFound) => ({
    message: `No operator ${operatorId}.`
  }))
}
