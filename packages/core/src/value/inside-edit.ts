/**
 * What is made inside of an edit from its draft has to be plain: drafts end with the edit.
 *
 * `null` until the first edit, so that earlier checks cost one comparison.
 */
export const insideEdit: { plain: ((value: unknown) => unknown) | null } = { plain: null };
