/** What a program may import, and the file that the site serves for it. */
export const modules: Readonly<Record<string, string>> = {
  millrace: "millrace.js",
  "millrace/graph": "millrace-graph.js",
  "millrace/runtime": "millrace-runtime.js",
  "@millrace/pipeline": "millrace-pipeline.js",
  zod: "zod.js",
};
