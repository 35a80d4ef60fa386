/**
 * For `node --import`: the process sends itself this signal as soon as it has printed what the pattern says. One that is sent from
 * outside comes when the sender gets to it, and the process may be somewhere else by then.
 */
export function signalsAt(pattern: RegExp, signal: NodeJS.Signals): string {
  const code = `
    const write = process.stdout.write.bind(process.stdout);
    let text = "";
    let isSent = false;
    process.stdout.write = (chunk, ...rest) => {
      const isTaken = write(chunk, ...rest);
      text += chunk;
      if (!isSent && ${String(pattern)}.test(text)) {
        isSent = true;
        process.kill(process.pid, "${signal}");
      }
      return isTaken;
    };`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
