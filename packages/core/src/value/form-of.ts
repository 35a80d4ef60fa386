import type { FormOf } from "./encode-tree.js";
import { recordError } from "./error-record.js";
import { formsWith } from "./forms.js";

/** The form of a value in a run. An error keeps its stack, its cause and its details. */
export const formOf: FormOf = /* @__PURE__ */ formsWith({ tag: ["custom", "@error"], encode: recordError });
