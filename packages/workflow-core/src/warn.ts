/** The one place that prints: what workflow-core reports on the console is reported there, in its words. */
export function warn(message: string, ...values: unknown[]): void {
  console.warn(message, ...values);
}
