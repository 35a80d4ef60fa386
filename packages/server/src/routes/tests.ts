/** Tests that are made of runs, if the server has the option `tests`. */
import { HttpError } from "../http/http-error.js";
import type { RunTests } from "../options.js";
import { runTest, testQuery } from "../wire/about-schemas.js";
import { idParams } from "../wire/schemas.js";
import { json, mount } from "./route.js";
import type { Server } from "./server.types.js";

export function mountTests(server: Server, tests: RunTests): void {
  const { runtime } = server;
  mount(server, {
    route: "GET /handlers/{id}/test",
    needs: ["read", "run"],
    operation: "getTest",
    summary: "A test that plays a run which has ended again, offline",
    tag: "Handlers",
    params: idParams,
    query: testQuery,
    answers: { 200: ["Its two files", runTest] },
    handle: async ({ tenant, params: { id }, query: { redact } }) => {
      const made = await tests.make({ runtime, runId: id, tenant, redact: redact ?? [] });
      if (made === null)
        throw new HttpError({ status: 404, code: "SOURCE_UNKNOWN", detail: "The code of its workflow is not known." });
      const { recording, test } = made;
      return json({ recording, test });
    },
  });
}
