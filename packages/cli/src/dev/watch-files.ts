/** Reports when one of these files changes, or a file of code appears beside them. */
import { existsSync, type FSWatcher, watch } from "node:fs";
import { basename, dirname, join } from "node:path";

const settleMs = 50;

export class FileWatch {
  readonly #onChange: () => void;
  readonly #watchers: Map<string, FSWatcher> = new Map();
  #files: ReadonlySet<string> = new Set();
  #timer: NodeJS.Timeout | null = null;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Instead of those before. Folders are watched: an editor may replace a file. */
  set(files: readonly string[], folder: string | null): void {
    this.#files = new Set(files);
    const folders = new Set([...files.map((file) => dirname(file)), ...(folder === null ? [] : [folder])]);
    for (const [path, watcher] of this.#watchers) {
      if (folders.has(path)) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
    for (const path of folders) {
      if (this.#watchers.has(path) || !existsSync(path)) continue;
      this.#watchers.set(
        path,
        watch(path, (_event, name) => {
          if (name !== null && this.#concerns(join(path, name), path === folder)) this.#soon();
        }),
      );
    }
  }

  #concerns(path: string, isFolderOfCode: boolean): boolean {
    return this.#files.has(path) || (isFolderOfCode && /^[^.].*\.[cm]?[jt]sx?$/.test(basename(path)));
  }

  /** A file that is being written changes several times. */
  #soon(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onChange, settleMs);
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
  }
}
