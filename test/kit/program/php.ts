/** Whether this machine has PHP. */
import { spawnSync } from "node:child_process"

/** What the name of a test says where it is left out. */
export const needsPhp = spawnSync("php", ["-v"]).error === undefined ? "" : " (left out: no PHP is installed)"
