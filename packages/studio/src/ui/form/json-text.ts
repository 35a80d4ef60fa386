/** A text that should be JSON. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** What it says, or itself while it says nothing. */
  get value(): unknown {
    try {
      return JSON.parse(this.text);
    } catch {
      return this;
    }
  }
}
