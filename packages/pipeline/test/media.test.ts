/** Pictures, videos, sounds and files, from the input to the output. */
import { join } from "node:path";
import { sqliteStore } from "@millrace/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  audio,
  Condition,
  type ExecutorRequest,
  file,
  image,
  Loop,
  type MediaSet,
  Parallel,
  Pipeline,
  type PipelineOptions,
  Router,
  Step,
  Steps,
  stepOutput,
  video,
} from "../src/index.js";
import { fakeAgent } from "./support/fake-executor.js";
import { temporaryDirectory } from "./support/files.js";
import { pipeline, step } from "./support/pipelines.js";

const url = "https://example.com/a";

/** One of each kind. */
function media(name: string): MediaSet {
  return {
    images: [image({ id: `${name}-image`, url })],
    videos: [video({ id: `${name}-video`, filepath: "/a.mp4" })],
    audio: [audio({ id: `${name}-audio`, content: new Uint8Array([1, 2, 3]) })],
    files: [file({ id: `${name}-file` })],
  };
}

const makes = (name: string): Step => step(name, { executor: () => stepOutput({ content: name, ...media(name) }) });

/** What it was given, by kind. */
const looks = new Step({ name: "looks", executor: (input) => idsOf(input) });

function idsOf({ images, videos, audio: sounds, files }: MediaSet): Record<keyof MediaSet, string[]> {
  const ids = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);
  return { images: ids(images), videos: ids(videos), audio: ids(sounds), files: ids(files) };
}

const all = (...names: readonly string[]): Record<keyof MediaSet, string[]> => ({
  images: names.map((name) => `${name}-image`),
  videos: names.map((name) => `${name}-video`),
  audio: names.map((name) => `${name}-audio`),
  files: names.map((name) => `${name}-file`),
});

const groups: Record<string, { readonly steps: PipelineOptions["steps"]; readonly made: readonly string[] }> = {
  steps: { steps: [makes("a"), makes("b")], made: ["a", "b"] },
  Steps: { steps: [new Steps({ name: "g", steps: [makes("a"), makes("b")] })], made: ["a", "b"] },
  Loop: { steps: [new Loop({ name: "g", maxIterations: 2, steps: [makes("a")] })], made: ["a"] },
  Parallel: { steps: [new Parallel("g", makes("a"), makes("b"))], made: ["a", "b"] },
  "Parallel whose second branch is faster": {
    steps: [
      new Parallel(
        "g",
        step("a", { executor: () => new Promise((resolve) => setTimeout(() => resolve(stepOutput(media("a"))), 15)) }),
        makes("b"),
      ),
    ],
    made: ["a", "b"],
  },
  Condition: {
    steps: [new Condition({ name: "g", evaluator: false, steps: [makes("x")], elseSteps: [makes("a")] })],
    made: ["a"],
  },
  Router: {
    steps: [new Router({ name: "g", choices: [makes("a"), makes("b")], selector: () => ["b", "a"] })],
    made: ["b", "a"],
  },
  "a nested pipeline": { steps: [new Pipeline({ name: "Inner", steps: [makes("a")] })], made: ["a"] },
  "everything in everything": {
    steps: [
      new Loop({
        name: "loop",
        maxIterations: 1,
        steps: [
          new Parallel(
            "p",
            new Condition({
              name: "c",
              steps: [new Router({ name: "r", choices: [makes("a")], selector: () => "a" })],
            }),
            new Pipeline({ name: "Inner", steps: [new Steps({ name: "s", steps: [makes("b")] })] }),
          ),
        ],
      }),
    ],
    made: ["a", "b"],
  },
};

describe("media of all four kinds", () => {
  it.each(Object.entries(groups))("come with the input and out of: %s", async (_name, { steps, made }) => {
    const output = await pipeline([...steps, looks]).run("in", media("in"));

    expect(output.content).toEqual(all("in", ...made));
    expect(idsOf(output)).toEqual(all("in", ...made));
    expect(output.audio[0]).toEqual({ kind: "audio", id: "in-audio", content: "AQID" });
  });

  it("reach agents, evaluators and selectors, and come from agents", async () => {
    const seen: unknown[] = [];
    const agent = fakeAgent("agent", (request: ExecutorRequest) => {
      seen.push(idsOf(request));
      return media("agent");
    });
    const output = await pipeline([
      makes("a"),
      agent,
      new Condition({ name: "c", evaluator: (input) => seen.push(idsOf(input)) > 0, steps: [step("x")] }),
      new Router({
        name: "r",
        choices: [step("y")],
        selector: (input) => {
          seen.push(idsOf(input));
          return "y";
        },
      }),
    ]).run("in", media("in"));

    expect(seen).toEqual([all("in", "a"), all("in", "a", "agent"), all("in", "a", "agent")]);
    expect(idsOf(output)).toEqual(all("in", "a", "agent"));
  });

  it("are the same for all branches of a Parallel: no branch sees what another has made", async () => {
    const output = await pipeline([new Parallel("p", makes("a"), looks)]).run("in", media("in"));

    expect(output.stepResults[0]?.steps[1]?.content).toEqual(all("in"));
  });

  it("of the outer run reach a nested pipeline, at any depth", async () => {
    const inner = new Pipeline({
      name: "Inner",
      steps: [new Pipeline({ name: "Innermost", steps: [makes("deep"), looks] })],
    });
    const output = await pipeline([makes("a"), inner]).run("in", media("in"));

    expect(output.content).toEqual(all("in", "a", "deep"));
  });

  it("are kept once each, by their id, whoever repeats them", async () => {
    const echo = step("echo", {
      executor: ({ images, videos, audio: sounds, files }) => stepOutput({ images, videos, audio: sounds, files }),
    });
    const agent = fakeAgent("agent", ({ images, files }) => ({ images, files }));
    const output = await pipeline([echo, agent, makes("in"), new Parallel("p", echo, echo), looks]).run("in", {
      ...media("in"),
      images: [...media("in").images, { id: "in-image", url: `${url}b` }, { url }, { url }],
    });
    const { images } = output.content as ReturnType<typeof idsOf>;

    expect(images).toHaveLength(2);
    expect(images[0]).toBe("in-image");
    expect(output.images).toHaveLength(2);
    expect(output.files).toHaveLength(1);
  });

  it("leave the caller's lists as they are, and do not follow them", async () => {
    const given = { images: [{ id: "one", url }], files: [{ id: "file" }] };
    const before = structuredClone(given);
    const made = pipeline([makes("a"), looks]);
    const run = made.run("in", given);
    given.images.push({ id: "late", url });
    const output = await run;

    expect((output.content as ReturnType<typeof idsOf>).images).toEqual(["one", "a-image"]);
    expect(given.images.slice(0, 1)).toEqual(before.images);
    expect(given.files).toEqual(before.files);
  });

  it("are there after a pause, in another process too, in the step and in the paused output", async () => {
    const path = join(temporaryDirectory(), "runs.db");
    const make = (): Pipeline => {
      const one = new Pipeline({
        name: "Media",
        store: sqliteStore(path, { durability: "process" }),
        steps: [
          new Parallel("p", makes("a"), makes("b")),
          new Pipeline({
            name: "Inner",
            steps: [step("asked", { executor: (input) => idsOf(input), humanReview: { requiresConfirmation: true } })],
          }),
          step("looks", { executor: (input) => [input.previousStepContent, idsOf(input)] }),
        ],
      });
      onTestFinished(() => one.close());
      return one;
    };
    const first = make();
    const paused = await first.run("in", { runId: "one", ...media("in") });
    await first.close();
    const second = make();
    const again = await second.getRun("one");
    again.requirements[0]?.confirm();
    const output = await second.continueRun(again);

    expect(idsOf(paused)).toEqual(all("in", "a", "b"));
    expect(again.audio).toEqual(paused.audio);
    expect(output.content).toEqual([all("in", "a", "b"), all("in", "a", "b")]);
    expect(idsOf(output)).toEqual(all("in", "a", "b"));
  });

  it("that are wrong are refused at once, all of them, before anything is stored", async () => {
    const made = pipeline([step("a")]);
    const wrong = { images: [{ url: "no url" }, { url, filepath: "/a.png" }], files: [{ url, mimeType: "video/mp4" }] };

    expect(() => made.run("in", wrong)).toThrow(
      expect.objectContaining({
        code: "OPTION_INVALID",
        details: {
          problems: [
            expect.stringContaining("images[0]"),
            expect.stringContaining("images[1]"),
            expect.stringContaining("files[0]"),
          ],
        },
      }),
    );
    expect((await made.runs()).runs).toEqual([]);
  });
});
