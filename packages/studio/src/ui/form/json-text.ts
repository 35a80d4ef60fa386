/** A text that should be JSON. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The parsed value; the text itself while it is not valid JSON. */
  get value(): unknown {
    try {
      return JSON.parse(this.text);
    } catch {
      return this;
    }
  }
}
