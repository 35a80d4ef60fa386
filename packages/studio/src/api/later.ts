/** Parts of the studio that are loaded when they are first shown. */
import { ofTab } from "../browser-memory.js";
import { connection } from "./connection.js";

const key = "millrace.reloaded";
const breathMs = 1_000;
/** A part that is missing again so soon is not there. */
const soonMs = 30_000;

export class PartMissingError extends Error {
  override readonly name: string = "PartMissingError";
}

/**
 * For `lazy`. A browser keeps that a module could not be loaded for as long as the page lives: so once the server is back, the page is
 * loaded again. Its address says what it shows. It also brings the parts of another version, where the server has one by now.
 */
export function later<Part>(load: () => Promise<Part>): () => Promise<{ readonly default: Part }> {
  return async () => {
    try {
      return { default: await load() };
    } catch (error) {
      await breath();
      await connected();
      const isAgain = Date.now() - Number(ofTab.get(key)) < soonMs;
      // What is not remembered would be loaded again and again.
      if (isAgain || !ofTab.set(key, String(Date.now())))
        throw new PartMissingError("A part of the studio was not found.", { cause: error });
      location.reload();
      return new Promise(() => {});
    }
  };
}

/** A stream that has ended is noticed meanwhile. */
const breath = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, breathMs));

function connected(): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (connection.get() !== "connected") return;
      unsubscribe();
      resolve();
    };
    const unsubscribe = connection.subscribe(look);
    look();
  });
}
