/**
 * What is made inside of an edit from its draft has to be plain: drafts end with the edit.
 *
 * Null while no callback of an edit is on the stack, so that whoever makes something pays for one look.
 */
export const insideEdit: { plain: ((value: unknown) => unknown) | null } = { plain: null };
