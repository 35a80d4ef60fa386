/** A schema for plain data that is made here, or checked elsewhere. */
export const anything = {
  "~standard": { version: 1 as const, vendor: "millrace", validate: (value: unknown) => ({ value }) },
};
