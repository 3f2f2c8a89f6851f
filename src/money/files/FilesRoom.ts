/** Uploaded files and logos. They are kept in a folder, or in a bucket. */
import { Effect, Layer } from "effect"
import { jobs } from "../../platform/jobs/Opening.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import * as DiskStorage from "./DiskStorage.ts"
import * as FileJobs from "./FileJobs.ts"
import * as Files from "./Files.ts"
import { filesSettings } from "./filesSettings.ts"
import * as FileStore from "./FileStore.ts"
import * as LogoFiles from "./LogoFiles.ts"
import * as S3Storage from "./S3Storage.ts"

/** The S3 client is loaded only where there is a bucket. */
const storage = Layer.unwrap(
  Effect.map(Settings, ({ noOutbound, of }) => {
    const { filesBucket } = of(filesSettings)
    return filesBucket === undefined ? DiskStorage.layer : S3Storage.layer(filesBucket, { isReadOnly: noOutbound })
  })
)

export const layer = Layer.merge(LogoFiles.layer, jobs(FileJobs.layer)).pipe(
  Layer.provideMerge(Files.layer),
  Layer.provide([FileStore.layer, storage])
)
