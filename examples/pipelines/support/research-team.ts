/** A team that several examples share. Its tools would search the web; here they know one answer each. */
import { Agent, Team, tool } from "@millrace/agents";
import * as z from "zod";
import { call, model } from "./model.js";

const topic = z.object({ topic: z.string() });

export const searchHackernews = tool({
  name: "search_hackernews",
  description: "Find stories on Hackernews.",
  parameters: topic,
  execute: ({ topic }) => `Hackernews on ${topic}: small models run on laptops (412 points).`,
});

export const searchWeb = tool({
  name: "search_web",
  description: "Search the web for news.",
  parameters: topic,
  execute: ({ topic }) => `The web on ${topic}: agents move from demos into products.`,
});

const hackernewsAgent = new Agent({
  name: "Hackernews Agent",
  model: model("gpt-5-mini", ({ message, toolResults }) => {
    return toolResults.length > 0 ? toolResults.join(" ") : [call("search_hackernews", { topic: message })];
  }),
  tools: [searchHackernews],
  role: "Extract key insights and content from Hackernews posts",
});

const webAgent = new Agent({
  name: "Web Agent",
  model: model("gpt-5-mini", ({ message, toolResults }) => {
    return toolResults.length > 0 ? toolResults.join(" ") : [call("search_web", { topic: message })];
  }),
  tools: [searchWeb],
  role: "Search the web for the latest news and trends",
});

/** Its leader has one tool, which gives a task to a member. */
export const researchTeam = new Team({
  name: "Research Team",
  model: model("gpt-5-mini", ({ message: task, toolResults }) => {
    if (toolResults.length > 0) return toolResults.join("\n");
    return ["hackernews-agent", "web-agent"].map((member) => call("delegate_task_to_member", { member, task }));
  }),
  members: [hackernewsAgent, webAgent],
  instructions: "Research tech topics from Hackernews and the web",
});
