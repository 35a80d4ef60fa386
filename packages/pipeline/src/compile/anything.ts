import type { StandardSchema } from "millrace";

/** A schema for plain data that is made here, or checked elsewhere. */
export const anything: StandardSchema = {
  "~standard": { version: 1 as const, vendor: "millrace", validate: (value: unknown) => ({ value }) },
};
