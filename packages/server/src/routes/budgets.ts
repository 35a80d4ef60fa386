/** Routes of budgets. Those of tenants are of the whole store, so for callers that belong to no tenant. */
import { assertNoTenant } from "../guard/auth.js";
import { budget, budgetQuery, daySpending } from "../wire/operate-schemas.js";
import { idParams } from "../wire/schemas.js";
import { json, mount } from "./route.js";
import type { Server } from "./server.types.js";

export function mountBudgets(server: Server): void {
  const { runtime } = server;
  mount(server, {
    route: "GET /budgets",
    needs: ["read", "every"],
    operation: "listBudgets",
    summary: "What each tenant has spent of its budget in a day",
    tag: "Budgets",
    query: budgetQuery,
    answers: { 200: ["The day", daySpending] },
    handle: async ({ tenant, query: { day } }) => {
      assertNoTenant(tenant, "whoever looks after the budgets");
      return json(await runtime.budgets.tenants(day === undefined ? {} : { day }));
    },
  });
  mount(server, {
    route: "GET /handlers/{id}/budget",
    needs: ["read", "run"],
    operation: "getBudget",
    summary: "What a run with its children has spent of its budget",
    tag: "Handlers",
    params: idParams,
    answers: { 200: ["All 0 for a run without a call that costs something", budget] },
    handle: async ({ tenant, params: { id } }) => {
      await runtime.handle(id, { tenant }).summary(); // refuses a run that does not exist
      return json(await runtime.budgets.run(id, { tenant }));
    },
  });
}
