/** What people of a merchant are notified of, in the console and by mail. */
import { Layer } from "effect"
import { jobs } from "../../platform/jobs/Opening.ts"
import * as NotificationJobs from "./NotificationJobs.ts"
import * as NotificationMails from "./NotificationMails.ts"
import * as Notifications from "./Notifications.ts"
import * as NotificationStore from "./NotificationStore.ts"

export const layer = jobs(NotificationJobs.layer).pipe(
  Layer.provideMerge(NotificationMails.layer),
  Layer.provideMerge(Layer.merge(Notifications.layer, NotificationStore.layer))
)
