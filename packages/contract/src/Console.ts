/**
 * The console's API, under `/console/api`. It has the envelope and the errors of the merchant API. It is not part of
 * `/v1`, and may change with the console.
 */
import { PersonRole } from "@coffer/model/PersonRole"
import { optional, withoutNulls } from "@coffer/model/optional"
import { OneLine } from "@coffer/model/Text"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ConsoleApiKeysGroup } from "./ApiKeys.ts"
import {
  MerchantAuditLogGroup,
  MerchantPayoutsGroup,
  MerchantQuotasGroup,
  MerchantSettingsGroup,
  OverviewGroup
} from "./ConsoleMerchant.ts"
import { ConsoleGuest, Decoding, PersonSession } from "./Caller.ts"
import { enveloped, listed } from "./Envelope.ts"
import {
  Conflict,
  Forbidden,
  InvalidRequest,
  InvitationNotFound,
  PersonNotFound,
  RateLimited,
  SessionNotFound,
  Unavailable
} from "./Errors.ts"
import { instant, kind, ofMerchant, printable, text, withExample } from "./fields.ts"
import { knownParametersOnly } from "./Lists.ts"
import {
  InvitationResource,
  personEmail,
  personName,
  personParams,
  PersonResource,
  personSample,
  SessionResource,
  sessionSample
} from "./People.ts"
import { SavedViewsGroup } from "./SavedViews.ts"
import { NotificationsGroup } from "./Notifications.ts"
import { PasskeyOptions, PasskeysGroup, UsePasskey } from "./Passkeys.ts"
import { MainKeysGroup } from "./MainKeys.ts"
import { MerchantSearchGroup } from "./MerchantSearch.ts"
import { publishOperators } from "./publish.ts"

const AskedResource = withExample(
  Schema.Struct({
    object: kind("sign_in_request"),
    expires_at: instant("Until when the link of this request may be used.")
  }).annotate({
    identifier: "SignInRequest",
    description: "A request for a sign-in link. It does not reveal whether the address belongs to a person here."
  }),
  { object: "sign_in_request", expires_at: "2026-11-21T09:45:00.000Z" }
)

/** The person who is signed in, with the roles and the session. */
export const SignedInResource = withExample(
  Schema.Struct({
    object: kind("signed_in"),
    person: PersonResource,
    session: SessionResource,
    needs_passkey: Schema.Boolean.annotate({
      description: "Whether the installation requires a passkey, so that this session can only register one."
    })
  }).annotate({ identifier: "SignedIn", description: "The person who is signed in, with all roles, and the session." }),
  {
    object: "signed_in",
    person: personSample,
    session: sessionSample,
    needs_passkey: false
  }
)

const OpenIdResource = withExample(
  Schema.Struct({
    object: kind("openid_request"),
    url: text("Where the browser goes.")
  }).annotate({ identifier: "OpenIdRequest", description: "The sign-in page of the OpenID provider." }),
  { object: "openid_request", url: "https://id.example/authorize?client_id=coffer" }
)

class SignInGroup extends HttpApiGroup.make("sign_in")
  .add(
    HttpApiEndpoint.post("ask", "/console/api/sign_in", {
      payload: Schema.Struct({ email: personEmail }).annotate({ examples: [{ email: "ada@shop.example" }] }),
      success: enveloped(AskedResource).pipe(HttpApiSchema.status(202)),
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Ask for a sign-in link",
        description:
          "The answer is the same whether or not the address belongs to a person here. The link works once, for " +
          "15 minutes, in the browser that asked for it: a cookie ties it to that browser."
      })
    ),
    HttpApiEndpoint.post("use", "/console/api/sign_in/use", {
      payload: Schema.Struct({
        token: OneLine(1, 200).annotate({ description: "The text after the link's `#`." })
      }).annotate({ examples: [{ token: "x".repeat(43) }] }),
      success: enveloped(SignedInResource).pipe(HttpApiSchema.status(201)),
      error: [Forbidden, InvalidRequest]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Sign in by a link",
        description:
          "Sets the cookie of the new session. 403: the installation requires passkeys, and the person has one."
      })
    ),
    HttpApiEndpoint.post("askPasskey", "/console/api/sign_in/passkey/options", {
      success: enveloped(PasskeyOptions),
      error: Conflict
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Begin to sign in with a passkey",
        description:
          "It is the same for every person: the browser offers the passkeys that it has. 409 if browsers do not " +
          "support passkeys at the address in PUBLIC_URL."
      })
    ),
    HttpApiEndpoint.post("usePasskey", "/console/api/sign_in/passkey", {
      payload: UsePasskey,
      success: enveloped(SignedInResource).pipe(HttpApiSchema.status(201)),
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({ summary: "Sign in with a passkey", description: "Sets the cookie of the new session." })
    )
  )
  .add(
    HttpApiEndpoint.post("askOpenId", "/console/api/sign_in/openid", {
      success: enveloped(OpenIdResource),
      error: [Conflict, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Begin to sign in at the OpenID provider",
        description:
          "The answer has the provider's address, valid in this browser for ten minutes. 409: the installation " +
          "has no provider. 503: the provider does not answer."
      })
    ),
    HttpApiEndpoint.post("useOpenId", "/console/api/sign_in/openid/use", {
      payload: withoutNulls(
        Schema.Struct({
          code: printable(1_800).annotate({
            description: "The `code` parameter of the address to which the provider redirected."
          }),
          state: printable(400).annotate({ description: "`state` of it." }),
          iss: optional(printable(200), "`iss` of it.")
        }).annotate({ examples: [{ code: "x", state: "y" }] })
      ),
      success: enveloped(SignedInResource).pipe(HttpApiSchema.status(201)),
      error: [Conflict, Forbidden, InvalidRequest, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Sign in by OpenID Connect",
        description:
          "Sets the cookie of the new session. 403: the provider's account belongs to another person, or has " +
          "no role here; or the installation requires passkeys, and the person has one."
      })
    )
  )
  .middleware(Decoding)
  .middleware(ConsoleGuest)
  .annotate(OpenApi.Description, "How people sign in.") {}

class SessionGroup extends HttpApiGroup.make("session")
  .add(
    HttpApiEndpoint.get("get", "/console/api/session", { success: enveloped(SignedInResource) }).annotateMerge(
      OpenApi.annotations({ summary: "The person who is signed in", description: "With all roles, and this session." })
    ),
    HttpApiEndpoint.post("end", "/console/api/session/end", { success: enveloped(SessionResource) }).annotateMerge(
      OpenApi.annotations({ summary: "Sign out", description: "Ends this session on all runners." })
    ),
    HttpApiEndpoint.get("list", "/console/api/sessions", { success: listed(SessionResource) }).annotateMerge(
      OpenApi.annotations({ summary: "Where I am signed in, newest first", description: "All open sessions." })
    ),
    HttpApiEndpoint.post("endOther", "/console/api/sessions/:session_id/end", {
      params: { session_id: text("Number of the session.") },
      success: enveloped(SessionResource),
      error: SessionNotFound
    }).annotateMerge(
      OpenApi.annotations({ summary: "End one of my sessions", description: "It ends on all runners at once." })
    ),
    HttpApiEndpoint.post("endAll", "/console/api/sessions/end", { success: listed(SessionResource) }).annotateMerge(
      OpenApi.annotations({
        summary: "Sign out everywhere",
        description: "Ends all sessions, including this one, and returns those that were open."
      })
    )
  )
  .middleware(Decoding)
  .middleware(PersonSession)
  .annotate(OpenApi.Description, "The person who is signed in.") {}

class InvitationsGroup extends HttpApiGroup.make("invitations")
  .add(
    HttpApiEndpoint.get("list", "/console/api/invitations", { success: listed(InvitationResource) }).annotateMerge(
      OpenApi.annotations({
        summary: "Roles that are offered to me",
        description:
          "Invitations to the address of the person who is signed in, oldest first. None of them is in effect yet."
      })
    ),
    HttpApiEndpoint.post("accept", "/console/api/invitations/:invitation_id/accept", {
      params: { invitation_id: text("Number of the invitation.") },
      success: enveloped(InvitationResource),
      error: InvitationNotFound
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Accept a role",
        description: "It takes effect with the next request. From then on the people there see the person."
      })
    ),
    HttpApiEndpoint.post("decline", "/console/api/invitations/:invitation_id/decline", {
      params: { invitation_id: text("Number of the invitation.") },
      success: enveloped(InvitationResource),
      error: InvitationNotFound
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Decline a role",
        description: "The invitation is deleted. The person who sent it is not told why."
      })
    )
  )
  .middleware(Decoding)
  .middleware(PersonSession)
  .annotate(OpenApi.Description, "Roles that are offered to the person who is signed in.") {}

const personRole = PersonRole.annotate({ description: "The person's rights for this merchant." })
const ofPerson = { ...ofMerchant, ...personParams }

class MerchantPeopleGroup extends HttpApiGroup.make("people")
  .add(
    HttpApiEndpoint.get("list", "/console/api/merchants/:merchant_id/people", {
      params: ofMerchant,
      success: listed(PersonResource)
    }).annotateMerge(
      OpenApi.annotations({ summary: "People of the merchant, newest first", description: "At most 200, on one page." })
    ),
    HttpApiEndpoint.post("invite", "/console/api/merchants/:merchant_id/people", {
      params: ofMerchant,
      payload: withoutNulls(
        Schema.Struct({
          email: personEmail,
          name: optional(personName, "The name that others see. Default: the address."),
          role: personRole
        }).annotate({ examples: [{ email: "ada@shop.example", role: "support" }] })
      ),
      success: enveloped(PersonResource).pipe(HttpApiSchema.status(201)),
      error: [Conflict, InvalidRequest, RateLimited]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Invite a person",
        description:
          "The person gets a mail, and has the role once it is accepted. Until then only the typed name and " +
          "address are shown. 409 if the person already has a role or an invitation here. 429: too many " +
          "invitations today."
      })
    ),
    HttpApiEndpoint.post("sendAgain", "/console/api/merchants/:merchant_id/people/:person_id/send_again", {
      params: ofPerson,
      success: enveloped(PersonResource),
      error: [PersonNotFound, RateLimited]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Send an invitation again",
        description: "In a new mail, with the full time to accept it. 429: too many were sent today."
      })
    ),
    HttpApiEndpoint.post("setRole", "/console/api/merchants/:merchant_id/people/:person_id", {
      params: ofPerson,
      payload: Schema.Struct({ role: personRole }).annotate({ examples: [{ role: "finance" }] }),
      success: enveloped(PersonResource),
      error: [Conflict, InvalidRequest, PersonNotFound]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Change a role",
        description: "It takes effect with the person's next request. 409 for the last owner."
      })
    ),
    HttpApiEndpoint.post("remove", "/console/api/merchants/:merchant_id/people/:person_id/remove", {
      params: ofPerson,
      success: enveloped(PersonResource),
      error: [Conflict, PersonNotFound]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Remove a person",
        description:
          "It takes effect with the person's next request. An invitation is withdrawn. 409 for the last owner."
      })
    ),
    HttpApiEndpoint.post("endSessions", "/console/api/merchants/:merchant_id/people/:person_id/end_sessions", {
      params: ofPerson,
      success: enveloped(PersonResource),
      error: PersonNotFound
    }).annotateMerge(
      OpenApi.annotations({
        summary: "End a person's sessions",
        description:
          "Immediately on all runners. If the person has roles elsewhere as well, the sessions end only for this " +
          "merchant. The person may sign in again."
      })
    ),
    HttpApiEndpoint.post("recover", "/console/api/merchants/:merchant_id/people/:person_id/recover", {
      params: ofPerson,
      success: enveloped(PersonResource),
      error: [Conflict, PersonNotFound]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Reset the access of a person who can't sign in",
        description:
          "Removes the person's passkeys, sessions and links, and sends one link that works once, for 15 minutes. " +
          "409: it is your own access, or the person also has a role elsewhere, so only operators may reset it."
      })
    )
  )
  .middleware(Decoding)
  .middleware(PersonSession)
  .annotate(OpenApi.Description, "People of a merchant.") {}

export class ConsoleApi extends HttpApi.make("coffer-console")
  .add(SignInGroup)
  .add(SessionGroup)
  .add(PasskeysGroup)
  .add(InvitationsGroup)
  .add(MerchantPeopleGroup)
  .add(ConsoleApiKeysGroup)
  .add(MainKeysGroup)
  .add(MerchantSettingsGroup)
  .add(MerchantAuditLogGroup)
  .add(MerchantPayoutsGroup)
  .add(OverviewGroup)
  .add(MerchantSearchGroup)
  .add(SavedViewsGroup)
  .add(NotificationsGroup)
  .add(MerchantQuotasGroup)
  .annotate(HttpApi.QueryParseOptions, knownParametersOnly)
  .annotateMerge(
    OpenApi.annotations({
      title: "Coffer for the console",
      version: "1.0.0",
      description: "The calls of the console's pages.",
      transform: publishOperators
    })
  ) {}
