/** People, their roles and their sessions on the wire, and the operator's calls about them (docs/security.md). */
import { PersonRole } from "@coffer/model/PersonRole"
import { Role } from "@coffer/model/Role"
import { optional, withoutNulls } from "@coffer/model/optional"
import { OneLine } from "@coffer/model/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Decoding, OperatorToken } from "./Caller.ts"
import { enveloped, listed } from "./Envelope.ts"
import { Conflict, InvalidRequest, MerchantNotFound, PersonNotFound } from "./Errors.ts"
import { Email, instant, kind, orNull, text, withExample } from "./fields.ts"
import { ListQuery } from "./Lists.ts"
import { needsApproval } from "./Operators.ts"
import { sampleIds } from "./sampleIds.ts"

export const personName = OneLine(1, 100).annotate({ description: "The name that others see." })
export const personEmail = Email.annotate({ description: "The address for sign-in links. Case is ignored." })

const role = Schema.Union([PersonRole, Role]).annotate({
  description:
    "For a merchant: an owner does everything, a developer builds the integration, support helps buyers, finance " +
    "moves money, a viewer reads. For the installation: `viewer`, `support`, `finance` or `admin`, as operators."
})

export const MembershipResource = Schema.Struct({
  merchant_id: orNull(Schema.String, "The merchant that the role is for; null for the installation, as an operator."),
  role,
  created_at: instant("When the role was first given.")
}).annotate({ identifier: "Membership", description: "A role of a person." })

export const personSample = {
  object: "person",
  person_id: sampleIds.person,
  email: "ada@shop.example",
  name: "Ada",
  roles: [{ merchant_id: sampleIds.merchant, role: "developer", created_at: "2026-11-20T08:00:00.000Z" }],
  status: "active",
  created_at: "2026-11-20T08:00:00.000Z",
  last_seen_at: "2026-11-21T09:29:00.000Z"
} as const

export const PersonResource = withExample(
  Schema.Struct({
    object: kind("person"),
    person_id: text(
      "Number of the person. An invitation has its own number, which becomes the number of a new person."
    ),
    email: text("Where sign-in links go."),
    name: text("The name that others see."),
    roles: Schema.Array(MembershipResource).annotate({
      description: "For a merchant, only its own; for operators, all."
    }),
    status: Schema.Literals(["active", "invited"]).annotate({
      description: "`invited`: the role is offered and not accepted yet; only the typed name and address are shown."
    }),
    created_at: instant("When the person was first invited."),
    last_seen_at: orNull(
      Schema.String,
      "Time of the person's last request, to the minute; null before the first one, and for a merchant if the " +
        "person also has other roles."
    )
  }).annotate({ identifier: "Person", description: "A person who signs in to the console." }),
  personSample
)
export type PersonResource = typeof PersonResource.Encoded

export const invitationSample = {
  object: "invitation",
  invitation_id: sampleIds.person,
  merchant_id: sampleIds.merchant,
  merchant_name: "Bookshop",
  role: "developer",
  invited_by: "owner@shop.example",
  created_at: "2026-11-20T08:00:00.000Z",
  expires_at: "2026-12-20T08:00:00.000Z"
} as const

export const InvitationResource = withExample(
  Schema.Struct({
    object: kind("invitation"),
    invitation_id: text("Number of the invitation."),
    merchant_id: orNull(Schema.String, "The merchant that the role is for; null for the installation."),
    merchant_name: orNull(Schema.String, "The name of that merchant."),
    role,
    invited_by: orNull(Schema.String, "The address of the person who invites; null for operators."),
    created_at: instant("When the role was offered."),
    expires_at: instant("Deadline for accepting it.")
  }).annotate({ identifier: "Invitation", description: "A role that is offered to the person who is signed in." }),
  invitationSample
)
export type InvitationResource = typeof InvitationResource.Encoded

export const sessionSample = {
  object: "session",
  session_id: sampleIds.session,
  is_current: true,
  way: "link",
  ip: "203.0.113.9",
  user_agent: "Mozilla/5.0",
  created_at: "2026-11-21T08:00:00.000Z",
  last_seen_at: "2026-11-21T09:29:00.000Z",
  expires_at: "2026-11-28T08:00:00.000Z"
} as const

export const SessionResource = withExample(
  Schema.Struct({
    object: kind("session"),
    session_id: text("Number of the session."),
    is_current: Schema.Boolean.annotate({ description: "Whether it is the session of this request." }),
    way: Schema.Literals(["link", "passkey", "openid"]).annotate({ description: "How the person signed in." }),
    ip: text("The address that it was opened from."),
    user_agent: text("The browser, as it identifies itself."),
    created_at: instant("When it was opened."),
    last_seen_at: instant("Time of its last request, to the minute."),
    expires_at: instant("When it ends at the latest, however active it is.")
  }).annotate({ identifier: "Session", description: "A browser in which a person is signed in." }),
  sessionSample
)
export type SessionResource = typeof SessionResource.Encoded

export const personParams = { person_id: text("The person's number.") }

const InvitePerson = withoutNulls(
  Schema.Struct({
    email: personEmail,
    name: optional(personName, "The name that others see. Default: the address."),
    merchant_id: optional(Schema.String, "The merchant that the role is for; if omitted, the installation."),
    role
  }).annotate({ examples: [{ email: "ada@shop.example", merchant_id: sampleIds.merchant, role: "owner" }] })
)

/** Names one of the roles of a person. */
const OfRole = withoutNulls(
  Schema.Struct({
    merchant_id: optional(Schema.String, "The merchant that the role is for; if omitted, the installation.")
  }).annotate({ examples: [{ merchant_id: sampleIds.merchant }] })
)

export const PeopleQuery = Schema.Struct({
  ...ListQuery,
  merchant_id: Schema.optionalKey(text("People of this merchant; `installation`: operators.")),
  role: Schema.optionalKey(text("People with this role.")),
  search: Schema.optionalKey(text("People whose address or name contains this text."))
})
export type PeopleQuery = typeof PeopleQuery.Type

export class PeopleGroup extends HttpApiGroup.make("people")
  .add(
    HttpApiEndpoint.get("list", "/operator/v1/people", {
      query: PeopleQuery,
      success: listed(PersonResource),
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({
        summary: "People and their roles, newest first",
        description:
          "For the yearly review of access: people with their roles, when each was last seen, and who is invited."
      })
    ),
    HttpApiEndpoint.post("invite", "/operator/v1/people", {
      payload: InvitePerson,
      success: [enveloped(PersonResource), needsApproval],
      error: [Conflict, InvalidRequest, MerchantNotFound]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Give a person a role",
        description:
          "The person gets a mail, and has the role once it is accepted: a person without any role by signing in, " +
          "others in the console. The same request again sends the mail again. If the person already has a role " +
          "there, the new one replaces it. 202: a role of the installation needs two operators."
      })
    ),
    HttpApiEndpoint.post("remove", "/operator/v1/people/:person_id/remove", {
      params: personParams,
      payload: OfRole,
      success: enveloped(PersonResource),
      error: [InvalidRequest, PersonNotFound]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Take a role away",
        description:
          "It takes effect with the next request of every session of the person, on all runners. An invitation is " +
          "withdrawn."
      })
    ),
    HttpApiEndpoint.post("endSessions", "/operator/v1/people/:person_id/end_sessions", {
      params: personParams,
      success: enveloped(PersonResource),
      error: PersonNotFound
    }).annotateMerge(
      OpenApi.annotations({
        summary: "End all sessions of a person",
        description: "Immediately on all runners. The person may sign in again."
      })
    ),
    HttpApiEndpoint.post("recover", "/operator/v1/people/:person_id/recover", {
      params: personParams,
      success: [enveloped(PersonResource), needsApproval],
      error: [Conflict, PersonNotFound]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Reset the access of a person who can't sign in",
        description:
          "Removes the person's passkeys, sessions and links, and sends one link that works once, for 15 minutes. " +
          "202: for an operator, or the last owner of a merchant, it needs two operators, and another one has to " +
          "send the same request."
      })
    )
  )
  .middleware(Decoding)
  .middleware(OperatorToken)
  .annotate(OpenApi.Description, "People who sign in to the console, and their roles.") {}
