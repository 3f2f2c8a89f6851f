/** Roles by OpenID Connect: the claim that an installation trusts, and the role of each of its values. */
import { installation, PersonRole } from "@coffer/model/PersonRole"
import { Role } from "@coffer/model/Role"
import { Schema } from "effect"

export interface MappedRole {
  /** The claim's. */
  readonly value: string
  readonly role: string
  /** The number of a merchant, or `installation`. */
  readonly belongsTo: string
}

const entry = /^([^=,]{1,200})=([a-z]+)(?:@(mer_[0-9A-HJKMNP-TV-Z]{26}))?$/
const mappedRolesMax = 1_000

/** `admins=admin,owners=owner@mer_...`: a role of the installation, or of a merchant. Undefined for anything else. */
export const readMappedRoles = (text: string): ReadonlyArray<MappedRole> | undefined => {
  const mapped: Array<MappedRole> = []
  for (const each of text.split(",").map((word) => word.trim())) {
    if (each === "") continue
    const [, value, role = "", belongsTo = installation] = entry.exec(each) ?? []
    const isKnown = belongsTo === installation ? Schema.is(Role)(role) : Schema.is(PersonRole)(role)
    if (value === undefined || !isKnown || mapped.length >= mappedRolesMax) return undefined
    mapped.push({ value: value.trim(), role, belongsTo })
  }
  return mapped
}

type Claims = Readonly<Record<string, unknown>>

const claimIn = (claims: Claims, name: string): unknown =>
  Object.hasOwn(claims, name)
    ? claims[name]
    : name
        .split(".")
        .reduce<unknown>(
          (inner, part) =>
            typeof inner === "object" && inner !== null && Object.hasOwn(inner, part)
              ? (inner as Record<string, unknown>)[part]
              : undefined,
          claims
        )

/** Whether the claim is present. An empty list counts as present. */
export const isSaid = (claims: Claims, name: string): boolean => {
  const found = claimIn(claims, name)
  return typeof found === "string" || Array.isArray(found)
}

/** The values of a claim: a text, or a list of texts. Dots in the name may address nested objects. */
export const claimedValues = (claims: Claims, name: string): ReadonlyArray<string> => {
  const found = claimIn(claims, name)
  return (Array.isArray(found) ? found : [found]).filter((value) => typeof value === "string")
}

/**
 * The role at each place in the mapping; null: none. The first matching entry decides. At these places the provider is
 * authoritative, so that a person who leaves a group loses its role.
 */
export const rolesByClaim = (
  mapped: ReadonlyArray<MappedRole>,
  values: ReadonlyArray<string>
): ReadonlyArray<{ readonly belongsTo: string; readonly role: string | null }> =>
  [...new Set(mapped.map(({ belongsTo }) => belongsTo))].map((belongsTo) => ({
    belongsTo,
    role: mapped.find((each) => each.belongsTo === belongsTo && values.includes(each.value))?.role ?? null
  }))
