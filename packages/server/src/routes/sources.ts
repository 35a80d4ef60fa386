/** The source code of steps, if the server has the option `sources`. */
import { HttpError } from "../http/http-error.js";
import type { StepSources } from "../options.js";
import { stepSource } from "../wire/about-schemas.js";
import { stepParams } from "../wire/schemas.js";
import { json, mount } from "./route.js";
import type { Server } from "./server.types.js";

export function mountSources(server: Server, sources: StepSources): void {
  mount(server, {
    route: "GET /workflows/{name}/steps/{step}/source",
    needs: ["read", "workflow"],
    operation: "getStepSource",
    summary: "The code of a step, as its author wrote it",
    tag: "Workflows",
    params: stepParams,
    answers: { 200: ["The code", stepSource] },
    handle: async ({ params: { name, step } }) => {
      const { workflow, compiled } = server.catalog.get(name);
      if (!compiled.steps.has(step)) throw sourceUnknown(`${name} has no step ${JSON.stringify(step)}.`);
      const found = await sources.read(workflow, step);
      if (found === null) throw sourceUnknown(`The code of the step ${JSON.stringify(step)} of ${name} is not known.`);
      const { file, line, text } = found;
      return json({ file, line, text });
    },
  });
}

function sourceUnknown(detail: string): HttpError {
  return new HttpError({ status: 404, code: "SOURCE_UNKNOWN", detail });
}
