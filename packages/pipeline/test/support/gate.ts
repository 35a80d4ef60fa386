/** Something that a test waits for. */
export class Gate {
  readonly passed: Promise<void>;
  pass: () => void = () => {};

  constructor() {
    this.passed = new Promise((resolve) => {
      this.pass = resolve;
    });
  }
}
