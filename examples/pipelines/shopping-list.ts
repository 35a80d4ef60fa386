// Two agents whose tools share one list, which a file keeps. `pnpm --filter millrace-examples shopping-list`
import { Agent, type RunContext, tool } from "@millrace/agents";
import { Pipeline, type PipelineOptions, Step } from "@millrace/pipeline";
import { printPipelineResponse } from "@millrace/print";
import { sqliteStore } from "@millrace/sqlite";
import * as z from "zod";
import { call, model } from "./support/model.js";
import { temporaryFile } from "./support/temporary-file.js";

/** The list in the session state: live, so what a tool pushes is there for everybody. */
const listIn = ({ sessionState }: RunContext) => sessionState["shopping_list"] as string[];
const same = (one: string) => (other: string) => one.toLowerCase() === other.toLowerCase();
const oneItem = z.object({ item: z.string() });

const addItem = tool({
  name: "add_item",
  description: "Add an item to the shopping list.",
  parameters: oneItem,
  execute: ({ item }, { runContext }) => {
    const list = listIn(runContext);
    if (list.some(same(item))) return `'${item}' is already in the shopping list.`;
    list.push(item);
    return `Added '${item}' to the shopping list.`;
  },
});

const removeItem = tool({
  name: "remove_item",
  description: "Remove an item from the shopping list.",
  parameters: oneItem,
  execute: ({ item }, { runContext }) => {
    const list = listIn(runContext);
    if (list.length === 0) return `Shopping list is empty. Cannot remove '${item}'.`;
    const index = list.findIndex(same(item));
    if (index < 0) return `'${item}' not found in the shopping list.`;
    return `Removed '${list.splice(index, 1)[0]}' from the shopping list.`;
  },
});

const removeAllItems = tool({
  name: "remove_all_items",
  description: "Remove all items from the shopping list.",
  execute: (_args, { runContext }) => {
    runContext.sessionState = { ...runContext.sessionState, shopping_list: [] };
    return "Removed all items from the shopping list.";
  },
});

const listItems = tool({
  name: "list_items",
  description: "List all items in the shopping list.",
  execute: (_args, { runContext }) => {
    const list = listIn(runContext);
    if (list.length === 0) return "Shopping list is empty.";
    return `Shopping list:\n${list.map((item) => `- ${item}`).join("\n")}`;
  },
});

const shoppingAssistant = new Agent({
  name: "Shopping Assistant",
  model: model("gpt-5-mini", ({ message, toolResults }) => {
    if (toolResults.length > 0) return toolResults.join("\n");
    const items = message.match(/milk|bread|eggs|apples|bananas/g) ?? [];
    const action = /remove/i.test(message) ? "remove_item" : "add_item";
    return items.length > 0 ? items.map((item) => call(action, { item })) : message;
  }),
  tools: [addItem, removeItem, listItems],
  instructions: [
    "You are a helpful shopping assistant.",
    "You can help users manage their shopping list by adding, removing, and listing items.",
    "Always use the provided tools to interact with the shopping list.",
    "Be friendly and helpful in your responses.",
  ],
});

const listManager = new Agent({
  name: "List Manager",
  model: model("gpt-5-mini", ({ message, toolResults }) => {
    if (toolResults.length > 0) return toolResults.join("\n");
    return /clear/i.test(message) ? [call("remove_all_items"), call("list_items")] : [call("list_items")];
  }),
  tools: [listItems, removeAllItems],
  instructions: [
    "You are a list management specialist.",
    "You can view the current shopping list and clear it when needed.",
    "Always show the current list when asked.",
    "Confirm actions clearly to the user.",
  ],
});

export function createShopping(options: Partial<PipelineOptions> = {}): Pipeline {
  return new Pipeline({
    name: "Shopping List Workflow",
    steps: [
      new Step({
        name: "manage_items",
        description: "Help manage shopping list items (add/remove)",
        executor: shoppingAssistant,
      }),
      new Step({ name: "view_list", description: "View and manage the complete shopping list", executor: listManager }),
    ],
    sessionState: { shopping_list: [] }, // what a new session begins with
    ...options,
  });
}

const requests = [
  ["Adding Items", "Please add milk, bread, and eggs to my shopping list."],
  ["Adding More Items", "Add apples and bananas to the list, then show me the complete list."],
  ["Removing Items", "Remove bread from the list and show me what's left."],
  ["Clearing List", "Clear the entire shopping list and confirm it's empty."],
] as const;

if (import.meta.main) {
  await using shopping = createShopping({ store: sqliteStore(temporaryFile("workflow.db")) });
  // Runs that name no session share one: its state is kept from run to run.
  for (const [index, [title, request]] of requests.entries()) {
    console.log(`=== Example ${index + 1}: ${title} ===`);
    await printPipelineResponse(shopping, request);
    console.log("Workflow session state:", await shopping.getSessionState(), "\n");
  }
}
