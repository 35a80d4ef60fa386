import type { FormOf } from "./encode-tree.js";
import { errorFrom, recordError } from "./error-record.js";
import { formsWith } from "./forms.js";

/** The form of a value in a run. An error keeps its stack, its cause and its details. */
export const formOf: FormOf = /* @__PURE__ */ formsWith({
  tag: ["custom", "@error"],
  encode: recordError,
  copy: (error: Error) => errorFrom(recordError(error)),
});
