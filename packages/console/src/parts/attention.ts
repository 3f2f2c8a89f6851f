/** The list of what operators have to look at: in their menu, and where it is named elsewhere. */
export const attention = { en: { title: "Needs attention" }, zh: { title: "需关注" } }
