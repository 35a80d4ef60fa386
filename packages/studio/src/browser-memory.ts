/** What a browser remembers. Where it may remember nothing, as with cookies blocked, the page does as long as it lives. */

export interface Memory {
  get(key: string): string | null;
  /** `null` forgets it. @returns whether it is remembered when the page is loaded again. */
  set(key: string, value: string | null): boolean;
}

export const ofTab: Memory = memoryIn(() => sessionStorage);
export const ofBrowser: Memory = memoryIn(() => localStorage);

/** Already to name a storage that may not be used throws. */
function memoryIn(storage: () => Storage): Memory {
  const known = new Map<string, string | null>();
  return {
    get(key) {
      try {
        return known.get(key) ?? storage().getItem(key);
      } catch {
        return known.get(key) ?? null;
      }
    },
    set(key, value) {
      try {
        if (value === null) storage().removeItem(key);
        else storage().setItem(key, value);
        known.delete(key);
        return true;
      } catch {
        known.set(key, value); // in memory only
        return false;
      }
    },
  };
}
