/**
 * Where the files of the studio come from: `@millrace/studio`, loaded when a page is first opened, or a function
 * that is given.
 *
 * @module
 */
import { HttpError } from "./http/http-error.js";

/** A file of the studio. */
export interface StudioFile {
  readonly body: Uint8Array;
  /** Its media type, for `content-type`. */
  readonly type: string;
  /** `true` if its name changes with its content, so that it may be cached for ever. */
  readonly isHashed: boolean;
}

/** Finds a file of the studio by its path, such as `"index.html"`; `null` if there is none. */
export type StudioFiles = (path: string) => Promise<StudioFile | null>;

/** `null` where the studio is not served. */
export function studioFileOf(studio: boolean | StudioFiles): StudioFiles | null {
  if (studio === false) return null;
  if (studio !== true) return studio;
  let loaded: Promise<StudioFiles> | null = null;
  return async (path) => {
    loaded ??= loadStudio();
    try {
      return await (await loaded)(path);
    } catch (error) {
      loaded = null; // it may be installed by the next request
      throw error;
    }
  };
}

/** Not a literal in `import()`: bundlers would require the package in servers without the studio. */
const packageName = "@millrace/studio" as string;

async function loadStudio(): Promise<StudioFiles> {
  try {
    const { studioFile } = (await import(/* @vite-ignore */ /* webpackIgnore: true */ packageName)) as {
      studioFile: StudioFiles;
    };
    return studioFile;
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new HttpError({
      status: 501,
      code: "STUDIO_MISSING",
      detail: "The studio is not installed.",
      hint: "Install `@millrace/studio` beside the server; in a bundle, pass it as `studio: studioFile`.",
    });
  }
}

/** A module that is there and fails is another matter. */
function isMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    error.message.includes(packageName) &&
    /cannot find|no such|not found|resolve|load/i.test(error.message)
  );
}
