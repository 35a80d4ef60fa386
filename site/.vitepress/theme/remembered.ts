/** A choice of the reader, on this device. Where storage is forbidden, nothing is remembered. */
export class Remembered {
  readonly #key: string;

  constructor(name: string) {
    this.#key = `millrace-${name}`;
  }

  get(): string | null {
    try {
      return localStorage.getItem(this.#key);
    } catch {
      return null;
    }
  }

  set(value: string): void {
    try {
      localStorage.setItem(this.#key, value);
    } catch {}
  }
}
