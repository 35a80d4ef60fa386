/** Random changes: a view does what a plain object does, and what is stored ends as what is live. */
import { describe, expect, it } from "vitest";
import { copyJson, isContainer, type JsonObject } from "./json.js";
import { applyTo, diff } from "./patches.js";
import { LiveSessionState } from "./session-state.js";

type Random = (below: number) => number;

function randomOf(seed: number): Random {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_507) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

function randomValue(random: Random, depth = 0): unknown {
  const kind = random(depth < 2 ? 7 : 4);
  if (kind < 2) return random(5);
  if (kind === 2) return `text ${random(4)}`;
  if (kind === 3) return random(2) === 0 ? null : true;
  if (kind < 6)
    return Object.fromEntries(Array.from({ length: random(3) }, () => [keyOf(random), randomValue(random, depth + 1)]));
  return Array.from({ length: random(4) }, () => randomValue(random, depth + 1));
}

const keyOf = (random: Random): string => `k${random(4)}`;

/** One change of some container in it, the same for the same numbers. Reads on the way, as users do. */
function change(state: JsonObject, random: Random): void {
  let target: JsonObject | unknown[] = state;
  for (let depth = random(4); depth > 0; depth--) {
    const inside: unknown[] = (Array.isArray(target) ? target : Object.values(target)).filter(isContainer);
    if (inside.length === 0) break;
    target = inside[random(inside.length)] as JsonObject | unknown[];
  }
  if (Array.isArray(target)) listChanges[random(listChanges.length)]?.(target, random);
  else objectChanges[random(objectChanges.length)]?.(target, random);
}

const objectChanges: ((target: JsonObject, random: Random) => void)[] = [
  (target, random) => void (target[keyOf(random)] = randomValue(random)),
  (target, random) => void (target[keyOf(random)] = randomValue(random)),
  (target, random) => void delete target[keyOf(random)],
  (target, random) => void Object.assign(target, { [keyOf(random)]: randomValue(random), [keyOf(random)]: 1 }),
  (target, random) => {
    const key = keyOf(random);
    target[key] = ((target[key] as number | undefined) ?? 0) === 3 ? 4 : 3;
  },
  (target, random) => {
    // What moves is the same object at another place.
    const [from, to] = [keyOf(random), keyOf(random)];
    const moved = target[from];
    delete target[from];
    target[to] = moved ?? null;
  },
];

const listChanges: ((target: unknown[], random: Random) => void)[] = [
  (target, random) => void target.push(randomValue(random)),
  (target, random) => void target.push(randomValue(random), randomValue(random)),
  (target) => void target.pop(),
  (target) => void target.shift(),
  (target, random) => void target.unshift(randomValue(random)),
  (target, random) => void target.splice(random(6) - 3, random(3), randomValue(random)),
  (target, random) => void target.splice(random(3)),
  (target) => void target.reverse(),
  (target) => void target.sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1)),
  (target, random) => void target.fill(random(5), random(3)),
  (target, random) => void (target.length > 0 && (target[random(target.length)] = randomValue(random))),
  (target, random) => void (target[target.length] = randomValue(random)),
  (target, random) => void (target.length = Math.min(target.length, random(4))),
];

const seeds = Array.from({ length: 300 }, (_, seed) => seed);

describe("random changes", () => {
  it("of a view are those of a plain object, and its patches produce them again", () => {
    for (const seed of seeds) {
      const initial = { k0: [1, { k1: 2 }], k1: { k2: [] }, k2: "text" };
      const [live, plain, stored] = [new LiveSessionState(initial), copyJson(initial), copyJson(initial)];
      const view = live.view();
      const [left, right, pauses] = [randomOf(seed), randomOf(seed), randomOf(seed + 7)];
      for (let step = 0; step < 40; step++) {
        change(view.state, left);
        change(plain, right);
        expect(view.state, `seed ${seed}, step ${step}`).toEqual(plain);
        if (pauses(5) === 0) applyTo(stored, view.take());
      }
      applyTo(stored, view.take());

      expect(live.plain(), `seed ${seed}`).toEqual(plain);
      expect(stored, `seed ${seed}`).toEqual(plain);
      expect(JSON.stringify(view.state)).toBe(JSON.stringify(live.plain()));
    }
  });

  it("of several views at once, stored in any order, end as what is live", () => {
    for (const seed of seeds) {
      const initial = { k0: [1, { k1: 2 }], k1: { k2: [] }, k3: {} };
      const [live, stored] = [new LiveSessionState(initial), copyJson(initial) as JsonObject];
      const views = [live.view(), live.view(), live.view()];
      const random = randomOf(seed);
      for (let step = 0; step < 60; step++) {
        const index = random(3);
        const view = views[index] as (typeof views)[number];
        change(view.state, random);
        const what = random(8);
        if (what === 0) applyTo(stored, view.take());
        if (what === 1 && random(3) === 0) {
          view.close(() => new TypeError("over"));
          views[index] = live.view();
        }
        if (what === 2) applyTo(stored, live.apply([{ op: "set", path: ["k9"], value: step }]));
      }
      while (views.length > 0) applyTo(stored, views.splice(random(views.length), 1)[0]?.take() ?? []);

      expect(stored, `seed ${seed}`).toEqual(live.plain());
    }
  });

  it("make a difference that leads from one state to the other", () => {
    for (const seed of seeds) {
      const random = randomOf(seed);
      const [before, after] = [{ k0: randomValue(random), k1: randomValue(random) }, { k1: randomValue(random) }];
      for (const lists of ["whole", "items"] as const) {
        const changed: JsonObject = copyJson(before);
        applyTo(changed, diff(before, after, { lists }));
        expect(changed, `seed ${seed}`).toEqual(after);
      }
    }
  });
});
