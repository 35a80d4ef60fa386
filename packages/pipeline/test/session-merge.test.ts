/** Two runs of one session that begin with the same state. */
import { describe, expect, it } from "vitest";
import { Parallel, Pipeline, type RunContext, type SessionReducers, Step, type StepFunction } from "../src/index.js";
import { Gate } from "./support/gate.js";
import { pipeline } from "./support/pipelines.js";

type State = Record<string, unknown>;
type Work = (context: RunContext) => unknown;

/** Both begin before either of them ends; the second ends last. Gives what is stored then. */
async function bothOf(
  template: State,
  works: readonly [Work, Work],
  given: State | null = null,
  reducers: SessionReducers = {},
): Promise<State> {
  const begun = [new Gate(), new Gate()] as const;
  const open = [new Gate(), new Gate()] as const;
  const work: StepFunction = async ({ input }, context) => {
    const index = input as 0 | 1;
    begun[index].pass();
    await open[index].passed;
    await works[index](context);
  };
  const both = pipeline([new Step({ name: "work", executor: work, maxRetries: 1 })], {
    sessionState: template,
    reducers,
  });
  const runs = [
    both.run(0, { sessionId: "s" }),
    both.run(1, { sessionId: "s", ...(given !== null && { sessionState: given }) }),
  ] as const;
  await Promise.all(begun.map(({ passed }) => passed));
  open[0].pass();
  await runs[0];
  open[1].pass();
  await runs[1];
  return both.getSessionState("s");
}

const counts =
  (amount: number): Work =>
  ({ editState }) =>
    editState((state) => void (state["n"] = ((state["n"] as number | undefined) ?? 0) + amount));
const sets =
  (value: unknown): Work =>
  ({ sessionState }) =>
    void (sessionState["n"] = value);

describe("a number that two runs change", () => {
  it("has the amounts of both, where both have counted", async () => {
    expect(await bothOf({ n: 10 }, [counts(2), counts(-5)])).toEqual({ n: 7 });
    expect(await bothOf({}, [counts(2), counts(3)])).toEqual({ n: 5 });
  });

  it("is that of the later one, where that has set it", async () => {
    expect(await bothOf({ n: 10 }, [counts(2), sets(50)])).toEqual({ n: 50 });
    expect(await bothOf({ n: 10 }, [sets(40), sets(50)])).toEqual({ n: 50 });
  });

  it("is set and counted on, where the later one has counted", async () => {
    expect(await bothOf({ n: 10 }, [sets(50), counts(2)])).toEqual({ n: 52 });
  });

  it("is no amount where the run has also set it, before or after, or was given it", async () => {
    const both =
      (...works: readonly Work[]): Work =>
      async (context) => {
        for (const work of works) await work(context);
      };

    expect(await bothOf({ n: 10 }, [counts(1), both(sets(20), counts(2))])).toEqual({ n: 22 });
    expect(await bothOf({ n: 10 }, [counts(1), both(counts(2), sets(20))])).toEqual({ n: 20 });
    expect(await bothOf({ n: 10 }, [counts(1), both(counts(2), sets("x"), sets(20), counts(3))])).toEqual({ n: 23 });
    expect(await bothOf({ n: 10 }, [counts(1), counts(2)], { n: 100 })).toEqual({ n: 102 });
  });

  it("is set, and not counted, by an edit that has not read it", async () => {
    const seen =
      (at: number): Work =>
      ({ editState }) =>
        editState((state) => void (state["at"] = at));

    expect(await bothOf({}, [seen(1_000), seen(2_000)])).toEqual({ at: 2_000 });
    expect(await bothOf({ at: 500 }, [seen(1_000), seen(2_000)])).toEqual({ at: 2_000 });
  });

  it("has the amounts of both in an object that the edit has made anew", async () => {
    const anew: Work = ({ editState }) =>
      editState((state) => {
        const user = state["user"] as { points: number };
        state["user"] = { ...user, points: user.points + 1 };
      });

    expect(await bothOf({ user: { name: "Ada", points: 1 } }, [anew, anew])).toEqual({
      user: { name: "Ada", points: 3 },
    });
  });

  it("has nothing of an edit that throws, and once what an attempt has counted that the step does again", async () => {
    let attempts = 0;
    const thrown: Work = async (context) => {
      await counts(2)(context);
      const edited = context.editState((state) => {
        state["n"] = (state["n"] as number) + 100;
        throw new Error("no");
      });
      await expect(edited).rejects.toThrow("no");
      if (++attempts === 1) throw new Error("again");
    };

    expect(await bothOf({ n: 10 }, [counts(1), thrown])).toEqual({ n: 13 });
    expect(attempts).toBe(2);
  });

  it("has an edit with a key, whatever other edits an attempt makes before it", async () => {
    let attempts = 0;
    const results: unknown[] = [];
    const counting: Work = async ({ editState }) => {
      attempts++;
      const keys = attempts === 1 ? ["failed 0"] : ["other", "failed 0"];
      for (const key of keys)
        results.push(
          await editState(
            (state) => {
              state["n"] = (state["n"] as number) + (key === "other" ? 100 : 1);
              return key;
            },
            { key },
          ),
        );
      if (attempts === 1) throw new Error("again");
    };

    expect(await bothOf({ n: 10 }, [counts(1000), counting])).toEqual({ n: 1111 });
    expect(results).toEqual(["failed 0", "other", "failed 0"]);
  });

  it("counts what branches of both have counted", async () => {
    const many: Work = (context) => Promise.all(Array.from({ length: 20 }, () => counts(1)(context)));

    expect(await bothOf({ n: 0 }, [many, many])).toEqual({ n: 40 });
  });
});

describe("a number in an item of a list that two runs change", () => {
  const jobs = (...runs: readonly number[]) => runs.map((count, index) => ({ id: `j${index}`, count }));
  const countsOf =
    (id: string, amount: number): Work =>
    ({ editState }) =>
      editState((state) => {
        const job = (state["jobs"] as { id: string; count: number }[]).find((one) => one.id === id);
        if (job !== undefined) job.count += amount;
      });
  const puts = (id: string): Work => {
    return ({ editState }) => editState((state) => void (state["jobs"] as unknown[]).unshift({ id, count: 100 }));
  };
  const takes: Work = ({ editState }) => editState((state) => void (state["jobs"] as unknown[]).shift());
  const all =
    (...works: readonly Work[]): Work =>
    async (context) => {
      for (const work of works) await work(context);
    };

  it("has the amounts of both, also where one has put an item before it", async () => {
    const both = [countsOf("j1", 2), all(puts("new"), countsOf("j1", 5))] as const;

    expect(await bothOf({ jobs: jobs(10, 20) }, both)).toEqual({ jobs: [{ id: "new", count: 100 }, ...jobs(10, 27)] });
  });

  it("has the amounts of both, also where one has moved it between two amounts", async () => {
    const both = [countsOf("j1", 2), all(countsOf("j1", 5), takes, countsOf("j1", 1))] as const;

    expect(await bothOf({ jobs: jobs(10, 20) }, both)).toEqual({ jobs: [{ id: "j1", count: 28 }] });
  });

  it("is not counted where another item was counted in its place", async () => {
    const sets: Work = ({ sessionState }) => {
      const [first] = sessionState["jobs"] as [{ count: number }];
      first.count = 50;
    };
    const both = [countsOf("j0", 2), all(puts("new"), countsOf("new", 5), takes, sets)] as const;

    expect(await bothOf({ jobs: jobs(10, 20) }, both)).toEqual({ jobs: jobs(50, 20) });
  });
});

describe("what is counted inside of groups and nested pipelines", () => {
  it("is added up over runs: at any depth, in branches of all kinds", async () => {
    const count: StepFunction = (_input, { editState }) =>
      editState((state) => {
        state["n"] = Number(state["n"]) + 1;
        (state["list"] as unknown[]).push("x");
      });
    const inner = new Pipeline({ name: "Inner", sessionState: { inner: true }, steps: [count, count] });
    const outer = new Pipeline({ name: "Outer", steps: [new Step({ name: "inner", executor: inner }), count] });
    const both = pipeline(
      [
        new Parallel({ name: "shared", steps: [count, new Step({ name: "outer", executor: outer })] }),
        new Parallel({ name: "isolated", state: "isolated", steps: [count, count] }),
      ],
      { sessionState: { n: 0, list: [] } },
    );
    await Promise.all(Array.from({ length: 5 }, () => both.run("", { sessionId: "s" })));
    const { n, list, ...rest } = await both.getSessionState("s");

    expect({ n, items: (list as unknown[]).length }).toEqual({ n: 30, items: 30 });
    expect(rest).toEqual({ inner: true });
  });
});

describe("all else that two runs change", () => {
  it("is merged field by field and item by item", async () => {
    const template = { user: { name: "", age: 0 }, list: [{ id: 1, done: false, text: "a" }], tags: ["x", "y"] };
    type Template = typeof template;
    const first: Work = ({ sessionState }) => {
      const { user, list, tags } = sessionState as unknown as Template;
      user.name = "Ada";
      list[0]!.done = true;
      tags.shift();
      tags.push("first");
    };
    const second: Work = ({ sessionState }) => {
      const { user, list, tags } = sessionState as unknown as Template;
      user.age = 36;
      list[0]!.text = "b";
      list.unshift({ id: 2, done: false, text: "c" });
      tags.push("second");
    };

    expect(await bothOf(template, [first, second])).toEqual({
      user: { name: "Ada", age: 36 },
      list: [
        { id: 2, done: false, text: "c" },
        { id: 1, done: true, text: "b" },
      ],
      tags: ["y", "first", "second"],
    });
  });
});

describe("a list that two runs change", () => {
  interface Item {
    id?: number;
    text: string;
    done?: boolean;
    tags?: string[];
  }
  type Lists = { list: Item[]; texts: string[] };
  const on =
    (work: (lists: Lists) => void): Work =>
    ({ sessionState }) =>
      work(sessionState as Lists);
  const [a, b, c] = [
    { id: 1, text: "a" },
    { id: 2, text: "b" },
    { id: 3, text: "c" },
  ];
  const lists = async (base: Item[], ...works: [(list: Item[]) => void, (list: Item[]) => void]) =>
    (await bothOf({ list: base }, [on(({ list }) => works[0](list)), on(({ list }) => works[1](list))]))["list"];
  const texts = async (base: string[], ...works: [(texts: string[]) => void, (texts: string[]) => void]) =>
    (await bothOf({ texts: base }, [on(({ texts }) => works[0](texts)), on(({ texts }) => works[1](texts))]))["texts"];

  it("has what both have added, in the order in which they end, each at its place", async () => {
    const pushes = (text: string) => (all: string[]) => void all.push(text);

    expect(await texts(["a"], pushes("x"), pushes("y"))).toEqual(["a", "x", "y"]);
    expect(await texts(["a"], pushes("x"), pushes("x"))).toEqual(["a", "x", "x"]);
    expect(await texts(["a", "b"], pushes("x"), (all) => all.splice(1, 0, "y"))).toEqual(["a", "y", "b", "x"]);
    expect(await texts(["a"], pushes("x"), (all) => all.unshift("y"))).toEqual(["y", "a", "x"]);
  });

  it("has an edited item even when the other has removed it, and one that both have removed not at all", async () => {
    const removes = (list: Item[]) => void list.shift();
    const edits = ([item]: Item[]) => void (item!.text = "new");

    expect(await lists([a, b], removes, edits)).toEqual([{ id: 1, text: "new" }, b]);
    expect(await lists([a, b], edits, removes)).toEqual([{ id: 1, text: "new" }, b]);
    expect(await lists([a, b, c], removes, removes)).toEqual([b, c]);
    expect(
      await texts(
        ["x", "x", "y"],
        (all) => all.shift(),
        (all) => all.shift(),
      ),
    ).toEqual(["x", "y"]);
    const addsAndTakes = (all: string[]) => {
      all.unshift("x");
      all.shift();
    };
    expect(await texts(["x", "y"], (all) => all.shift(), addsAndTakes)).toEqual(["y"]);
  });

  it("keeps a text that was taken out and added anew, when the other has taken it out, too", async () => {
    const takesAndAdds = (all: string[]) => void all.push(all.shift() as string);

    expect(await texts(["a", "b"], (all) => all.shift(), takesAndAdds)).toEqual(["b", "a"]);
  });

  it("has an object once that was taken out and put in elsewhere, with what the other has edited in it", async () => {
    const moves = (list: Item[]) => void list.push(...list.splice(0, 1));
    const edits = ([item]: Item[]) => void (item!.done = true);

    expect(await lists([a, b], edits, moves)).toEqual([b, { ...a, done: true }]);
    expect(await lists([a, b], moves, edits)).toEqual([b, { ...a, done: true }]);
  });

  it("has a new order, and what the other has added", async () => {
    const sorts = (all: string[]) => void all.sort();
    const pushes = (all: string[]) => void all.push("0");

    expect(await texts(["c", "a", "b"], pushes, sorts)).toEqual(["a", "b", "0", "c"]);
    expect(await texts(["a", "b", "c"], (all) => all.reverse(), pushes)).toEqual(["c", "b", "a", "0"]);
  });

  it("knows an object by its place, when all that it had was overwritten", async () => {
    const marks = ([item]: Item[]) => void (item!.done = true);
    const edits = ([item]: Item[]) => void (item!.text = "new");

    expect(await lists([{ text: "a" }], marks, edits)).toEqual([{ text: "new", done: true }]);
  });

  it("may be assigned anew: what was kept, left out, added or copied with a change counts as that", async () => {
    const both = (first: (lists: Lists) => void, second: (lists: Lists) => void) =>
      bothOf({ list: [a, b, c], texts: ["a", "b"] }, [on(first), on(second)]);
    const adds = (state: Lists) => {
      state.list = [...state.list, { id: 4, text: "d" }];
      state.texts = [...state.texts, "c"];
    };
    const filters = (state: Lists) => {
      state.list = state.list.filter(({ id }) => id !== 2);
      state.texts = state.texts.filter((text) => text !== "a");
    };
    const copies = (state: Lists) => {
      state.list = state.list.map((item) => (item.id === 3 ? { ...item, tags: ["x"] } : item));
    };
    const d = { id: 4, text: "d" };

    expect(await both(adds, filters)).toEqual({ list: [a, c, d], texts: ["b", "c"] });
    expect(await both(filters, adds)).toEqual({ list: [a, c, d], texts: ["b", "c"] });
    expect(await both(filters, filters)).toEqual({ list: [a, c], texts: ["b"] });
    expect(await both(copies, filters)).toEqual({ list: [a, { ...c, tags: ["x"] }], texts: ["b"] });
    expect(await both(copies, ({ list }) => void (list[2]!.text = "new"))).toEqual({
      list: [a, b, { ...c, text: "new", tags: ["x"] }],
      texts: ["a", "b"],
    });
  });

  it("is merged inside of items and objects, wherever these are by then", async () => {
    const base = { list: [{ id: 1, text: "a", tags: ["x", "y"] }, b] };
    const first = on(({ list }) => void list[0]!.tags!.shift());
    const second = on(({ list }) => {
      list.unshift({ id: 9, text: "first" });
      const { tags } = list[1]!;
      tags!.push(tags!.shift() as string);
    });

    expect(await bothOf(base, [first, second])).toEqual({
      list: [{ id: 9, text: "first" }, { id: 1, text: "a", tags: ["y", "x"] }, b],
    });
  });

  it("that the later run was given counts as assigned", async () => {
    const adds = on(({ texts }) => void texts.push("first"));
    const takesAndAdds = on(({ texts }) => void texts.push(texts.shift() as string));

    expect(await bothOf({ texts: ["a", "b"] }, [adds, takesAndAdds], { texts: ["a", "b", "given"] })).toEqual({
      texts: ["b", "first", "given", "a"],
    });
  });
});

describe("a field with a reducer, that two runs have changed at once,", () => {
  const highest =
    (value: number): Work =>
    ({ editState }) =>
      editState((state) => void (state["high"] = Math.max((state["high"] as number | undefined) ?? 0, value)));
  const high: SessionReducers = { high: (mine = 0, theirs = 0) => Math.max(Number(mine), Number(theirs)) };

  it("becomes what the reducer says of both, and of what they began with", async () => {
    const seen: unknown[] = [];
    const noted: SessionReducers = {
      n: (mine, theirs, base) => {
        seen.push([mine, theirs, base]);
        return [mine, theirs];
      },
    };

    expect(await bothOf({ high: 0 }, [highest(10), highest(7)])).toEqual({ high: 17 }); // without one
    expect(await bothOf({ high: 0 }, [highest(10), highest(7)], null, high)).toEqual({ high: 10 });
    expect(await bothOf({}, [highest(10), highest(7)], null, high)).toEqual({ high: 10 });
    expect(await bothOf({ n: "a" }, [sets("b"), sets("c")], null, noted)).toEqual({ n: ["c", "b"] });
    expect(seen).toEqual([["c", "b", "a"]]);
  });

  it("is the later one with `last`, also where that was counted or taken away", async () => {
    const gone: Work = ({ sessionState }) => void delete sessionState["n"];

    expect(await bothOf({ n: 1 }, [counts(2), counts(3)], null, { n: "last" })).toEqual({ n: 4 });
    expect(await bothOf({ n: { a: 1 } }, [sets({ a: 2 }), sets({ b: 1 })], null, { n: "last" })).toEqual({
      n: { b: 1 },
    });
    expect(await bothOf({ n: 1 }, [counts(2), gone], null, { n: "last" })).toEqual({});
  });

  it("has the amounts of both with `sum`, however they were set; what is no number has the default", async () => {
    expect(await bothOf({ n: 10 }, [sets(12), sets(15)], null, { n: "sum" })).toEqual({ n: 17 });
    expect(await bothOf({}, [sets(2), sets(5)], null, { n: "sum" })).toEqual({ n: 7 });
    expect(await bothOf({ n: "a" }, [sets("b"), sets("c")], null, { n: "sum" })).toEqual({ n: "c" });
  });

  it("is left to what one run has made of it, when the other has not touched it", async () => {
    const never: SessionReducers = {
      n: () => {
        throw new Error("Nobody has to decide.");
      },
    };

    expect(
      await bothOf({ n: 1, m: 1 }, [sets(5), ({ sessionState }) => void (sessionState["m"] = 2)], null, never),
    ).toEqual({ n: 5, m: 2 });
  });

  it("is that of the state itself: a field of this name inside of another has the default", async () => {
    const inside =
      (value: number): Work =>
      ({ sessionState }) =>
        void (sessionState["of"] = { high: value });

    expect(await bothOf({ of: { high: 0 } }, [inside(10), inside(7)], null, high)).toEqual({ of: { high: 7 } });
  });

  it("fails the later run when its reducer does, which leaves what is stored", async () => {
    const broken: SessionReducers = {
      n: () => {
        throw new Error("No idea.");
      },
    };
    const strange: SessionReducers = { n: () => () => 1 };
    const template = { n: 1 };
    for (const reducers of [broken, strange]) {
      const begun = new Gate();
      const open = new Gate();
      const both = new Pipeline({
        name: "both",
        sessionState: template,
        reducers,
        steps: [
          async ({ input }, { sessionState }) => {
            sessionState["n"] = input;
            if (input === 2) begun.pass();
            if (input === 2) await open.passed;
          },
        ],
      });
      const late = both.run(2, { sessionId: "s" });
      await begun.passed;
      await both.run(3, { sessionId: "s" });
      open.pass();
      const output = await late.output();

      expect(output.status).toBe("ERROR");
      expect(output.error).toMatchObject({
        code: "STEP_RESULT_INVALID",
        message: expect.stringMatching(/^The reducer of "n" has failed: (No idea\.|.*a function)/),
      });
      expect(await both.getSessionState("s")).toEqual({ n: 3 });
      await both.close();
    }
  });

  it("decides between isolated branches too", async () => {
    const sets = (value: number) =>
      new Step({
        name: `to ${value}`,
        executor: (_input: unknown, { sessionState }: RunContext) => void (sessionState["high"] = value),
      });
    const branches = new Pipeline({
      name: "branches",
      sessionState: { high: 0 },
      reducers: high,
      steps: [new Parallel({ state: "isolated", steps: [sets(4), sets(10), sets(7)] })],
    });

    const { sessionState } = await branches.run("");

    expect(sessionState).toEqual({ high: 10 });
    await branches.close();
  });

  it("is refused at construction when it is none", () => {
    const make = (reducers: unknown) => () =>
      new Pipeline({ name: "p", steps: [], reducers: reducers as SessionReducers });

    expect(make({ a: "max", b: 1, c: "last" })).toThrow(
      /the reducer of "a" is neither .*the reducer of "b" is neither/s,
    );
    expect(make([])).toThrow(/its `reducers` are not an object/);
  });
});
