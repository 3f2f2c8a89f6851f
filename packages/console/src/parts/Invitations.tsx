/** Roles that are offered to the person who is signed in. Nothing is loaded or shown if there are none. */
import { shown } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { lastOf, useAtom } from "../api/registry.ts"
import { page } from "./Part.tsx"

const OpenInvitations = page(() => import("./OpenInvitations.tsx"))

export const invitationsAtom = OwnApi.query("invitations", "list", { reactivityKeys: shown })

export const Invitations = () => {
  const open = lastOf(useAtom(invitationsAtom))?.data.data ?? []
  return open.length === 0 ? null : <OpenInvitations open={open} />
}
