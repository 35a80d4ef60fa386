/** What a program may import, and the file that the site serves for it. */
export const modules: Readonly<Record<string, string>> = {
  millrace: "millrace.js",
  "millrace/graph": "millrace-graph.js",
  "millrace/runtime": "millrace-runtime.js",
  "@millrace/pipeline": "millrace-pipeline.js",
  "@millrace/testing": "millrace-testing.js",
  zod: "zod.js",
};

/** The run file that the visitor has opened, as a module of JSON. */
export const openedRun = "./a.run";
