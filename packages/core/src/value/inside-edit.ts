/**
 * What is made inside of an edit from its draft has to be plain: drafts end with the edit.
 *
 * Null until the first edit, so that whoever makes something before pays for one look.
 */
export const insideEdit: { plain: ((value: unknown) => unknown) | null } = { plain: null };
