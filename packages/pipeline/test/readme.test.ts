import { expect, it } from "vitest";
import { Parallel, Pipeline, Step } from "../src/index.js";

it("the first example of the README counts every one of twenty runs at once", async () => {
  const article = new Pipeline({
    name: "article",
    sessionState: { articles: 0 },
    steps: [
      new Parallel("write", new Step({ name: "title", executor: () => "Rivers" })),
      async (input, { editState }) => {
        const number = await editState((state) => ++state.articles);
        return `# ${number}. ${input.getStepContent("title")}`;
      },
    ],
  });

  await Promise.all(Array.from({ length: 20 }, () => article.run("rivers", { sessionId: "s" })));

  expect(await article.getSessionState("s")).toEqual({ articles: 20 });
  await article.close();
});
