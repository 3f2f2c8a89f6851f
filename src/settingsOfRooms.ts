/**
 * Settings that rooms define, for programs that read settings or the files of secrets without the rooms. They are read
 * once they are loaded (`platform/runtime/roomSettings.ts`). Those of channels come with `channels.ts`.
 */
import "./documents/SecurityText.ts"
import "./files/filesSettings.ts"
import "./mail/mailSettings.ts"
import "./people/signInSettings.ts"
import "./signedUrls/shopDomainSettings.ts"
import "./webhooks/outboundSettings.ts"
