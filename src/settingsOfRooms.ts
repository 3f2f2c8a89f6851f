/**
 * Settings that rooms define, for programs that read settings or the files of secrets without the rooms. They are read
 * once they are loaded (`platform/runtime/roomSettings.ts`). Those of channels come with `channels.ts`.
 */
import "./door/documents/SecurityText.ts"
import "./money/files/filesSettings.ts"
import "./shared/mail/mailSettings.ts"
import "./access/people/signInSettings.ts"
import "./shared/signedUrls/shopDomainSettings.ts"
import "./webhooks/deliveries/outboundSettings.ts"
