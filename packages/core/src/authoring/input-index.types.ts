/** What of the input of a workflow finds its runs. */

/** What a function of an index may return; `undefined`: the run has no such value. Of a list, each text finds the run. */
export type IndexValue = string | number | boolean | null | undefined | readonly string[];

/**
 * Functions by name: each gets the start event, and returns the value by which `runtime.runs({ input: { name: value } })` finds the run.
 * At most 10 names of 1 to 50 letters, digits, `_`, `-` or `.`; at most 20 values of a list, each of at most 255 bytes of UTF-8.
 */
export type InputIndex = { readonly [name: string]: (input: never) => IndexValue };
